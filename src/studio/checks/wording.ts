/** Compares the wording of texts: letter case, white space, punctuation and look-alike characters do not count. Pure. */
import { normalizeText } from '../../platform/normalizeText.ts';

/** Letters and digits in lower case; everything else is one space. */
export const normalizeWording = (text: string): string =>
  normalizeText(text, 'NFKC')
    .replaceAll(/\p{Default_Ignorable_Code_Point}/gu, '')
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{M}\p{N}]+/gu, ' ')
    .trim();

/** Like `normalizeWording`, but signs stay: `contains` may be about them. */
export const normalizeSpace = (text: string): string =>
  normalizeText(text, 'NFKC')
    .replaceAll(/\p{Default_Ignorable_Code_Point}/gu, '')
    .toLowerCase()
    .replaceAll(/\s+/g, ' ')
    .trim();

/** Words in a row that are compared. */
const SHINGLE = 3;
/** Share of the shingles above which two texts say nearly the same words. */
const NEARLY_SAME = 0.6;

function shingles(words: readonly string[]): ReadonlySet<string> {
  return new Set(words.slice(SHINGLE - 1).map((_word, index) => words.slice(index, index + SHINGLE).join(' ')));
}

/** Whether a text says nearly the same words as another one, alone or among others. */
export const saysNearly = (text: string, other: string): boolean => nearlySaidBy(text)(other);

/** Return what tells whether this text says nearly the same words as another one: the text is read once for all. */
export function nearlySaidBy(text: string): (other: string) => boolean {
  const actual = normalizeWording(text);
  const own = shingles(actual.split(' '));
  return (other) => {
    const wanted = normalizeWording(other);
    if (wanted === '') return false;
    const words = wanted.split(' ');
    if (words.length <= SHINGLE) return ` ${actual} `.includes(` ${wanted} `);
    const others = shingles(words);
    const shared = [...others].filter((shingle) => own.has(shingle)).length;
    return shared / others.size >= NEARLY_SAME;
  };
}

/** Count the questions of a text: marks in a row are one, and those of links are none. */
export function countQuestions(text: string): number {
  const plain = text.replaceAll(/(?:https?:\/\/|www\.)\S+/gi, ' ');
  return plain.match(/[?？؟][?？؟!！]*/g)?.length ?? 0;
}
