/** Decides whether an edit changes what a message says, or only how it is spelled. Pure. */
import { normalizeText } from '../platform/normalizeText.ts';

/** Words of a text in lower case, without punctuation, emoji and apostrophes. */
const wordsOf = (text: string): string[] =>
  normalizeText(text, 'NFKC')
    .toLowerCase()
    .replaceAll('ё', 'е')
    .replace(/['’ʼ`´]/gu, '')
    .split(/[^\p{L}\p{N}\p{M}]+/u)
    .filter((word) => word !== '');

/** Shorter words differ by one letter and mean something else: now, not. */
const MIN_TYPO = 5;
/** So many words around it tell what a word of four letters is. */
const MIN_CONTEXT = 3;
/** From this length on, two letters may be wrong. */
const MIN_DOUBLE_TYPO = 8;
/** Longer words are compared as they are: two of 30,000 letters would take all memory of the process. */
const MAX_WORD = 60;
/** Endings that turn a word into its opposite. */
const NEGATION = /nt$/;

/**
 * Whether two texts say different things. They do not if they differ in spaces, punctuation, case, in where words are
 * split, or in letters that are typing errors: two neighbours swapped, one wrong in a word of five letters or more (of
 * four, if it is the only other word of a longer text), two in one of eight or more; behind the same first letter, never in
 * a number.
 */
export function changesMeaning(before: string, after: string): boolean {
  const [words, others] = [wordsOf(before), wordsOf(after)];
  // Texts without words: marks and emoji are all that they say.
  if (words.length === 0 && others.length === 0) return before.trim() !== after.trim();
  if (words.join('') === others.join('')) return false;
  if (words.length !== others.length) return true;
  const differing = words.filter((word, index) => word !== others[index]).length;
  const minTypo = differing === 1 && words.length >= MIN_CONTEXT ? MIN_TYPO - 1 : MIN_TYPO;
  return words.some((word, index) => !isSameWord(word, others[index] ?? '', minTypo));
}

function isSameWord(word: string, other: string, minTypo: number): boolean {
  if (word === other) return true;
  const [shortest, longest] = [Math.min(word.length, other.length), Math.max(word.length, other.length)];
  if (/\p{N}/u.test(word + other) || word[0] !== other[0] || NEGATION.test(word) !== NEGATION.test(other)) return false;
  if (longest > MAX_WORD) return false;
  const distance = distanceOf(word, other);
  if (shortest >= MIN_DOUBLE_TYPO) return distance <= 2;
  if (distance > 1) return false;
  return longest >= minTypo || (word.length === other.length && sorted(word) === sorted(other));
}

const sorted = (word: string): string => Array.from(word).toSorted().join('');

/** Count the letters to insert, remove, replace or swap with their neighbour. */
function distanceOf(word: string, other: string): number {
  const rows: number[][] = [Array.from({ length: other.length + 1 }, (_, at) => at)];
  for (let i = 1; i <= word.length; i++) {
    const row = [i];
    for (let j = 1; j <= other.length; j++) {
      const cost = word[i - 1] === other[j - 1] ? 0 : 1;
      const isSwapped = i > 1 && j > 1 && word[i - 1] === other[j - 2] && word[i - 2] === other[j - 1];
      row.push(
        Math.min(
          (rows[i - 1]?.[j] ?? 0) + 1,
          (row[j - 1] ?? 0) + 1,
          (rows[i - 1]?.[j - 1] ?? 0) + cost,
          isSwapped ? (rows[i - 2]?.[j - 2] ?? 0) + 1 : Number.POSITIVE_INFINITY,
        ),
      );
    }
    rows.push(row);
  }
  return rows[word.length]?.[other.length] ?? 0;
}
