/** Evaluate the plan for leads that are due, save its results and claim the leads that something is done for now. */

import { restoreMoved } from '../engine/steps/restoreMoved.ts';
import { carryOptOuts } from '../leads/store/optOuts.ts';
import type { AppContext } from '../platform/appContext.ts';
import type { Tx } from '../platform/db.ts';
import { tryHalves } from '../platform/inHalves.ts';
import { evaluate } from './evaluate.ts';
import type { Decision } from './plan.ts';
import { type PlanResult, toPlanResult } from './planResult.ts';
import { markQueuesDue } from './store/firstMessages.ts';
import {
  claimLeads,
  deferEvaluation,
  lockDueLeads,
  lockProductToReplan,
  replanLeads,
  savePlanResults,
} from './store/outreach.ts';

/** Leads evaluated in one transaction. It locks their rows, so writers to them wait that long. */
const BATCH_SIZE = 200;
/** Batches per sweep, after which the other work of the sweep has its turn. */
const MAX_BATCHES = 25;
/** Milliseconds until leads are evaluated whose queue was locked. */
const LOCKED_QUEUE_MS = 50;

/** A lead that this instance has claimed, and what is due for it. */
export interface DueAction {
  readonly leadId: number;
  readonly productId: number;
  readonly decision: Extract<Decision, { kind: 'ping' | 'expire' }>;
}

interface Evaluation {
  /** False if some leads stay due, since their queue is locked. */
  readonly isComplete: boolean;
  readonly actions: readonly DueAction[];
}

/** Evaluate every lead that is due now. `act` does what is due. Returns what a sweep does: when more are due. */
export async function evaluateDue(
  context: AppContext,
  act: (due: readonly DueAction[]) => Promise<void>,
): Promise<boolean | number> {
  for (let batch = 0; batch < MAX_BATCHES; batch++) {
    const { replan, count, isComplete, actions } = await evaluateBatch(context);
    await act(actions);
    const isReplanned = replan && batch === 0;
    if (isReplanned) while (await context.transact(replanNextProduct));
    if (!isComplete) return LOCKED_QUEUE_MS;
    if (count < BATCH_SIZE && !isReplanned) return false;
  }
  return true;
}

interface Batch extends Evaluation {
  /** Whether the settings of a product have changed. */
  readonly replan: boolean;
  /** Leads that were due. */
  readonly count: number;
}

/** Evaluate leads that are due, in one transaction. One that cannot be evaluated is deferred, and keeps no others. */
async function evaluateBatch(context: AppContext): Promise<Batch> {
  let due: Awaited<ReturnType<typeof lockDueLeads>> = { replan: false, ids: [] };
  const evaluateLocked = async (tx: Tx, which: readonly number[] | number) => {
    const locked = await lockDueLeads(tx, which);
    if (typeof which === 'number') due = locked;
    return evaluateLeads(tx, locked.ids, context);
  };
  const evaluated = await context
    .transact((tx) => evaluateLocked(tx, BATCH_SIZE))
    .then((one) => [one])
    .catch((error: unknown) =>
      tryHalves(error, due.ids, {
        work: (ids) => context.transact((tx) => evaluateLocked(tx, ids)),
        onFailure: (leadId, failure) => deferFailed(context, leadId, failure),
      }),
    );
  return {
    replan: due.replan,
    count: due.ids.length,
    isComplete: evaluated.every(({ isComplete }) => isComplete),
    actions: evaluated.flatMap(({ actions }) => actions),
  };
}

async function deferFailed(context: AppContext, leadId: number, error: unknown): Promise<Evaluation> {
  context.log.error({ lead: leadId, error: String(error) }, 'a lead cannot be evaluated');
  const reason = { code: 'text', reason: 'An error in Rapport: what is due cannot be determined' } as const;
  await deferEvaluation(context.reader, { leadId, reason, pauseSeconds: context.config.retryBaseSeconds });
  return { isComplete: true, actions: [] };
}

async function replanNextProduct(tx: Tx): Promise<boolean> {
  const productId = await lockProductToReplan(tx);
  if (productId === undefined) return false;
  await replanLeads(tx, productId);
  await restoreMoved(tx, { productId });
  return true;
}

/**
 * Evaluate leads whose rows are locked, and claim those that something is due for. Not complete if some stay due: they
 * would join a queue that is locked, and its holder may wait for them.
 */
async function evaluateLeads(tx: Tx, ids: readonly number[], context: AppContext): Promise<Evaluation> {
  const results: (PlanResult & { readonly productId: number })[] = [];
  const actions: DueAction[] = [];
  const evaluated = await evaluate(tx, context.cipher, ids);
  const optedOut = evaluated.flatMap(({ lead }) => (lead.personOptOut ? lead.id : []));
  await carryOptOuts(tx, context.cipher, optedOut);
  for (const { lead, decision } of evaluated) {
    const { id: leadId, productId } = lead;
    results.push({ productId, ...toPlanResult(decision, [lead], lead.now) });
    if (decision.kind === 'ping' || decision.kind === 'expire') actions.push({ leadId, productId, decision });
  }
  const joined = new Set(results.flatMap(({ queue, productId }) => (queue === null ? [] : [productId])));
  const due = await markQueuesDue(tx, [...joined]);
  const stored = results.filter(({ queue, productId }) => queue === null || due.has(productId));
  await savePlanResults(tx, stored);
  await claimLeads(
    tx,
    actions.map(({ leadId }) => leadId),
    context,
  );
  return { isComplete: stored.length === results.length, actions };
}
