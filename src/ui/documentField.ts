import type { OptionSource } from './optionSource.ts';

/** A part of a document, for whoever compares two of them. */
export interface DocumentField {
  /** As the page names it. */
  readonly label: string;
  readonly value: string;
  /** A text, which is compared word by word. */
  readonly isText?: boolean;
  /** Where the value is the id of a row: where that is found. */
  readonly source?: OptionSource;
}
