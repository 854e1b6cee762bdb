/** Answers of the bot that promise not to write again, and those that sound like it. */
import promises from '../../leads/promisesSilence.corpus.json' with { type: 'json' };
import { promisesSilence } from '../../leads/promisesSilence.ts';
import { type CorpusFile, corpusOf } from './corpus.ts';

interface PromiseCase {
  readonly kind: string;
  readonly language: string;
  readonly input: string;
}

const file: CorpusFile<PromiseCase> = promises;

export const PROMISES = corpusOf('promises', file, ({ kind, input }) => ({
  input,
  expected: kind === 'promise' ? 'promise' : 'none',
  actual: promisesSilence(input) ? 'promise' : 'none',
}));
