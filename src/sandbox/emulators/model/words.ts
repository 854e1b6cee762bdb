/** Words of a text, compared by their first letters. */
import { type Language, STOP_WORDS, TOPICS } from './rules.ts';

/** Letters by which two words count as the same. */
const STEM_LENGTH = 4;

/** Return what a text is about: the beginnings of its words, and its topics (marked `#`). */
export function termsOf(text: string): Set<string> {
  const words = text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
  const stems = words
    .filter((word) => word.length > 1 && !STOP_WORDS.has(word))
    .map((word) => word.slice(0, STEM_LENGTH));
  return new Set([...stems, ...TOPICS.filter(([, pattern]) => pattern.test(text)).map(([topic]) => topic)]);
}

export function countShared(one: ReadonlySet<string>, other: ReadonlySet<string>): number {
  return [...one].filter((term) => other.has(term)).length;
}

/** Return the script of most letters. */
export function languageOf(text: string): Language {
  const count = (letters: RegExp) => text.match(letters)?.length ?? 0;
  return count(/\p{Script=Cyrillic}/gu) > count(/\p{Script=Latin}/gu) ? 'ru' : 'en';
}

/** Split a text at line ends and at marks that end a sentence. */
export function sentencesOf(text: string): string[] {
  return text
    .split(/\n|(?<=[.!?…])\s+(?=[\p{Lu}\p{N}])/u)
    .map((sentence) => sentence.replace(/^\s*(?:[-*•]|\d{1,2}[.)])\s+/, '').trim())
    .filter((sentence) => /[\p{L}\p{N}]/u.test(sentence));
}

/** Return all values in a JSON text; a text that is not JSON is returned unchanged. */
export function valuesIn(text: string): unknown[] {
  const values: unknown[] = [];
  try {
    JSON.parse(text, (_key, value: unknown) => {
      values.push(value);
      return value;
    });
    return values;
  } catch {
    return [text];
  }
}
/** Return all strings in a JSON text. */
export const stringsIn = (text: string): string[] => valuesIn(text).filter((value) => typeof value === 'string');
