/** Evaluate the plan for leads that are due, save its results and enqueue what is to be done. */
import { enqueue } from '../jobs/store/enqueue.ts';
import type { AppContext } from '../platform/appContext.ts';
import type { Tx } from '../platform/db.ts';
import { plan } from './plan.ts';
import { type PlanResult, toPlanResult } from './planResult.ts';
import { readAllCounters, readAllSettings, readLeadFacts } from './store/facts.ts';
import { markQueuesDue } from './store/firstMessages.ts';
import {
  checkDue,
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

/** Evaluate every lead that is due now. Returns what a sweep does: when more are due. */
export async function evaluateDue(context: AppContext): Promise<boolean | number> {
  const { replan, due } = await checkDue(context.reader);
  if (replan) while (await context.transact(replanNextProduct));
  if (!replan && !due) return false;
  for (let batch = 0; batch < MAX_BATCHES; batch++) {
    const { count, isComplete } = await context.transact(async (tx) => {
      const ids = await lockDueLeads(tx, BATCH_SIZE);
      return { count: ids.length, isComplete: await evaluateLeads(tx, ids) };
    });
    if (!isComplete) return LOCKED_QUEUE_MS;
    if (count < BATCH_SIZE) return false;
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
 * Evaluate leads whose rows are locked. Returns false if some stay due: they would join a queue that is locked, and who
 * holds it may wait for them.
 */
async function evaluateLeads(tx: Tx, ids: readonly number[]): Promise<boolean> {
  const byProduct = Map.groupBy(await readLeadFacts(tx, ids), (lead) => lead.productId);
  const allSettings = await readAllSettings(tx, [...byProduct.keys()]);
  const allCounters = await readAllCounters(tx, [...allSettings.values()]);
  const results: (PlanResult & { readonly productId: number })[] = [];
  for (const [productId, leads] of byProduct) {
    const settings = allSettings.get(productId);
    const counters = allCounters.get(productId);
    if (!settings || !counters) continue;
    for (const decision of plan({ leads, counters }, settings, counters.now)) {
      results.push({ productId, ...toPlanResult(decision, leads, counters.now) });
      if (decision.kind === 'ping' || decision.kind === 'expire')
        await enqueue(tx, {
          task: `outreach.${decision.kind}`,
          payload: { lead: decision.leadId },
          key: `outreach:${decision.leadId}`,
        });
    }
  }
  const joined = new Set(results.flatMap(({ queue, productId }) => (queue === null ? [] : [productId])));
  const due = await markQueuesDue(tx, [...joined]);
  const stored = results.filter(({ queue, productId }) => queue === null || due.has(productId));
  await savePlanResults(tx, stored);
  return stored.length === results.length;
}
