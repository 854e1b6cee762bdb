/** Reads and compares the texts of a replay in a thread, with a time budget. */
import { refuse } from '../../platform/refuse.ts';
import { BudgetExceeded } from '../../platform/threads.ts';
import type { Checking } from '../checks/inThread.ts';
import type { Concluding, Conclusion, FinishedSubject, RunFacts } from '../run.ts';
import { studioRefusals } from '../runContract.ts';
import type { ReplayInput } from './replayInput.ts';
import type { ReplayResult } from './replayResult.ts';
import { replayThreadKind } from './replayThreadKind.ts';

/** Return the facts of each text. Refuses more text than can be read in time (`studio.too_much_text`). */
export async function readFactsInThread(
  { threads, companyId }: Checking,
  texts: readonly string[],
): Promise<ReadonlyMap<string, ReplayInput['context_facts']>> {
  try {
    const reply = await threads.run(replayThreadKind, { key: String(companyId), input: { do: 'facts', texts } });
    if (reply.do !== 'facts') throw new Error(`Facts were answered with ${reply.do}`);
    return new Map(reply.facts.flatMap((facts, index) => [[texts[index] ?? '', facts]]));
  } catch (error) {
    if (error instanceof BudgetExceeded) throw refuse(studioRefusals, 'studio.too_much_text');
    throw error;
  }
}

/** Conclude a replay like `concludeReplay`. One that takes too long has failed: nothing is known of its turns. */
export async function concludeInThread(
  run: RunFacts,
  subjects: readonly FinishedSubject[],
  { round, isWhole, threads }: Concluding,
): Promise<Conclusion> {
  const key = String(run.product.company_id);
  try {
    const input = { do: 'conclude' as const, run, subjects, more: { round, isWhole } };
    const reply = await threads.run(replayThreadKind, { key, input });
    if (reply.do !== 'conclude') throw new Error(`A conclusion was answered with ${reply.do}`);
    return reply.conclusion;
  } catch (error) {
    if (!(error instanceof BudgetExceeded)) throw error;
    return {
      kind: 'done',
      verdict: { with_judge: run.withJudge },
      problem: `Comparing the answers took longer than ${replayThreadKind.budgetMs / 1000} seconds. Replay fewer dialogues.`,
      results: subjects.map(({ id }) => ({ subjectId: id, state: 'missing', rank: 0, result: NOTHING_KNOWN })),
    };
  }
}

const NOTHING_KNOWN = { change: null, diverged: false, judged: null } satisfies ReplayResult;
