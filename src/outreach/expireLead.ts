/** Move a lead that has been silent for too long to stage `ignore`. */

import { type CancelPending, changeStage } from '../leads/changeStage.ts';
import { lockLead } from '../leads/store.ts';
import type { AppContext } from '../platform/appContext.ts';
import { countOf } from '../platform/numericText.ts';
import { plan } from './plan.ts';
import { readCounters, readLeadFacts, readSettings } from './store/facts.ts';

/** Expire the lead if the plan still says so, in one transaction. */
export async function expireLead(context: AppContext, cancelPending: CancelPending, leadId: number): Promise<void> {
  await context.transact(async (tx) => {
    await lockLead(tx, leadId);
    const [lead] = await readLeadFacts(tx, [leadId]);
    const settings = lead ? await readSettings(tx, lead.productId) : undefined;
    if (!lead || !settings) return;
    const counters = await readCounters(tx, settings);
    const [decision] = plan({ leads: [lead], counters }, settings, counters.now);
    if (decision?.kind === 'expire')
      await changeStage(tx, {
        id: leadId,
        stage: 'ignore',
        by: `expired after ${countOf(settings.expiresHours, 'hour')} of silence`,
        cancelPending,
      });
  });
}
