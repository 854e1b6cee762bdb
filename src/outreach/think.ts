/** Asks the plan about leads whose time has come, keeps what it said, and has what is due done. */
import { enqueue } from '../jobs/runner.ts';
import type { Tx } from '../platform/db.ts';
import type { Ground } from '../platform/ground.ts';
import type { Decision } from './plan.ts';
import { plan } from './plan.ts';
import { countersOf, type LeadOfProduct, leadFacts, settingsOf } from './store/facts.ts';
import {
  keepVerdicts,
  replanLeads,
  takeDue,
  takeReplan,
  unholdMessages,
  type Verdict,
  wakeLines,
  whatIsDue,
} from './store/rows.ts';

/** Leads thought about in one transaction; it holds their rows, and whoever writes to one waits as long. */
const BATCH = 200;
/** Batches of one sweep: what is left over is served a second later, by whichever node is first. */
const MOST_BATCHES = 25;
/** What was handed to a job and not heard of again is thought about anew. */
const HANDED_MS = 5 * 60_000;

/** Everything that is due now. */
export async function think(ground: Ground): Promise<void> {
  const { replan, due } = await whatIsDue(ground.reader);
  if (replan) while (await ground.transact(replanOne));
  if (!replan && !due) return;
  for (let batch = 0; batch < MOST_BATCHES; batch++) {
    const { taken, lines } = await ground.transact(async (tx) => {
      const ids = await takeDue(tx, BATCH);
      return { taken: ids.length, lines: await thinkOf(tx, ids) };
    });
    // The jobs begin them at once, also should this life end here; what stands on the row is found by every later sweep.
    if (lines.length > 0) await ground.transact((tx) => wakeLines(tx, lines));
    if (taken < BATCH) return;
  }
}

async function replanOne(tx: Tx): Promise<boolean> {
  const productId = await takeReplan(tx);
  if (productId === undefined) return false;
  await replanLeads(tx, productId);
  await unholdMessages(tx, productId);
  return true;
}

/** Thinks about leads whose rows are held. Gives the products whose lines were joined. */
async function thinkOf(tx: Tx, ids: readonly number[]): Promise<number[]> {
  const byProduct = Map.groupBy(await leadFacts(tx, ids), (lead) => lead.productId);
  const verdicts: Verdict[] = [];
  const lines: number[] = [];
  for (const [productId, leads] of byProduct) {
    const settings = await settingsOf(tx, productId);
    if (!settings) continue;
    const counters = await countersOf(tx, settings);
    const decisions = plan({ leads, counters }, settings, counters.now);
    let joined = false;
    for (const decision of decisions) {
      const verdict = verdictOf(decision, leads, counters.now);
      verdicts.push(verdict);
      joined ||= verdict.line !== null;
      if (decision.kind === 'ping' || decision.kind === 'expire')
        await enqueue(tx, `outreach.${decision.kind}`, { lead: decision.leadId }, `outreach:${decision.leadId}`);
    }
    // By a job, not on the product's row: whoever claims holds that one, and waits for the leads held here.
    if (!joined) continue;
    lines.push(productId);
    await enqueue(tx, 'outreach.first', { product: productId }, `first:${productId}`);
  }
  await keepVerdicts(tx, verdicts);
  return lines;
}

/** What stands on a lead's row until the plan is asked again. */
export function verdictOf(decision: Decision, leads: readonly LeadOfProduct[], now: number): Verdict {
  const { leadId } = decision;
  switch (decision.kind) {
    case 'wait': {
      const { next, until, why, line } = decision;
      return { leadId, nextAt: line ? null : until, line, will: next, willAt: until, why };
    }
    case 'first': {
      const type = leads
        .find((lead) => lead.id === leadId)
        ?.contacts.find((one) => one.id === decision.contactId)?.type;
      const line = type ? { type, dueAt: decision.dueAt } : null;
      return { leadId, nextAt: null, line, will: 'first', willAt: now, why: { code: 'interval' } };
    }
    case 'ping':
    case 'expire':
      return { leadId, nextAt: now + HANDED_MS, line: null, will: decision.kind, willAt: now, why: { code: 'now' } };
    default:
      return decision satisfies never;
  }
}
