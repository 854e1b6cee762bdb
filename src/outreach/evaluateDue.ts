/** Evaluate the plan for leads that are due, save its results and enqueue what is to be done. */
import { enqueue } from '../jobs/store/enqueue.ts';
import type { AppContext } from '../platform/appContext.ts';
import type { Tx } from '../platform/db.ts';
import type { Decision } from './plan.ts';
import { plan } from './plan.ts';
import { type LeadOfProduct, readCounters, readLeadFacts, readSettings } from './store/facts.ts';
import {
  checkDue,
  lockDueLeads,
  lockProductToReplan,
  markQueuesDue,
  type PlanResult,
  replanLeads,
  restoreWantedTimes,
  savePlanResults,
} from './store/outreach.ts';

/** Leads evaluated in one transaction. It locks their rows, so writers to them wait that long. */
const BATCH_SIZE = 200;
/** Batches per sweep. The next sweep, a second later on any instance, takes the rest. */
const MAX_BATCHES = 25;
/** Milliseconds after which a lead handed to a job without a result is evaluated again. */
const JOB_TIMEOUT_MS = 5 * 60_000;

/** Evaluate every lead that is due now. */
export async function evaluateDue(context: AppContext): Promise<void> {
  const { replan, due } = await checkDue(context.reader);
  if (replan) while (await context.transact(replanNextProduct));
  if (!replan && !due) return;
  for (let batch = 0; batch < MAX_BATCHES; batch++) {
    const { taken: count, lines: queuedProductIds } = await context.transact(async (tx) => {
      const ids = await lockDueLeads(tx, BATCH_SIZE);
      return { taken: ids.length, lines: await evaluateLeads(tx, ids) };
    });
    // The jobs start these queues at once, even if this instance dies here. The due time on the product's row lets
    // every later sweep find them.
    if (queuedProductIds.length > 0) await context.transact((tx) => markQueuesDue(tx, queuedProductIds));
    if (count < BATCH_SIZE) return;
  }
}

async function replanNextProduct(tx: Tx): Promise<boolean> {
  const productId = await lockProductToReplan(tx);
  if (productId === undefined) return false;
  await replanLeads(tx, productId);
  await restoreWantedTimes(tx, productId);
  return true;
}

/** Evaluate leads whose rows are locked. Returns the ids of products whose queues gained leads. */
async function evaluateLeads(tx: Tx, ids: readonly number[]): Promise<number[]> {
  const byProduct = Map.groupBy(await readLeadFacts(tx, ids), (lead) => lead.productId);
  const results: PlanResult[] = [];
  const queuedProductIds: number[] = [];
  for (const [productId, leads] of byProduct) {
    const settings = await readSettings(tx, productId);
    if (!settings) continue;
    const counters = await readCounters(tx, settings);
    const decisions = plan({ leads, counters }, settings, counters.now);
    let hasQueued = false;
    for (const decision of decisions) {
      const result = toPlanResult(decision, leads, counters.now);
      results.push(result);
      hasQueued ||= result.queue !== null;
      if (decision.kind === 'ping' || decision.kind === 'expire')
        await enqueue(tx, {
          task: `outreach.${decision.kind}`,
          payload: { lead: decision.leadId },
          key: `outreach:${decision.leadId}`,
        });
    }
    // Enqueue a job instead of updating the product's row: a claiming transaction locks that row first and then waits
    // for the leads locked here.
    if (!hasQueued) continue;
    queuedProductIds.push(productId);
    await enqueue(tx, { task: 'outreach.first', payload: { product: productId }, key: `first:${productId}` });
  }
  await savePlanResults(tx, results);
  return queuedProductIds;
}

/** Convert a decision into the state stored on the lead's row until the next evaluation. */
export function toPlanResult(decision: Decision, leads: readonly LeadOfProduct[], now: number): PlanResult {
  const { leadId } = decision;
  switch (decision.kind) {
    case 'wait': {
      const { next, until, reason, queue } = decision;
      return { leadId, nextAt: queue ? null : until, queue, nextAction: next, nextActionAt: until, reason };
    }
    case 'first': {
      const type = leads
        .find((lead) => lead.id === leadId)
        ?.contacts.find((one) => one.id === decision.contactId)?.type;
      const queue = type ? { type, dueAt: decision.dueAt } : null;
      return { leadId, nextAt: null, queue, nextAction: 'first', nextActionAt: now, reason: { code: 'interval' } };
    }
    case 'ping':
    case 'expire':
      return {
        leadId,
        nextAt: now + JOB_TIMEOUT_MS,
        queue: null,
        nextAction: decision.kind,
        nextActionAt: now,
        reason: { code: 'now' },
      };
    default:
      return decision satisfies never;
  }
}
