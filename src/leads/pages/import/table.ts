/** A parsed file. Its parser (`file.ts`) is loaded only when the first file is chosen. */
import type { Encoding } from './encoding.ts';

/** How the bytes of a file are understood. */
export interface Reading {
  readonly encoding: Encoding;
  readonly delimiter: string;
  /** The row that names the columns; 0: none does, all rows are leads. */
  readonly headerRow: number;
}

export interface Table {
  readonly name: string;
  readonly header: readonly string[];
  /** All rows below the header that are not empty. */
  readonly rows: readonly TableRow[];
  readonly reading: Reading;
  /** False: nobody has chosen the encoding, and in another one other letters are about as likely. */
  readonly isEncodingCertain: boolean;
  /** The first rows of the file, one of which may name the columns. */
  readonly firstRows: readonly { readonly row: number; readonly text: string }[];
  /** Rows above the header that are not empty. */
  readonly above: number;
  /** Rows that have a cell with a line break and the delimiter: a quote may be missing, or one too many. */
  readonly swallowed: readonly number[];
  /** Rows with fewer cells than the header; the missing ones count as empty. */
  readonly short: number;
  /** NUL characters that were left out. */
  readonly nuls: number;
  /** Why no row can be imported as the file is read now. */
  readonly fault: string | null;
  /** Read the same file in another way; what is not chosen is guessed. */
  readonly reread: (choices: Partial<Reading>) => Table;
}

export interface TableRow {
  /** The row number as in a spreadsheet, which counts empty rows too. */
  readonly line: number;
  /** The line of the file on which it begins: a greater number where cells above have line breaks. */
  readonly fileLine: number;
  /** As many as the header has, or all of them where the row is refused. */
  readonly cells: readonly string[];
  /** Why it is not understood. */
  readonly fault: string | null;
}

export const MAX_ROWS = 50_000;
