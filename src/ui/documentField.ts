import type { OptionSource } from './optionSource.ts';

/** A field of a document, for comparing two versions. */
export interface DocumentField {
  /** Label as shown on the page. */
  readonly label: string;
  readonly value: string;
  /** A long text, compared word by word. */
  readonly isText?: boolean;
  /** Where to find the row's name when the value is a row id. */
  readonly source?: OptionSource;
}
