/** What leads say about being written to. */
import optOuts from '../../leads/optOut.corpus.json' with { type: 'json' };
import { recogniseOptOut } from '../../leads/optOut.ts';
import { type Corpus, type CorpusFile, corpusOf } from './corpus.ts';

interface OptOutCase {
  readonly kind: string;
  readonly language: string;
  readonly input: string;
  /** `certain`, `doubtful`, `none`, or `harmless`: not certain, whichever of the other two. */
  readonly verdict: string;
}

const file: CorpusFile<OptOutCase> = optOuts;

const judged = corpusOf('opt-outs', file, ({ input, verdict }) => {
  const actual = recogniseOptOut(input);
  return { input, expected: verdict, actual: verdict === 'harmless' && actual !== 'certain' ? 'harmless' : actual };
});

/** A customer who asks for something else and is silenced for good is the worst error. */
export const OPT_OUTS: Corpus = {
  ...judged,
  isWorst: ({ expected, actual }) => expected !== actual && actual === 'certain',
};
