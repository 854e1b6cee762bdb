/**
 * Recognises the end of a conversation: a message that only says 'ok, thanks' or the like, and asks for no answer. Pure.
 */
import { normalizeText } from '../platform/normalizeText.ts';
import { ASKS, CLOSING_PHRASES, DECISIONS, THANKS } from './closingWords.ts';

/** Letters that are written in several ways are compared in one. */
const plain = (text: string): string =>
  normalizeText(text, 'NFKC').toLowerCase().replaceAll('ё', 'е').replaceAll('i̇', 'i');

/** Longer runs of one letter stand for emphasis: `okkk`. */
const shortened = (word: string): string => word.replace(/(\p{L})\1{2,}/gu, '$1');

/** Apostrophes and marks inside words are left out: `that's`, Arabic vowel signs. */
const wordsOf = (text: string): string[] =>
  plain(text)
    .replace(/['’ʼ`´-]|[\u064b-\u0652\u0591-\u05c7]/gu, (mark) => (mark === '-' ? ' ' : ''))
    .split(/[^\p{L}\p{N}\p{M}]+/u)
    .filter((word) => word !== '')
    .map(shortened);

const phrase = (text: string): string => wordsOf(text).join(' ');
const PHRASES: ReadonlySet<string> = new Set(
  Object.values(CLOSING_PHRASES).flatMap((phrases) => phrases.split(',').map(phrase)),
);
const THANKS_PHRASES: ReadonlySet<string> = new Set([...THANKS].map(phrase));
/** Words that are no name, however they are written: they decide something. */
const NO_NAMES: ReadonlySet<string> = new Set(DECISIONS.map(phrase));
/** Words that only join others: alone they end nothing. */
const JOINTS: ReadonlySet<string> = new Set(
  'and so very then и і e y et und очень тогда вам вас вам все все дуже тоді онда өте сізге dann entonces pues então allora alors to i bardzo ve çok efendim'
    .split(' ')
    .map(phrase),
);
const LONGEST = Math.max(...[...PHRASES].map((one) => one.split(' ').length));
/** More words than these say more than a closing. */
const MAX_WORDS = 14;

/** Emoji that ask, doubt or complain: one would answer them. */
const ASKING = /[❓❔⁉🤔🧐🤨👎😡😠🤬😤🖕💩🤮🤢😢😭☹🙁😞😟😕🆘💔❌🚫🛑🙄🤦🤷😩😫😒🤡😔😣😖😰]/u;
const EMOJI = /\p{Extended_Pictographic}|\p{Regional_Indicator}|\p{Emoji_Modifier}|\u{fe0f}|\u{200d}|\u{20e3}/gu;

/** A plus is a yes in Russian chats, and brackets are smiles. */
const SMILE_OR_YES = /^(?:\++|[:;=]?-?\)+)$/u;

/** Whether emoji without words say something that one would answer. */
export const asksByEmoji = (text: string): boolean => ASKING.test(text);

/** Whether a message only ends the conversation politely. Whether we had asked something is not its concern. */
export function isClosing(text: string): boolean {
  if (/[?？؟]/u.test(text) || asksByEmoji(text)) return false;
  const rest = text.replace(EMOJI, ' ');
  if (!/[\p{L}\p{N}]/u.test(rest)) return rest !== text || SMILE_OR_YES.test(rest.trim());
  return isCovered(wordsOf(rest), rest);
}

/** Whether words are phrases of a closing from the first to the last, not only words that join others. */
function isCovered(words: readonly string[], text: string): boolean {
  if (words.length === 0 || words.length > MAX_WORDS) return false;
  let hasPhrase = false;
  for (let at = 0; at < words.length; ) {
    const length = lengthOfPhrase(words, at);
    if (length === 0) return isName(words, at, text) && hasPhrase;
    const found = words.slice(at, at + length).join(' ');
    if (!JOINTS.has(found)) hasPhrase = true;
    at += length;
  }
  return hasPhrase;
}

/** Return how many words from a place make the longest phrase of a closing; 0: none does. */
function lengthOfPhrase(words: readonly string[], at: number): number {
  for (let length = Math.min(LONGEST, words.length - at); length > 0; length--)
    if (PHRASES.has(words.slice(at, at + length).join(' '))) return length;
  return 0;
}

/** Whether the last word is a name behind words of thanks. */
function isName(words: readonly string[], at: number, text: string): boolean {
  if (at !== words.length - 1 || NO_NAMES.has(words[at] ?? '') || !/\p{Lu}\p{Ll}+[\s!.)]*$/u.test(text)) return false;
  return THANKS_PHRASES.has(words[at - 1] ?? '') || THANKS_PHRASES.has(words.slice(Math.max(0, at - 2), at).join(' '));
}

const ASK = new RegExp(
  `(?<![\\p{L}\\p{N}])(?:${Object.values(ASKS)
    .flat()
    .map((pattern) => pattern.replaceAll('ё', 'е'))
    .join('|')})`,
  'iu',
);

/** No longer ones, so that a mark without its counterpart is not looked for up to the end, at each such mark. */
const QUOTATION = /"[^"]{0,300}"|«[^»]{0,300}»|“[^”]{0,300}”|„[^“]{0,300}“/gu;

/** Whether a text of ours asks the lead something: a question, or words that ask for an answer. */
export function asksSomething(text: string): boolean {
  // A question mark in an address or between quotation marks asks nothing.
  const own = text.replace(/https?:\/\/\S+/gu, ' ').replace(QUOTATION, ' ');
  return /[?？؟]/u.test(own) || ASK.test(plain(own));
}
