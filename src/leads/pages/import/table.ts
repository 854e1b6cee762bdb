/** What a file is once it is read; reading it (`file.ts`) is loaded with the first file that is chosen. */
export interface Table {
  readonly name: string;
  readonly header: readonly string[];
  readonly rows: readonly TableRow[];
}

export interface TableRow {
  /** As a spreadsheet numbers it: the header is 1. */
  readonly line: number;
  readonly cells: readonly string[];
}

export const MAX_ROWS = 50_000;
