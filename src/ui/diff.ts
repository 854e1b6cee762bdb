/** Line diff of two texts, with the changed words marked. Pure. */
import { diffWordsWithSpace, structuredPatch } from 'diff';
import { normalizeLineEndings } from '../platform/lineEndings.ts';
import { splitInvisibleCharacters } from './invisibleCharacters.ts';

export interface DiffPart {
  readonly text: string;
  readonly changed: boolean;
}

export interface DiffLine {
  readonly kind: 'same' | 'added' | 'removed';
  /** Line number in the old and the new text; null where the line does not exist. */
  readonly before: number | null;
  readonly after: number | null;
  readonly parts: readonly DiffPart[];
}

/** Bounds for the number of lines shown around a change. */
export const MIN_CONTEXT = 3;
export const MAX_CONTEXT = 10;

/**
 * Return the changed places, each with `context` lines around it (clamped to 3 to 10). Empty if the texts are equal.
 * Line endings are not compared: a text saved by another system would be one changed place.
 */
export function diffLines(before: string, after: string, context: number = MIN_CONTEXT): DiffLine[][] {
  const lines = Math.min(Math.max(Math.round(context), MIN_CONTEXT), MAX_CONTEXT);
  // A missing final line break must not count as a change of the last line.
  const whole = (text: string) => normalizeLineEndings(text.endsWith('\n') ? text : `${text}\n`);
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

/** Mark the changed words where lines were replaced by the same number of lines. */
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

/** Write out the invisible characters of a text: `⟨U+200B⟩`. */
export function showInvisibleCharacters(text: string): string {
  return splitInvisibleCharacters(text)
    .map((piece) => (piece.kind === 'text' ? piece.text : `⟨${piece.code}⟩`))
    .join('');
}
