/**
 * Recognises another program at the other end: an automatic reply that would be answered for ever. Pure. A customer who
 * asks three times, or asks again what was not answered, is none.
 */
import { normalizeText } from '../platform/normalizeText.ts';
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
/** So many texts in a row that come at once after ours, whatever they say. */
const MAX_INSTANT = 4;
/** No person has read a message and written `MIN_LETTERS` in this time. Vendors cut off fractions of seconds. */
const INSTANT_MS = 2500;
const MIN_LETTERS = 20;
/** Shorter texts are repeated by people, too. */
const MIN_WORDS = 4;
/** Texts of so many words in common, as a share, are the same: times, numbers and names in them differ. */
const SAME_SHARE = 0.8;

interface Pattern {
  readonly plain: RegExp;
  readonly hints: readonly RegExp[];
}

const PATTERNS: readonly Pattern[] = Object.values(AUTO_REPLIES).map(({ plain, hints }) => ({
  plain: new RegExp(plain.join('|'), 'iu'),
  hints: hints.map((hint) => new RegExp(hint, 'iu')),
}));

/** Characters that are read. Cut before they are normalised too: one character may become eighteen. */
const MAX_READ = 2000;

const normal = (text: string): string =>
  normalizeText(text.slice(0, MAX_READ), 'NFKC').toLowerCase().replaceAll('ё', 'е').slice(0, MAX_READ);

/** Whether a text is what automatic replies say: that a message has arrived, that somebody will answer, and when. */
export function isAutoReply(text: string): boolean {
  const words = normal(text);
  // Who asks in a few words is a person, even about such replies.
  if (/[?？؟]/u.test(words) && words.split(/\s+/).length < 8) return false;
  return PATTERNS.some(({ plain, hints }) => plain.test(words) || hints.filter((hint) => hint.test(words)).length >= 2);
}

/** Spell a text without what differs each time: numbers, punctuation, spaces. */
const skeletonOf = (text: string): string =>
  normal(text)
    .replace(/\p{N}+/gu, '0')
    .replace(/[^\p{L}\p{N}]+/gu, ' ')
    .trim();

const lettersOf = (text: string): number => text.replace(/[^\p{L}]/gu, '').length;

function isSame(one: string, other: string): boolean {
  if (one === other) return true;
  const [words, others] = [one.split(' '), other.split(' ')];
  if (Math.min(words.length, others.length) < MIN_WORDS) return false;
  const rest = new Set(others);
  const common = words.filter((word) => rest.has(word)).length;
  return (2 * common) / (words.length + others.length) >= SAME_SHARE;
}

/** What the lead has written between two of our messages, last first, and how long after ours its first message came. */
interface Exchange {
  readonly texts: readonly RecentMessage[];
  readonly delay: number;
}

/** Split the messages before one into exchanges that we have answered, the newest first. */
function answeredExchanges(recent: readonly RecentMessage[]): Exchange[] {
  const exchanges: Exchange[] = [];
  let texts: RecentMessage[] = [];
  let isAnswered = false;
  for (const message of recent.toReversed()) {
    if (message.side === 'user') {
      if (isAnswered) texts.push(message);
      continue;
    }
    if (texts.length > 0) exchanges.push({ texts, delay: (texts.at(-1)?.at ?? 0) - message.at });
    texts = [];
    isAnswered = true;
  }
  if (texts.length > 0) exchanges.push({ texts, delay: Number.POSITIVE_INFINITY });
  return exchanges;
}

const isInstant = (delay: number): boolean => Math.abs(delay) <= INSTANT_MS;

/**
 * Whether the one who writes is a program, so that it should not be answered again: it says so a second time, it repeats
 * what we have answered several times, or it always answers faster than anybody reads. `recent`: the messages before,
 * oldest first.
 */
export function isRobot(message: Omit<RecentMessage, 'side'>, recent: readonly RecentMessage[]): boolean {
  const { text, kind, at } = message;
  // Who presses a button needs no time, and words are compared only where there are some.
  if (kind !== 'text' || lettersOf(text) === 0) return false;
  const exchanges = answeredExchanges(recent);
  const recently = ({ at: before }: RecentMessage): boolean => before >= at - DAY_MS;
  if (isAutoReply(text) && exchanges.some(({ texts }) => texts.some((one) => recently(one) && isAutoReply(one.text))))
    return true;
  const within = exchanges.filter(({ texts }) => (texts[0]?.at ?? 0) >= at - WINDOW_MS);
  const lastOurs = recent.findLast(({ side }) => side === 'bot');
  const delay = lastOurs === undefined ? Number.POSITIVE_INFINITY : at - lastOurs.at;
  const skeleton = skeletonOf(text);
  const repeats = within.filter(({ texts }) => texts.some((one) => isSame(skeletonOf(one.text), skeleton)));
  const isWordy = skeleton.split(' ').length >= MIN_WORDS && !/[?？؟]/u.test(text);
  const areInstant =
    isInstant(delay) && repeats.every((one) => isInstant(one.delay) || one.delay === Number.POSITIVE_INFINITY);
  if (repeats.length >= MAX_ANSWERS && (isWordy || areInstant)) return true;
  const instant = within.findIndex(({ texts, delay: before }) => !isInstant(before) || !texts.every(isLong));
  const inARow = instant === -1 ? within.length : instant;
  return isInstant(delay) && lettersOf(text) >= MIN_LETTERS && inARow >= MAX_INSTANT - 1;
}

const isLong = ({ text, kind }: RecentMessage): boolean => kind === 'text' && lettersOf(text) >= MIN_LETTERS;
