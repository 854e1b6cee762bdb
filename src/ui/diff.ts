/** What changed between two texts, line by line with the words that differ. Pure. */
import { diffWordsWithSpace, structuredPatch } from 'diff';
import { splitInvisibleCharacters } from './invisibleCharacters.ts';

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
export const MIN_CONTEXT = 3;
export const MAX_CONTEXT = 10;

/** The places that differ, each with `context` lines around it (kept within 3 and 10); empty: the texts are the same. */
export function diffLines(before: string, after: string, context: number = MIN_CONTEXT): DiffLine[][] {
  const lines = Math.min(Math.max(Math.round(context), MIN_CONTEXT), MAX_CONTEXT);
  // A text without a last line break is not one with a changed last line.
  const whole = (text: string) => (text.endsWith('\n') ? text : `${text}\n`);
  const patch = structuredPatch('', '', whole(before), whole(after), '', '', { context: lines });
  return patch.hunks.map((hunk) => {
    let old = hunk.oldStart;
    let now = hunk.newStart;
    const diffed: DiffLine[] = [];
    for (const line of hunk.lines) {
      const parts = [{ text: line.slice(1), changed: false }];
      if (line.startsWith('+')) diffed.push({ kind: 'added', before: null, after: now++, parts });
      else if (line.startsWith('-')) diffed.push({ kind: 'removed', before: old++, after: null, parts });
      else if (line.startsWith(' ')) diffed.push({ kind: 'same', before: old++, after: now++, parts });
    }
    return diffWordsWithinLines(diffed);
  });
}

/** Lines that replace as many others tell which of their words differ. */
function diffWordsWithinLines(lines: readonly DiffLine[]): DiffLine[] {
  const diffed = [...lines];
  for (let at = 0; at < diffed.length; ) {
    if (diffed[at]?.kind !== 'removed') {
      at++;
      continue;
    }
    let end = at;
    while (diffed[end]?.kind === 'removed') end++;
    let last = end;
    while (diffed[last]?.kind === 'added') last++;
    if (end - at === last - end) {
      for (let index = 0; index < end - at; index++) {
        const [old, now] = [diffed[at + index], diffed[end + index]];
        if (!old || !now) continue;
        const words = diffWordsWithSpace(textOf(old), textOf(now));
        const side = (hidden: 'added' | 'removed') =>
          words
            .filter((word) => !word[hidden])
            .map((word) => ({ text: word.value, changed: word.added || word.removed }));
        diffed[at + index] = { ...old, parts: side('added') };
        diffed[end + index] = { ...now, parts: side('removed') };
      }
    }
    at = last;
  }
  return diffed;
}

const textOf = (line: DiffLine): string => line.parts.map((part) => part.text).join('');

/** A text with its invisible characters written out: `⟨U+200B⟩`. */
export function showInvisibleCharacters(text: string): string {
  return splitInvisibleCharacters(text)
    .map((piece) => (piece.kind === 'text' ? piece.text : `⟨${piece.code}⟩`))
    .join('');
}
