/**
 * Replay: each answer of the bot in real dialogues is generated again from its real history, by the candidate and by what
 * is live, and what changed beyond noise is shown. Nothing is predicted beyond the first change of a dialogue.
 */
import type { AppContext } from '../../platform/appContext.ts';
import { Refusal } from '../../platform/refuse.ts';
import { answerSample } from '../answerSample.ts';
import { type CaseOfMessage, readCaseOfMessage } from '../caseOfMessage.ts';
import { judgePair } from '../judge/judgePair.ts';
import type { Performed, RunKindPlan, Work } from '../run.ts';
import { studioOutput } from '../runContract.ts';
import { storePairsOfRun } from '../store/pairs.ts';
import { concludeInThread } from './inThread.ts';
import { laterSamples, planReplay } from './planReplay.ts';
import { type ReplayInput, replayInput } from './replayInput.ts';
import { replayResult, replayVerdict } from './replayResult.ts';

export const replayKind: RunKindPlan = {
  kind: 'replay',
  promptTypes: ['prompt'],
  plan: planReplay,
  later: laterSamples,
  perform: performReplay,
  conclude: concludeInThread,
  storeFindings: storePairsOfRun,
  toVerdict: replayVerdict,
  toResult: (result) => replayResult.safeParse(result).data ?? {},
};

async function performReplay(context: AppContext, work: Work): Promise<Performed> {
  const input = replayInput.parse(work.subject.input);
  if (work.arm === 'judge') return performJudge(context, work, input);
  const found = await readTurn(context, work, input);
  if (found.kind === 'failed') return found;
  const { facts, history } = found.turn;
  const answer = await answerSample(context, work, { text: work.text ?? '', facts, history });
  if (answer.kind === 'failed') return answer;
  if (answer.kind === 'no_answer') {
    const { violation } = answer;
    return { kind: 'done', output: null, error: violation.detail, violations: [violation] };
  }
  const { output, unusable } = answer;
  const violations = unusable === null ? [] : [{ kind: 'unusable', detail: `It would not be sent. ${unusable}.` }];
  return { kind: 'done', output, violations };
}

/** Read the conversation and the facts as they were when the message was written. */
async function readTurn(
  context: AppContext,
  { run }: Work,
  { message_id: messageId }: ReplayInput,
): Promise<{ readonly kind: 'found'; readonly turn: CaseOfMessage } | Extract<Performed, { kind: 'failed' }>> {
  try {
    const turn = await readCaseOfMessage(context.reader, { messageId, productId: run.product.id });
    return { kind: 'found', turn };
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    return { kind: 'failed', reason: error.message, isPermanent: true, isPaused: false };
  }
}

function performJudge(context: AppContext, work: Work, { code }: ReplayInput): Promise<Performed> {
  const outputOf = (wanted: 'candidate' | 'live') => {
    const found = work.outputs.find(({ arm, repeat }) => arm === wanted && repeat === 0);
    return studioOutput.parse(found?.output ?? { text: '', hand_over: null, stage: null, tools: [] });
  };
  const { history } = work.subject;
  return judgePair(context, work, { history, candidate: outputOf('candidate'), live: outputOf('live'), code });
}
