/** How vendors report what an answer has used, and what is counted. */
import { vendors } from '../../llm/vendors.ts';
import { AnswerBuilder } from '../../llm/wire/answer.ts';
import usage from '../../llm/wire/usage.corpus.json' with { type: 'json' };
import { llmVendors } from '../../products/contract.ts';
import { type Corpus, type CorpusFile, corpusOf } from './corpus.ts';

interface UsageCase {
  readonly kind: string;
  readonly vendor: string;
  readonly events: readonly unknown[];
  readonly input: number | null;
  readonly output: number | null;
}

const file: CorpusFile<UsageCase> = usage;

export const USAGE: Corpus = corpusOf('usage', file, ({ vendor, events, input, output }) => {
  const answer = new AnswerBuilder({ onPiece: () => undefined, onText: () => undefined });
  const read = vendors[llmVendors.find((one) => one === vendor) ?? 'chatgpt'].wire.createReader(answer);
  for (const one of events) read(JSON.stringify(one));
  return {
    input: JSON.stringify(events),
    expected: `${input} in, ${output} out`,
    actual: `${answer.inputTokens} in, ${answer.outputTokens} out`,
  };
});
