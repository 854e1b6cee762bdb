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
  if (shortest >= MIN_DOUBLE_TYPO) return isWithin(word, other, 2);
  if (!isWithin(word, other, 1)) return false;
  return longest >= minTypo || (word.length === other.length && sorted(word) === sorted(other));
}

const sorted = (word: string): string => Array.from(word).toSorted().join('');

/**
 * Whether two words are the same after at most so many typing errors: letters inserted, removed, replaced or swapped with
 * their neighbour. Each error is tried at the first letter that differs, so the work grows with the length of the words.
 */
function isWithin(word: string, other: string, errors: number): boolean {
  let at = 0;
  while (at < word.length && word[at] === other[at]) at++;
  const [rest, otherRest] = [word.slice(at), other.slice(at)];
  if (rest === '' && otherRest === '') return true;
  if (errors === 0) return false;
  const isSwapped = rest.length > 1 && rest[0] === otherRest[1] && rest[1] === otherRest[0];
  return (
    isWithin(rest.slice(1), otherRest.slice(1), errors - 1) ||
    isWithin(rest.slice(1), otherRest, errors - 1) ||
    isWithin(rest, otherRest.slice(1), errors - 1) ||
    (isSwapped && isWithin(rest.slice(2), otherRest.slice(2), errors - 1))
  );
}
