/** A parsed file. Its parser (`file.ts`) is loaded only when the first file is chosen. */
export interface Table {
  readonly name: string;
  readonly header: readonly string[];
  readonly rows: readonly TableRow[];
}

export interface TableRow {
  /** The row number as in a spreadsheet: the header is 1. */
  readonly line: number;
  readonly cells: readonly string[];
}

export const MAX_ROWS = 50_000;
