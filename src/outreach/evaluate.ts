/** Evaluates the plan for leads as they are now. */

import type { Reader } from '../platform/db.ts';
import type { Hasher } from '../platform/secretCipher.ts';
import type { Counters, Settings } from './facts.ts';
import { type Decision, plan } from './plan.ts';
import { type LeadNow, readAllCounters, readLeadFacts } from './store/facts.ts';
import { readAllSettings } from './store/planSettings.ts';

/** What the plan decides about a lead, and from what. */
interface Evaluated {
  readonly lead: LeadNow;
  readonly decision: Decision;
  readonly settings: Settings;
}

/** What leads after their first message share. */
const NO_COUNTERS: Counters = {
  lastAt: null,
  lastLeadId: null,
  isSending: false,
  sentTodayByChannel: new Map(),
  sentTodayByType: { telegram: 0, whatsapp: 0 },
};

/** Evaluate the plan for leads of any products. */
export async function evaluate(reader: Reader, hasher: Hasher, leadIds: readonly number[]): Promise<Evaluated[]> {
  const leads = await readLeadFacts(reader, hasher, leadIds);
  const byProduct = Map.groupBy(leads, (lead) => lead.productId);
  const allSettings = await readAllSettings(reader, [...byProduct.keys()]);
  const hasFirsts = new Set(leads.flatMap(({ stage, productId }) => (stage === 'initial' ? [productId] : [])));
  const allCounters = await readAllCounters(
    reader,
    [...allSettings.values()].filter(({ productId }) => hasFirsts.has(productId)),
  );
  const byId = new Map(leads.map((lead) => [lead.id, lead]));
  return [...byProduct].flatMap(([productId, ofProduct]) => {
    const settings = allSettings.get(productId);
    const counters = hasFirsts.has(productId) ? allCounters.get(productId) : NO_COUNTERS;
    const [first] = ofProduct;
    if (!settings || !counters || !first) return [];
    return plan({ leads: ofProduct, counters }, settings, first.now).flatMap((decision) => {
      const lead = byId.get(decision.leadId);
      return lead ? [{ lead, decision, settings }] : [];
    });
  });
}
