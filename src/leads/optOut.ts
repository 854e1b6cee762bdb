/**
 * Recognises, before any model runs, what a lead's text says about being written to. A plain request must never be
 * answered with an offer; a customer who asks for something else must never be silenced. So a request is certain only
 * where the whole message is one: each word belongs to a request, to a reason that needs no answer, or to courtesy. What
 * only hints at such a request is left to the conversation.
 */
import { remembered } from '../platform/remembered.ts';
import { type Meter, PhraseGrammar, type Reading } from './phraseGrammar.ts';
import { LANGUAGES } from './phrases/languages.ts';
import { foldWord, readWords, type Words } from './words.ts';

export type OptOut = 'certain' | 'doubtful' | 'none';

/** What has been found among the words so far, as bits. */
const REQUEST = 1;
const KEYWORD = 2;
const REASON = 4;
const STORY = 8;
const BARE = 16;
/** What a phrase may add by its kind. Others are never part of a certain request. */
const PARTS: Readonly<Record<string, readonly number[]>> = {
  /** Asks not to be written to: 'don't text me'. */
  request: [REQUEST],
  /** The same in one word, which may also stop something else: 'stop'. */
  keyword: [KEYWORD],
  /**
   * A keyword of carriers that is as often the answer to a question of ours, or a word of another language: 'cancel'. Alone
   * it is doubtful.
   */
  bare: [BARE],
  /** One that is mostly meant as a keyword, and is one in capitals and beside a request: 'BAJA'. */
  command: [0, BARE],
  /** Why, with nothing to answer: 'wrong number'. */
  refusal: [0],
  /** Why, but beside a keyword it may be about an order: 'I have changed my mind'. */
  reason: [REASON],
  /** Why, in free words: 'I already have a provider'. A request that may be meant for now is not certain beside it. */
  story: [STORY],
};
/** The most characters that are read. Of a longer text, the beginning and the end are looked at for hints. */
const MOST_CHARACTERS = 5000;
/** Kinds of words that alone are doubtful. */
const AMBIGUOUS: ReadonlySet<string> = new Set(['bare', 'command']);
/** Signs that say 'stop' where nothing else is said. */
const NO_ENTRY = /[🛑🚫⛔]/u;
/** Who laughs is joking, perhaps. */
const LAUGHTER = /[😂🤣😄😆😁😹😜😝]/u;

let grammars: readonly PhraseGrammar[] | undefined;
/** Negations that are written together with the next word, in any language. */
const GLUED = [...new Set(LANGUAGES.flatMap(({ glued }) => glued ?? []))];

/** Words that say that a request is not meant for now only, in any language: 'again', 'never', 'remove'. */
const LASTING = new Set(LANGUAGES.flatMap(({ lasting }) => lasting ?? []).map(foldWord));
const CEASING = new Set(LANGUAGES.flatMap(({ ceasing }) => ceasing ?? []).map(foldWord));

/**
 * Recognise what the text asks for. `certain`: not to be written to any more. `doubtful`: perhaps that. `none`: nothing of
 * the kind. A message is read when it comes and when it is answered: the second time, the result is remembered.
 */
export const recogniseOptOut = remembered<OptOut>(1000, (text) => recogniseOptOutIn(text));

/** Recognise it without remembering. The work grows with the length of the text; `meter` counts its steps. */
export function recogniseOptOutIn(text: string, meter: Meter = { steps: 0 }): OptOut {
  grammars ??= LANGUAGES.map((data) => new PhraseGrammar(data));
  const isLong = text.length > MOST_CHARACTERS;
  const part = isLong ? `${text.slice(0, MOST_CHARACTERS / 2)}\n${text.slice(-MOST_CHARACTERS / 2)}` : text;
  const message = unglued(readWords(part), grammars);
  if (message.words.length === 0) return NO_ENTRY.test(part) ? 'doubtful' : 'none';
  const readings = grammars.map((grammar) => grammar.read(message, meter));
  const mayBeCertain =
    !isLong &&
    !message.hasQuotation &&
    !LAUGHTER.test(part) &&
    !readings.some((reading) => isOtherwise(message, reading));
  const whole = partsOfWhole(message, readings);
  if (mayBeCertain && somePart(whole, (parts) => isRequest(parts, message))) return 'certain';
  const isDoubtful =
    somePart(whole, (parts) => (parts & BARE) > 0) || readings.some((reading) => hasHint(message, reading));
  return isDoubtful ? 'doubtful' : 'none';
}

/**
 * Find the sets of parts of which the message may consist: requests, reasons and courtesy, and nothing else. Where a clause
 * ends, the next may be in another language. For each word and language: the sets that may have been found before it, if
 * all words before it are covered.
 */
function partsOfWhole(message: Words, readings: readonly Reading[]): PartSets {
  const size = message.words.length;
  const covers: PartSets[][] = [readings.map(() => EMPTY)];
  for (let index = 0; index < size; index += 1) {
    const here = covers[index];
    if (!here) continue;
    const all = message.breaks[index] ? here.reduce((one, other) => one | other, NOTHING) : NOTHING;
    for (const [language, reading] of readings.entries()) {
      const before = all || (here[language] ?? NOTHING);
      if (before === NOTHING) continue;
      const reach = (end: number, part: number): void => {
        const there = (covers[end] ??= readings.map(() => NOTHING));
        there[language] = (there[language] ?? NOTHING) | withPart(before, part);
      };
      for (const end of reading.freeFrom(index)) reach(end, 0);
      for (const { end, kind, isAsked } of reading.phrasesFrom(index)) {
        if (isAsked) continue;
        if (kind === 'command' && message.isInCapitals) reach(end, KEYWORD);
        if (kind === 'request' && readings.some((other) => isAmbiguous(other, index, end))) continue;
        for (const part of PARTS[kind] ?? []) reach(end, part);
      }
    }
  }
  return (covers[size] ?? []).reduce((one, other) => one | other, NOTHING);
}

/** Whether these words alone are doubtful in a language. */
const isAmbiguous = (reading: Reading, start: number, end: number): boolean =>
  reading.phrasesFrom(start).some((one) => one.end === end && AMBIGUOUS.has(one.kind));

/** Sets of parts: bit n stands for the set n. */
type PartSets = number;
const NOTHING: PartSets = 0;
/** The empty set alone. */
const EMPTY: PartSets = 1;
const MOST_PARTS = 2 * BARE;

function withPart(sets: PartSets, part: number): PartSets {
  let result = NOTHING;
  for (let parts = 0; parts < MOST_PARTS; parts += 1) if ((sets >>> parts) & 1) result |= 1 << (parts | part);
  return result;
}

function somePart(sets: PartSets, holds: (parts: number) => boolean): boolean {
  for (let parts = 0; parts < MOST_PARTS; parts += 1) if ((sets >>> parts) & 1 && holds(parts)) return true;
  return false;
}

/** Whether these parts are a request. */
function isRequest(parts: number, { words }: Words): boolean {
  if ((parts & BARE) > 0) return false;
  if ((parts & REQUEST) === 0) return (parts & (KEYWORD | REASON | STORY)) === KEYWORD;
  return (parts & STORY) === 0 || words.some((word) => LASTING.has(word) || CEASING.has(word));
}

/** Whether words say that a request beside them is none: 'don't stop', 'oh, stop'. */
function isOtherwise(message: Words, reading: Reading): boolean {
  return message.words.some((_, index) =>
    reading.phrasesFrom(index).some(({ kind }) => kind === 'otherwise' || kind === 'harmless'),
  );
}

/** Whether a request or a hint is anywhere in the message. A keyword counts only as a clause of its own. */
function hasHint(message: Words, reading: Reading): boolean {
  let harmlessUntil = 0;
  for (let index = 0; index < message.words.length; index += 1) {
    const found = reading.phrasesFrom(index);
    for (const { end, kind } of found) if (kind === 'harmless') harmlessUntil = Math.max(harmlessUntil, end);
    if (index < harmlessUntil) continue;
    for (const { end, kind } of found) {
      if (kind === 'request' || kind === 'hint') return true;
      if (kind === 'keyword' && message.breaks[index] && message.breaks[end]) return true;
    }
  }
  return false;
}

/** Separate negations from the words that people write together with them: 'непишите'. */
function unglued(message: Words, languages: readonly PhraseGrammar[]): Words {
  const splits = message.words.map((word) => {
    if (languages.some((one) => one.knows(word))) return null;
    const prefix = GLUED.find(
      (one) => word.startsWith(one) && languages.some((two) => two.knows(word.slice(one.length))),
    );
    return prefix ? [prefix, word.slice(prefix.length)] : null;
  });
  if (splits.every((split) => split === null)) return message;
  const twice = <T>(values: readonly T[]): T[] => values.flatMap((one, index) => (splits[index] ? [one, one] : [one]));
  return {
    ...message,
    words: message.words.flatMap((word, index) => splits[index] ?? [word]),
    breaks: message.breaks.flatMap((one, index) => (splits[index] ? [one, false] : [one])),
    isColon: message.isColon.flatMap((one, index) => (splits[index] ? [one, false] : [one])),
    isComma: message.isComma.flatMap((one, index) => (splits[index] ? [one, false] : [one])),
    isAsked: twice(message.isAsked),
    sentences: twice(message.sentences),
    isCapital: twice(message.isCapital),
  };
}
