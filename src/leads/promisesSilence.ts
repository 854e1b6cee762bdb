/** Recognises an answer in which the bot promises not to write again: such a promise has to be kept like an opt-out. */
import { type LanguageData, PhraseGrammar, type Reading } from './phraseGrammar.ts';
import promises from './phrases/promises.json' with { type: 'json' };
import { readWords, type Words } from './words.ts';

/** The most characters that are read. An answer is shorter. */
const MOST_CHARACTERS = 10_000;

let grammars: readonly PhraseGrammar[] | undefined;

/**
 * Whether the text promises that its writer will not write again: 'I won't message you again', 'I have removed your number
 * from our list'. A promise under a condition, for a time or about one matter is none, and neither is an offer.
 */
export function promisesSilence(text: string): boolean {
  const languages: readonly LanguageData[] = promises;
  grammars ??= languages.map((data) => new PhraseGrammar(data));
  const message = readWords(text.slice(0, MOST_CHARACTERS));
  return grammars.some((grammar) => hasPromise(message, grammar.read(message, { steps: 0 })));
}

function hasPromise(message: Words, reading: Reading): boolean {
  const conditional = new Set<number | undefined>();
  const promised = new Set<number | undefined>();
  message.words.forEach((_, index) => {
    for (const { end, kind, isAsked } of reading.phrasesFrom(index)) {
      const sentence = message.sentences[index];
      if (kind === 'condition') conditional.add(sentence);
      else if (!isAsked && endsClause(message, reading, end)) promised.add(sentence);
    }
  });
  return [...promised].some((sentence) => !conditional.has(sentence));
}

/** Whether nothing but courtesy stands between a word and the end of its clause. */
function endsClause(message: Words, reading: Reading, index: number): boolean {
  const reached = new Set([index]);
  for (const position of reached) {
    if (message.breaks[position]) return true;
    for (const end of reading.freeFrom(position)) reached.add(end);
  }
  return false;
}
