/** What changed between two texts, line by line with the words that differ. Pure. */
import { diffWordsWithSpace, structuredPatch } from 'diff';
import { piecesOf } from './invisible.ts';

export interface DiffPart {
  readonly text: string;
  readonly changed: boolean;
}

export interface DiffLine {
  readonly kind: 'same' | 'added' | 'removed';
  /** Number of the line in the old text, the new one, or both; null where it is not. */
  readonly before: number | null;
  readonly after: number | null;
  readonly parts: readonly DiffPart[];
}

/** Lines around a change that are shown with it. */
export const LEAST_CONTEXT = 3;
export const MOST_CONTEXT = 10;

/** The places that differ, each with `context` lines around it (kept within 3 and 10); empty: the texts are the same. */
export function diffOf(before: string, after: string, context: number = LEAST_CONTEXT): DiffLine[][] {
  const lines = Math.min(Math.max(Math.round(context), LEAST_CONTEXT), MOST_CONTEXT);
  // A text without a last line break is not one with a changed last line.
  const whole = (text: string) => (text.endsWith('\n') ? text : `${text}\n`);
  const patch = structuredPatch('', '', whole(before), whole(after), '', '', { context: lines });
  return patch.hunks.map((hunk) => {
    let old = hunk.oldStart;
    let now = hunk.newStart;
    const found: DiffLine[] = [];
    for (const line of hunk.lines) {
      const parts = [{ text: line.slice(1), changed: false }];
      if (line.startsWith('+')) found.push({ kind: 'added', before: null, after: now++, parts });
      else if (line.startsWith('-')) found.push({ kind: 'removed', before: old++, after: null, parts });
      else if (line.startsWith(' ')) found.push({ kind: 'same', before: old++, after: now++, parts });
    }
    return withWords(found);
  });
}

/** Lines that replace as many others tell which of their words differ. */
function withWords(lines: readonly DiffLine[]): DiffLine[] {
  const found = [...lines];
  for (let at = 0; at < found.length; ) {
    if (found[at]?.kind !== 'removed') {
      at++;
      continue;
    }
    let end = at;
    while (found[end]?.kind === 'removed') end++;
    let last = end;
    while (found[last]?.kind === 'added') last++;
    if (end - at === last - end) {
      for (let index = 0; index < end - at; index++) {
        const [old, now] = [found[at + index], found[end + index]];
        if (!old || !now) continue;
        const words = diffWordsWithSpace(textOf(old), textOf(now));
        const side = (hidden: 'added' | 'removed') =>
          words
            .filter((word) => !word[hidden])
            .map((word) => ({ text: word.value, changed: word.added || word.removed }));
        found[at + index] = { ...old, parts: side('added') };
        found[end + index] = { ...now, parts: side('removed') };
      }
    }
    at = last;
  }
  return found;
}

const textOf = (line: DiffLine): string => line.parts.map((part) => part.text).join('');

/** A text with its invisible characters written out: `⟨U+200B⟩`. */
export function visible(text: string): string {
  return piecesOf(text)
    .map((piece) => (piece.kind === 'text' ? piece.text : `⟨${piece.code}⟩`))
    .join('');
}
