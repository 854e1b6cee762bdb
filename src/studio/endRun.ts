/** Concludes runs: what they have found, or which samples are still needed. */
import type { AppContext } from '../platform/appContext.ts';
import type { Tx } from '../platform/db.ts';
import { notify, wakeSweep } from '../platform/notifications.ts';
import type { Threads } from '../platform/threads.ts';
import { kindOf } from './kinds.ts';
import type { Conclusion, FinishedSubject, RunFacts } from './run.ts';
import type { RunState } from './runContract.ts';
import { priceSamples, STUDIO_SWEEP } from './startRun.ts';
import {
  finishRun,
  type LockedRun,
  lockUnconcludedRun,
  readFinishedSubjects,
  readRunFacts,
  startNextRound,
  storeResults,
} from './store/runs.ts';
import { insertSamples, skipOpenSamples } from './store/samples.ts';

/** Rounds after which a run asks for no more samples. */
const MAX_ROUNDS = 10;

/** Conclude all runs without open samples. */
export async function concludeRuns(context: AppContext): Promise<void> {
  const concludeNext = (tx: Tx) =>
    lockUnconcludedRun(tx).then((run) => (run ? conclude(tx, run, context.threads).then(() => true) : false));
  while (await context.transact(concludeNext));
}

/** Conclude a locked run, all of whose samples have ended. */
async function conclude(tx: Tx, run: LockedRun, threads: Threads): Promise<void> {
  const facts = await readRunFacts(tx, run.id);
  if (!facts) return;
  const subjects = await readFinishedSubjects(tx, run.id);
  const concluded = await kindOf(facts.kind).conclude(facts, subjects, {
    round: run.round,
    isWhole: run.round < MAX_ROUNDS,
    threads,
  });
  if (concluded.kind === 'more') return addRound(tx, { run, facts }, concluded);
  const { failed, done, error } = countSamples(subjects);
  const { problem = failed > done ? error : undefined } = concluded;
  const end: End = problem === undefined ? { state: 'done', reason: null } : { state: 'failed', reason: problem };
  await finish(tx, { run, facts }, { concluded, end });
}

function countSamples(subjects: readonly FinishedSubject[]) {
  const samples = subjects.flatMap((subject) => subject.samples);
  const failed = samples.filter(({ state }) => state === 'failed');
  return {
    failed: failed.length,
    done: samples.filter(({ state }) => state === 'done').length,
    error: failed[0]?.error ?? null,
  };
}

async function addRound(
  tx: Tx,
  { run, facts }: { readonly run: LockedRun; readonly facts: RunFacts },
  { samples }: Extract<Conclusion, { kind: 'more' }>,
): Promise<void> {
  const priced = await priceSamples(tx, facts, samples);
  await insertSamples(
    tx,
    run.id,
    priced.samples.map((one, index) => ({ ...one, subjectId: samples[index]?.subjectId ?? 0 })),
  );
  await startNextRound(tx, run.id);
  notify(tx, { topic: 'studio_run', product: run.product_id, ids: [run.id] });
  wakeSweep(tx, STUDIO_SWEEP);
}

interface End {
  readonly state: RunState;
  readonly reason: string | null;
}

/** End a locked run before all of its samples are made. What was found so far stays. */
export async function endRun(
  { threads }: Pick<AppContext, 'threads'>,
  tx: Tx,
  { run, end }: { readonly run: LockedRun; readonly end: End },
): Promise<void> {
  await skipOpenSamples(tx, run.id);
  const facts = await readRunFacts(tx, run.id);
  if (!facts) return;
  const subjects = await readFinishedSubjects(tx, run.id);
  const concluded = await kindOf(facts.kind).conclude(facts, subjects, { round: run.round, isWhole: false, threads });
  if (concluded.kind === 'more') throw new Error(`A ${facts.kind} run that was cut short asks for more samples`);
  await finish(tx, { run, facts }, { concluded, end });
}

async function finish(
  tx: Tx,
  { run, facts }: { readonly run: LockedRun; readonly facts: RunFacts },
  { concluded, end }: { readonly concluded: Extract<Conclusion, { kind: 'done' }>; readonly end: End },
): Promise<void> {
  await storeResults(tx, concluded.results);
  await kindOf(facts.kind).storeFindings?.(tx, run.id);
  await finishRun(tx, run.id, { ...end, verdict: concluded.verdict });
  notify(tx, { topic: 'studio_run', product: run.product_id, ids: [run.id] });
}
