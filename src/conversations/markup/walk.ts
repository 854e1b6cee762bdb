/** What the parts of writing Markdown as a message share. */
import type { MarkdownNode } from '../../platform/markdown/parse.ts';
import { MessageWriter, type Piece, VERBATIM } from './lines.ts';

/** What the text says about all of its pieces. */
export interface Reading {
  /**
   * Whether `*x*` is emphasis of Markdown. In a text that has nothing of Markdown it is WhatsApp's bold, as the team's
   * prompt or earlier messages of the conversation show it to the model, and stays as it is.
   */
  readonly isMarkdown: boolean;
  /** Whether the messenger has markup. */
  readonly hasMarkup: boolean;
  /** Whether it has a list with `*`; a single `* ` begins a remark. */
  readonly hasStarList: boolean;
}

/** Where in the text a node stands. */
export interface Context {
  readonly style: number;
  /** The text between the marks of the emphasis around it. */
  readonly within: MarkdownNode | null;
  /** How many quotations it stands in. */
  readonly quotes: number;
  /** Which marks of quotations stay: those of the outermost, all since they are ornaments, or none. */
  readonly quoteMarks: 'outermost' | 'all' | 'none';
}

/** Walks through a text and writes it. */
export interface Walk {
  readonly source: string;
  readonly reading: Reading;
  /** Addresses of definitions by `labelKey`, and those that links refer to. */
  readonly definitions: ReadonlyMap<string, string>;
  readonly used: ReadonlySet<string>;
  /** Replaced while something is written aside. */
  writer: MessageWriter;
  /** Write a node. */
  readonly visit: (node: MarkdownNode, context: Context) => void;
}

export type Handler = (walk: Walk, node: MarkdownNode, context: Context) => void;

export const textOf = ({ source }: Walk, { start, end }: Pick<MarkdownNode, 'start' | 'end'>): string =>
  source.slice(start, end);

/** Write the source of a node as it is. */
export function copy(walk: Walk, node: Pick<MarkdownNode, 'start' | 'end'>, { style }: Context): void {
  walk.writer.write(textOf(walk, node), style);
}

/** Write what is neither markup nor marked up. */
export function writeVerbatim({ writer }: Walk, text: string): void {
  writer.write(text, VERBATIM);
}

/** Let something be written aside, and return it as one line. */
export function writeAside(walk: Walk, write: () => void): readonly Piece[] {
  const { writer } = walk;
  walk.writer = new MessageWriter();
  try {
    write();
    return walk.writer.take();
  } finally {
    walk.writer = writer;
  }
}

/** Return the words of pieces. */
export const wordsOf = (pieces: readonly Piece[]): string =>
  pieces
    .map(({ text }) => text)
    .join('')
    .trim();
