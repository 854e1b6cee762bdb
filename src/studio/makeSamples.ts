/**
 * Makes the samples of runs: claims as many as there is room for, performs each outside transactions, and stores what
 * its calls brought with what they cost. Leads never wait for it: it uses a share of a model's room, and only what
 * answers to leads leave free.
 */
import type { SweepTools } from '../jobs/sweeps.ts';
import { type RunRow, storeRuns } from '../llm/runs.ts';
import type { AppContext } from '../platform/appContext.ts';
import { retryDelaySeconds } from '../platform/backoff.ts';
import type { Tx } from '../platform/db.ts';
import { failpoint } from '../platform/failpoint.ts';
import { notify } from '../platform/notifications.ts';
import { retryWhileDatabaseUnavailable } from '../platform/retryWhileDatabaseUnavailable.ts';
import { endRun } from './endRun.ts';
import { kindOf } from './kinds.ts';
import { queueOf, roomsOf } from './room.ts';
import type { CallFailure, CallResult, Json, Performed, RunFacts, Work } from './run.ts';
import { lockOpenRun, markRed, readRunFacts } from './store/runs.ts';
import {
  type ClaimedSample,
  changeSample,
  claimSamples,
  failOpenSamples,
  findWaitingModels,
  payCalls,
  recordOutage,
  releaseSample,
  reserveCall,
  SAMPLES,
  type SampleChange,
  storeCall,
} from './store/samples.ts';

/** How often a sample is tried, and how long a run waits for a model that does not answer at all. */
const MAX_ATTEMPTS = 8;
const OUTAGE_MS = 15 * 60_000;
const MAX_RETRY_DELAY_SECONDS = 120;

/** Claim samples and start to make them. Returns whether more may be due at once. */
export async function startSamples(context: AppContext, tools: SweepTools): Promise<boolean> {
  const { concurrency } = context.config;
  const waiting = await findWaitingModels(context.reader);
  const rooms = roomsOf({ concurrency, running: tools.queues(), waiting });
  if (rooms.length === 0) return false;
  const { claimed, exhausted } = await context.transact(async (tx) => {
    const found = await claimSamples(tx, { rooms, claimant: context });
    for (const id of found.exhausted) await stopRun(context, tx, id);
    return found;
  });
  const facts = new Map<number, RunFacts | undefined>();
  for (const sample of claimed) {
    const { run_id: runId } = sample;
    if (!facts.has(runId)) facts.set(runId, await readRunFacts(context.reader, runId));
    const run = facts.get(runId);
    const queue = queueOf({ company_id: sample.company_id, vendor: sample.model_vendor, model: sample.model_name });
    // One that is not started is claimed again when its lease ends.
    if (run) tools.start(queue, `studio ${sample.id}`, () => makeSample(context, { run, sample }).finally(tools.wake));
  }
  return exhausted.length > 0;
}

async function stopRun(context: AppContext, tx: Tx, id: number): Promise<void> {
  const run = await lockOpenRun(tx, id);
  if (!run) return;
  await endRun(context, tx, { run, end: { state: 'stopped', reason: 'The budget does not allow another call.' } });
}

/** A transaction that stores what became of a sample. */
interface Storing {
  readonly context: AppContext;
  readonly tx: Tx;
}

interface SampleInProgress {
  readonly run: RunFacts;
  readonly sample: ClaimedSample;
}

async function makeSample(context: AppContext, { run, sample }: SampleInProgress): Promise<void> {
  const { id } = sample;
  const { signal, end } = context.claims.begin(SAMPLES, [{ id }]);
  try {
    const calls = new SampleCalls(context, sample);
    const performed = await kindOf(run.kind).perform(context, workOf({ run, sample }, calls, signal));
    await retryWhileDatabaseUnavailable(context, () =>
      settle(context, { run, sample, pending: calls.takePending() }, performed),
    );
    failpoint('studio.afterCommit');
  } catch (error) {
    context.log.warn({ sample: id, error: String(error) }, 'a sample of the studio could not be made');
    await retryWhileDatabaseUnavailable(context, () =>
      context.transact((tx) => deferSample({ context, tx }, sample, 'Something went wrong on our side')),
    );
    await releaseSample(context.reader, { id, instanceId: context.instanceId });
  } finally {
    end();
  }
}

function workOf({ run, sample }: SampleInProgress, calls: SampleCalls, signal: AbortSignal): Work {
  const { subject, arm, repeat, outputs } = sample;
  const text = arm === 'candidate' ? run.text : arm === 'live' ? run.liveText : null;
  return { run, subject, arm, repeat, text, outputs, signal, call: (make) => calls.call(make) };
}

/** A call that was made, whose answer and cost are not stored yet. */
interface PendingCall {
  readonly runs: readonly RunRow[];
  /** Null: it failed. */
  readonly answer: { readonly value: Json } | null;
}

/** The calls of a sample in order: first those that are stored, then new ones. */
class SampleCalls {
  private readonly context: AppContext;
  private readonly sample: ClaimedSample;
  private readonly stored: Json[];
  private pending: PendingCall | null = null;
  private hasReserved = true;

  constructor(context: AppContext, sample: ClaimedSample) {
    this.context = context;
    this.sample = sample;
    this.stored = [...sample.calls];
  }

  /** The last call, to be stored with what comes of it. */
  takePending(): PendingCall | null {
    return this.pending;
  }

  async call(make: () => Promise<CallResult>): Promise<CallResult> {
    const existing = this.stored.shift();
    if (existing !== undefined) return { kind: 'answered', value: existing, runs: [] };
    if (this.pending) await this.storePending(this.pending);
    if (!this.hasReserved) return { ...PAUSED, runs: [] };
    failpoint('studio.beforeModel');
    const result = await make();
    failpoint('studio.afterModel');
    this.pending = { runs: result.runs, answer: result.kind === 'answered' ? { value: result.value } : null };
    return result;
  }

  /** Store the last call, and reserve the next one. */
  private async storePending(call: PendingCall): Promise<void> {
    const { context, sample } = this;
    await retryWhileDatabaseUnavailable(context, () =>
      context.transact(async (tx) => {
        const isOurs = await storeCallWithCost({ context, tx }, sample, call);
        this.hasReserved = isOurs && (await reserveCall(tx, sample.id));
        notify(tx, { topic: 'studio_run', product: sample.product_id, ids: [sample.run_id] });
        failpoint('studio.beforeCommit');
      }),
    );
    this.pending = null;
    failpoint('studio.afterCommit');
  }
}

const PAUSED: CallFailure = { kind: 'failed', reason: 'The budget is spent', isPermanent: false, isPaused: true };

/** Store a call: its runs, its cost, and its answer. Returns whether the sample is still this instance's. */
async function storeCallWithCost(
  { context, tx }: Storing,
  { id: sampleId, run_id: runId }: ClaimedSample,
  { runs, answer }: PendingCall,
): Promise<boolean> {
  const paid = await storeRuns(tx, runs);
  // A vendor that reports no usage is taken to have cost what was reserved; one that did not answer, nothing.
  const isUnknown = answer !== null && paid.some(({ cost }) => cost === null);
  const cost = isUnknown ? null : paid.reduce((sum, one) => sum + (one.cost ?? 0), 0);
  const isOurs = await payCalls(tx, { sampleId, runId, instanceId: context.instanceId, cost });
  if (isOurs && answer) await storeCall(tx, sampleId, answer.value);
  return isOurs;
}

/** Store what became of a sample, with its last call, in one transaction. */
async function settle(
  context: AppContext,
  { run, sample, pending }: SampleInProgress & { readonly pending: PendingCall | null },
  performed: Performed,
): Promise<void> {
  await context.transact(async (tx) => {
    const isOurs = await storeCallWithCost({ context, tx }, sample, pending ?? { runs: [], answer: null });
    if (isOurs) await storeResult({ context, tx }, { run, sample }, performed);
    notify(tx, { topic: 'studio_run', product: sample.product_id, ids: [sample.run_id] });
    failpoint('studio.beforeCommit');
  });
}

async function storeResult(storing: Storing, { run, sample }: SampleInProgress, performed: Performed): Promise<void> {
  const { tx } = storing;
  if (performed.kind === 'done') {
    const { output, error = null, violations } = performed;
    await changeSample(tx, sample.id, { kind: 'done', output, error, violations });
    await recordOutage(tx, sample.run_id, false);
    if (kindOf(run.kind).isRed?.(sample.arm, violations)) await markRed(tx, sample.subject_id);
    return;
  }
  if (performed.isPaused) return changeSample(tx, sample.id, { kind: 'release' });
  if (performed.isPermanent) return changeSample(tx, sample.id, { kind: 'failed', error: performed.reason });
  await deferSample(storing, sample, performed.reason);
}

/** Try a sample again later, unless it was tried often enough, or the model has not answered for a long time. */
async function deferSample({ context, tx }: Storing, sample: ClaimedSample, error: string): Promise<void> {
  const { id, run_id: runId, attempts } = sample;
  const failingMs = await recordOutage(tx, runId, true);
  if (failingMs !== null && failingMs > OUTAGE_MS) return failOpenSamples(tx, runId, error);
  const seconds = retryDelaySeconds(context, attempts, MAX_RETRY_DELAY_SECONDS);
  const change: SampleChange =
    attempts + 1 < MAX_ATTEMPTS ? { kind: 'retry', error, seconds } : { kind: 'failed', error };
  await changeSample(tx, id, change);
}
