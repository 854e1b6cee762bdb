/**
 * Recognises another program at the other end: an automatic reply that would be answered without end. Pure. A customer who
 * asks three times, or asks again what was not answered, is none.
 */
import { normalizeText } from '../platform/normalizeText.ts';
import { PERSONAL_REASONS, SPEAKS_OF_PROGRAM } from './personWords.ts';
import { AUTO_REPLIES } from './robotWords.ts';

/** A message of a conversation. `at`: ms since 1970. */
export interface RecentMessage {
  readonly side: 'user' | 'bot';
  readonly text: string;
  readonly kind: string;
  readonly at: number;
}

/** A second automatic reply counts within this time of the first. */
const DAY_MS = 24 * 3_600_000;
/** Texts are compared, and answers counted, within this time. */
const WINDOW_MS = 10 * 60_000;
/** So many answers to the same text are enough. */
const MAX_ANSWERS = 3;
/** So many long texts in a row that come at once after ours, whatever they say. */
const MAX_INSTANT = 4;
/** No person has read a message and written `MIN_LETTERS` in this time. Vendors cut off fractions of seconds. */
const INSTANT_MS = 2500;
const MIN_LETTERS = 20;
/**
 * A person who writes one message after another meets our answers by chance. A text within `AT_ONCE_MS` of ours is no
 * chance, and neither is one that nobody types in the time since the message before, at so many letters a second.
 */
const AT_ONCE_MS = 1500;
const TYPED_LETTERS = 6;
/**
 * Texts that are not the same to the letter count only if each came within this time of ours, and if nobody can have typed it: a
 * customer asks for one size after another in the same words.
 */
const QUICK_MS = 4000;
/** Shorter texts are repeated by people, too. */
const MIN_WORDS = 4;
/** Texts of so many words in common, as a share, are the same: times, numbers and names in them differ. */
const SAME_SHARE = 0.8;

interface Pattern {
  readonly plain: RegExp;
  readonly hints: readonly RegExp[];
  readonly offers: readonly RegExp[];
}

/** Accents are left out where people leave them out. */
const withoutAccents = (text: string): string =>
  normalizeText(text, 'NFKD')
    .replace(/\p{M}+/gu, '')
    .normalize('NFC');

const regExpOf = (pattern: string): RegExp => new RegExp(withoutAccents(pattern), 'iu');
const PATTERNS: readonly Pattern[] = Object.values(AUTO_REPLIES).map(({ plain, hints, offers }) => ({
  plain: regExpOf(plain.join('|')),
  hints: [...hints, ...offers].map(regExpOf),
  offers: offers.map(regExpOf),
}));
const wordsAt = (alternatives: readonly string[]): RegExp => regExpOf(`(?<!\\p{L})(?:${alternatives.join('|')})`);
const PERSONAL_REASON = wordsAt(Object.values(PERSONAL_REASONS).flat());
const ABOUT_PROGRAM = wordsAt(SPEAKS_OF_PROGRAM);

/** Characters that are read. Cut before they are normalised too: one character may become eighteen. */
const MAX_READ = 2000;
/** Longest text, in words, that only speaks of a program: one that offers to call a person says more. */
const SHORT_WORDS = 14;

const normal = (text: string): string => withoutAccents(text.slice(0, MAX_READ).toLowerCase()).slice(0, MAX_READ);

/** Whether a text is what automatic replies say: that a message has arrived, that somebody will answer, and when. */
export function isAutoReply(text: string): boolean {
  const words = normal(text);
  const length = words.split(/\s+/).length;
  // Who asks in a few words is a person, even about such replies.
  if (/[?？؟]/u.test(words) && length < 8 && !offersHelp(words)) return false;
  const isHinted = PATTERNS.some(({ hints }) => hintsIn(words, hints) >= 2);
  // Templates begin with a capital.
  if (isHinted && !PERSONAL_REASON.test(words) && !/^\s*\p{Ll}/u.test(text)) return true;
  if (!PATTERNS.some(({ plain }) => plain.test(words)) || (length <= SHORT_WORDS && ABOUT_PROGRAM.test(words)))
    return false;
  const statements = withoutQuestions(words);
  return PATTERNS.some(({ plain }) => plain.test(statements));
}

const hintsIn = (words: string, hints: readonly RegExp[]): number => hints.filter((hint) => hint.test(words)).length;

/** Leave out what is asked: 'is this an automated reply?'. An offer of help, which has the form of a question, stays. */
const withoutQuestions = (words: string): string =>
  words
    .split(/(?<=[.!?？؟…\n])/u)
    .filter((sentence) => !/[?？؟]/u.test(sentence) || offersHelp(sentence))
    .join('');

/** Whether a text greets customers or offers to help, which no customer does. */
const offersHelp = (words: string): boolean => PATTERNS.some(({ offers }) => hintsIn(words, offers) > 0);

/** Spell a text without what differs each time: punctuation, spaces, and numbers, if they are not to count. */
const wordsIn = (text: string): string =>
  normal(text)
    .replace(/[^\p{L}\p{N}]+/gu, ' ')
    .trim();
const skeletonOf = (text: string): string => wordsIn(text).replace(/\p{N}+/gu, '0');

const lettersOf = (text: string): number => text.replace(/[^\p{L}]/gu, '').length;

function isSame(one: string, other: string): boolean {
  if (one === other) return true;
  const [words, others] = [one.split(' '), other.split(' ')];
  if (Math.min(words.length, others.length) < MIN_WORDS) return false;
  const rest = new Set(others);
  const common = words.filter((word) => rest.has(word)).length;
  return (2 * common) / (words.length + others.length) >= SAME_SHARE;
}

/** What the lead has written between two of our messages, last first. */
interface Exchange {
  readonly texts: readonly RecentMessage[];
  /** How long after ours its first message came. */
  readonly delay: number;
  /** How long after the lead's message before. */
  readonly typing: number;
}

/** Split messages into exchanges, the newest first. The delay of one before any message of ours is infinite. */
function exchangesOf(messages: readonly RecentMessage[]): Exchange[] {
  const exchanges: Exchange[] = [];
  let texts: RecentMessage[] = [];
  let lastOurs = Number.NEGATIVE_INFINITY;
  let last = Number.NEGATIVE_INFINITY;
  for (const message of messages) {
    if (message.side === 'bot') {
      lastOurs = message.at;
      texts = [];
      continue;
    }
    if (texts.length === 0) exchanges.unshift({ texts, delay: message.at - lastOurs, typing: message.at - last });
    texts.unshift(message);
    last = message.at;
  }
  return exchanges;
}

/**
 * Whether the one who writes is a program, so that it should not be answered again: it says so a second time, it repeats
 * what we have answered several times, or it always answers faster than anybody reads. `recent`: the messages before,
 * oldest first.
 */
export function isRobot(message: Omit<RecentMessage, 'side'>, recent: readonly RecentMessage[]): boolean {
  const { text, kind, at } = message;
  // Who presses a button needs no time, and words are compared only where there are some.
  if (kind !== 'text' || lettersOf(text) === 0) return false;
  const lastOurs = recent.findLastIndex(({ side }) => side === 'bot');
  const answered = exchangesOf(recent.slice(0, lastOurs + 1));
  const recently = ({ at: before }: RecentMessage): boolean => before >= at - DAY_MS;
  if (isAutoReply(text) && answered.some(({ texts }) => texts.some((one) => recently(one) && isAutoReply(one.text))))
    return true;
  const within = answered.filter(({ texts }) => (texts[0]?.at ?? 0) >= at - WINDOW_MS);
  const present: Exchange = {
    texts: [{ ...message, side: 'user' }],
    delay: at - (recent[lastOurs]?.at ?? Number.NEGATIVE_INFINITY),
    typing: at - (recent.findLast(({ side }) => side === 'user')?.at ?? Number.NEGATIVE_INFINITY),
  };
  return isLoop(present, within) || areAllInstant([present, ...within]);
}

/** Whether we have answered the same text often enough. */
function isLoop(present: Exchange, before: readonly Exchange[]): boolean {
  const text = present.texts[0]?.text ?? '';
  const [words, skeleton] = [wordsIn(text), skeletonOf(text)];
  const repeats = before.filter(({ texts }) => texts.some((one) => isSame(skeletonOf(one.text), skeleton)));
  if (repeats.length < MAX_ANSWERS) return false;
  const isWordy = words.split(' ').length >= MIN_WORDS;
  if (isWordy && offersHelp(normal(text))) return true;
  // The first of them may have come by itself.
  const answers = [present, ...repeats].filter(({ delay }) => delay !== Number.POSITIVE_INFINITY);
  // Short texts and questions are repeated by people.
  if (!isWordy || /[?？؟]/u.test(text)) return answers.every(({ delay }) => isWithin(delay, INSTANT_MS));
  const equal = before.filter(({ texts }) => texts.some((one) => wordsIn(one.text) === words));
  return equal.length >= MAX_ANSWERS || answers.every((one) => isWithin(one.delay, QUICK_MS) && isNotTyped(one));
}

const isWithin = (delay: number, limit: number): boolean => Math.abs(delay) <= limit;

/** Whether a text came at once, or faster than anybody types. */
const isNotTyped = ({ texts, delay, typing }: Exchange): boolean =>
  isWithin(delay, AT_ONCE_MS) || lettersOf(texts.at(-1)?.text ?? '') > (TYPED_LETTERS * typing) / 1000;

/** Whether the newest exchanges are long texts that all came faster than anybody reads and writes. */
const areAllInstant = (exchanges: readonly Exchange[]): boolean =>
  exchanges.length >= MAX_INSTANT &&
  exchanges
    .slice(0, MAX_INSTANT)
    .every((one) => isWithin(one.delay, INSTANT_MS) && one.texts.every(isLong) && isNotTyped(one));

const isLong = ({ text, kind }: RecentMessage): boolean => kind === 'text' && lettersOf(text) >= MIN_LETTERS;
