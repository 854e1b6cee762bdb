/** Lines of a message that is being made: pieces of text with what is to be said about them, and the markup for it. */
import { characterAt, characterBefore, isOutside } from './whatsapp.ts';

export const BOLD = 1;
export const ITALIC = 2;
export const STRUCK = 4;
export const CODE = 8;
/** Addresses and blocks of code, which have no markup within or around them. */
export const VERBATIM = 16;

/** Text in one style. */
export interface Piece {
  readonly text: string;
  readonly style: number;
}

interface Line {
  readonly pieces: Piece[];
  /** It held only markup. */
  isDropped: boolean;
  /** It heads what follows. */
  isHeading: boolean;
}

export interface Written {
  readonly text: string;
  /** Where lines that head what follows begin. */
  readonly headings: readonly number[];
}

const newLine = (): Line => ({ pieces: [], isDropped: false, isHeading: false });

/** Takes a message piece by piece. */
export class MessageWriter {
  readonly #lines: Line[] = [newLine()];

  get #line(): Line {
    return this.#lines.at(-1) ?? newLine();
  }

  write(text: string, style: number): void {
    for (const [index, part] of text.split('\n').entries()) {
      if (index > 0) this.#lines.push(newLine());
      if (part !== '') this.#line.pieces.push({ text: part, style });
    }
  }

  /** Leave the present line out, unless it has more than what begins a quotation. */
  dropLine(): void {
    this.#line.isDropped = true;
  }

  markHeading(): void {
    this.#line.isHeading = true;
  }

  /** Return what has been written so far, as one line. */
  take(): readonly Piece[] {
    return this.#lines.flatMap(({ pieces }, index) => (index === 0 ? pieces : [{ text: ' ', style: 0 }, ...pieces]));
  }

  writePieces(pieces: readonly Piece[], style = 0): void {
    for (const piece of pieces) this.write(piece.text, piece.style & VERBATIM ? piece.style : piece.style | style);
  }

  /** @param hasMarkup whether the messenger reads markup */
  finish(hasMarkup: boolean): Written {
    const lines = this.#lines.map(({ pieces, isDropped, isHeading }) => ({
      text: hasMarkup
        ? markUp(pieces, MARKS, { before: undefined, after: undefined })
        : pieces.map((piece) => piece.text).join(''),
      isDropped: isDropped && /^[\s>]*$/.test(pieces.map((piece) => piece.text).join('')),
      isHeading: isHeading || isAllBold(pieces),
    }));
    const headings: number[] = [];
    let text = '';
    for (const [index, line] of withoutDropped(lines).entries()) {
      if (index > 0) text += '\n';
      if (line.isHeading) headings.push(text.length);
      text += line.text;
    }
    return { text, headings };
  }
}

const isAllBold = (pieces: readonly Piece[]): boolean =>
  pieces.some(({ text }) => text.trim() !== '') &&
  pieces.every(({ text, style }) => style & BOLD || /^[\s:]*$/.test(text));

/** Leave out dropped lines, each with one of the blank lines around it. */
function withoutDropped<T extends { readonly text: string; readonly isDropped: boolean }>(lines: readonly T[]): T[] {
  const remaining: T[] = [];
  let followsDropped = false;
  for (const line of lines) {
    if (line.isDropped) {
      followsDropped = true;
      continue;
    }
    const isBlank = line.text.trim() === '';
    const previous = remaining.at(-1);
    if (followsDropped && isBlank && (previous === undefined || previous.text.trim() === '')) continue;
    followsDropped = false;
    remaining.push(line);
  }
  // What was dropped at the end leaves no blank line.
  if (followsDropped) while (remaining.length > 1 && remaining.at(-1)?.text.trim() === '') remaining.pop();
  return remaining;
}

const MARKS = [
  { bit: BOLD, mark: '*' },
  { bit: ITALIC, mark: '_' },
  { bit: STRUCK, mark: '~' },
  { bit: CODE, mark: '`' },
] as const;

type Mark = (typeof MARKS)[number];

const isIn = ({ style }: Piece, bit: number): boolean => (style & bit) !== 0 && (style & VERBATIM) === 0;

/** The characters around a stretch; undefined: none. */
interface Around {
  readonly before: string | undefined;
  readonly after: string | undefined;
}

/** Put marks around the pieces that want them, wherever WhatsApp would take them for marks. */
function markUp(pieces: readonly Piece[], marks: readonly Mark[], around: Around): string {
  const first = outermostOf(pieces, marks);
  const inner = marks.filter((one) => one !== first);
  if (!first) return pieces.map(({ text }) => text).join('');
  const groups = groupBy(pieces, (piece) => isIn(piece, first.bit));
  let line = '';
  for (const [index, group] of groups.entries()) {
    const before = characterBefore(line, line.length) ?? around.before;
    const after = firstCharacter(groups[index + 1]?.pieces) ?? around.after;
    if (!group.isIn) {
      line += markUp(group.pieces, inner, { before, after });
      continue;
    }
    const { head, body, tail } = trimPieces(group.pieces);
    const plain = body.map(({ text }) => text).join('');
    const outside = { before: characterBefore(head, head.length) ?? before, after: characterAt(tail, 0) ?? after };
    const isMarked =
      plain !== '' && !plain.includes(first.mark) && isOutside(outside.before) && isOutside(outside.after);
    const within = isMarked ? { before: first.mark, after: first.mark } : outside;
    const marked = markUp(body, inner, within);
    line += head + (isMarked ? first.mark + marked + first.mark : marked) + tail;
  }
  return line;
}

/** The mark with the longest stretch goes around the others: `_now *or* never_`, not three pieces. */
function outermostOf(pieces: readonly Piece[], marks: readonly Mark[]): Mark | undefined {
  const lengthOf = ({ bit }: Mark): number =>
    Math.max(0, ...groupBy(pieces, (piece) => isIn(piece, bit)).map((group) => (group.isIn ? group.pieces.length : 0)));
  return marks.toSorted((one, other) => lengthOf(other) - lengthOf(one))[0];
}

interface Group {
  readonly isIn: boolean;
  readonly pieces: Piece[];
}

function groupBy(pieces: readonly Piece[], test: (piece: Piece) => boolean): Group[] {
  const groups: Group[] = [];
  for (const piece of pieces) {
    const isIn = test(piece);
    const last = groups.at(-1);
    if (last?.isIn === isIn) last.pieces.push(piece);
    else groups.push({ isIn, pieces: [piece] });
  }
  return groups;
}

const firstCharacter = (pieces: readonly Piece[] | undefined): string | undefined =>
  pieces?.map(({ text }) => characterAt(text, 0)).find((one) => one !== undefined);

/** Take the white space off both ends. */
function trimPieces(pieces: readonly Piece[]): { head: string; body: Piece[]; tail: string } {
  const body = [...pieces];
  let [head, tail] = ['', ''];
  for (let piece = body[0]; piece; piece = body[0]) {
    const rest = piece.text.trimStart();
    head += piece.text.slice(0, piece.text.length - rest.length);
    if (rest !== '') {
      body[0] = { ...piece, text: rest };
      break;
    }
    body.shift();
  }
  for (let piece = body.at(-1); piece; piece = body.at(-1)) {
    const rest = piece.text.trimEnd();
    tail = piece.text.slice(rest.length) + tail;
    if (rest !== '') {
      body[body.length - 1] = { ...piece, text: rest };
      break;
    }
    body.pop();
  }
  return { head, body, tail };
}
