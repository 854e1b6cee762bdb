/** Evaluate the plan for leads that are due, save its results and claim the leads that something is done for now. */
import type { AppContext } from '../platform/appContext.ts';
import type { Tx } from '../platform/db.ts';
import type { Claimant } from '../platform/lease.ts';
import { evaluate } from './evaluate.ts';
import type { Decision } from './plan.ts';
import { type PlanResult, toPlanResult } from './planResult.ts';
import { markQueuesDue } from './store/firstMessages.ts';
import {
  claimLeads,
  lockDueLeads,
  lockProductToReplan,
  replanLeads,
  restoreWantedTimes,
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

/** Evaluate every lead that is due now. `act` does what is due. Returns what a sweep does: when more are due. */
export async function evaluateDue(
  context: AppContext,
  act: (due: readonly DueAction[]) => Promise<void>,
): Promise<boolean | number> {
  for (let batch = 0; batch < MAX_BATCHES; batch++) {
    const { replan, count, isComplete, actions } = await context.transact(async (tx) => {
      const { replan, ids } = await lockDueLeads(tx, BATCH_SIZE);
      return { replan, count: ids.length, ...(await evaluateLeads(tx, ids, context)) };
    });
    await act(actions);
    const isReplanned = replan && batch === 0;
    if (isReplanned) while (await context.transact(replanNextProduct));
    if (!isComplete) return LOCKED_QUEUE_MS;
    if (count < BATCH_SIZE && !isReplanned) return false;
  }
  return true;
}

async function replanNextProduct(tx: Tx): Promise<boolean> {
  const productId = await lockProductToReplan(tx);
  if (productId === undefined) return false;
  await replanLeads(tx, productId);
  await restoreWantedTimes(tx, productId);
  return true;
}

/**
 * Evaluate leads whose rows are locked, and claim those that something is due for. Not complete if some stay due: they
 * would join a queue that is locked, and its holder may wait for them.
 */
async function evaluateLeads(
  tx: Tx,
  ids: readonly number[],
  claimant: Claimant,
): Promise<{ isComplete: boolean; actions: DueAction[] }> {
  const results: (PlanResult & { readonly productId: number })[] = [];
  const actions: DueAction[] = [];
  for (const { lead, decision } of await evaluate(tx, ids)) {
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
    claimant,
  );
  return { isComplete: stored.length === results.length, actions };
}
