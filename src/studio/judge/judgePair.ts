/** Has a judge compare two answers in both orders. */
import type { AppContext } from '../../platform/appContext.ts';
import { askSample } from '../answerSample.ts';
import type { Preference } from '../judgeContract.ts';
import type { Performed, Work } from '../run.ts';
import { judgeName } from './calibration.ts';
import {
  buildPreferencePrompt,
  type ComparedAnswer,
  type Comparison,
  formatComparison,
  isCandidateFirst,
  JUDGE_PROMPT,
  preferenceOf,
  preferenceQuestion,
  wordsOf,
} from './question.ts';

interface ComparedPair {
  readonly history: Comparison['history'];
  readonly candidate: ComparedAnswer;
  readonly live: ComparedAnswer;
  /** What the judge has to repeat. It also decides by lot which answer comes first. */
  readonly code: string;
}

/** Compare the answers of candidate and live. The judgement is the sample's output. */
export async function judgePair(context: AppContext, work: Work, pair: ComparedPair): Promise<Performed> {
  const { history, candidate, live, code } = pair;
  const isFirst = isCandidateFirst(code);
  const [first, second] = isFirst ? [candidate, live] : [live, candidate];
  const order = await askPreference(context, work, { comparison: { history, first, second }, code });
  if (order.kind === 'failed') return order;
  const mirrored = { history, first: second, second: first };
  const reverse = await askPreference(context, work, { comparison: mirrored, code });
  if (reverse.kind === 'failed') return reverse;
  const both = { order: order.preference, reverse: reverse.preference };
  return {
    kind: 'done',
    output: {
      text: '',
      hand_over: null,
      stage: null,
      tools: [],
      first: wordsOf(first),
      second: wordsOf(second),
      is_candidate_first: isFirst,
      judge: judgeName(work.run.settings.judge),
      ...both,
      judged: preferenceOf(both),
    },
    violations: [],
  };
}

async function askPreference(
  context: AppContext,
  work: Work,
  { comparison, code }: { readonly comparison: Comparison; readonly code: string },
): Promise<{ readonly kind: 'preferred'; readonly preference: Preference } | Extract<Performed, { kind: 'failed' }>> {
  const question = preferenceQuestion(code);
  const asked = await askSample(context, work, {
    question,
    name: JUDGE_PROMPT.name,
    system: buildPreferencePrompt(question),
    content: formatComparison(comparison),
    model: work.run.settings.judge,
  });
  if (asked.kind === 'judged') return { kind: 'preferred', preference: asked.value.better };
  if (asked.kind === 'failed') return asked;
  return { kind: 'failed', reason: asked.reason, isPermanent: true, isPaused: false };
}
