/** Evaluates the plan for leads as they are now. */

import type { Reader } from '../platform/db.ts';
import type { Settings } from './facts.ts';
import { type Decision, plan } from './plan.ts';
import {
  type CountersNow,
  type LeadOfProduct,
  readAllCounters,
  readAllSettings,
  readLeadFacts,
} from './store/facts.ts';

/** What the plan decides about a lead, and from what. */
interface Evaluated {
  readonly lead: LeadOfProduct;
  readonly decision: Decision;
  readonly settings: Settings;
  readonly counters: CountersNow;
}

/** Evaluate the plan for leads of any products. */
export async function evaluate(reader: Reader, leadIds: readonly number[]): Promise<Evaluated[]> {
  const leads = await readLeadFacts(reader, leadIds);
  const byProduct = Map.groupBy(leads, (lead) => lead.productId);
  const allSettings = await readAllSettings(reader, [...byProduct.keys()]);
  const allCounters = await readAllCounters(reader, [...allSettings.values()]);
  const byId = new Map(leads.map((lead) => [lead.id, lead]));
  return [...byProduct].flatMap(([productId, ofProduct]) => {
    const settings = allSettings.get(productId);
    const counters = allCounters.get(productId);
    if (!settings || !counters) return [];
    return plan({ leads: ofProduct, counters }, settings, counters.now).flatMap((decision) => {
      const lead = byId.get(decision.leadId);
      return lead ? [{ lead, decision, settings, counters }] : [];
    });
  });
}
