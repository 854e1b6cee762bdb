/** A lead that has been silent for too long moves to stage `ignore`. */
import { changeStage } from '../leads/changeStage.ts';
import { holdLead } from '../leads/known.ts';
import type { Ground } from '../platform/ground.ts';
import { plan } from './plan.ts';
import { countersOf, leadFacts, settingsOf } from './store/facts.ts';

type Silence = Parameters<typeof changeStage>[4];

/** Expires the lead if the plan still says so, in one transaction. */
export async function expire(ground: Ground, silence: Silence, leadId: number): Promise<void> {
  await ground.transact(async (tx) => {
    await holdLead(tx, leadId);
    const [lead] = await leadFacts(tx, [leadId]);
    const settings = lead ? await settingsOf(tx, lead.productId) : undefined;
    if (!lead || !settings) return;
    const counters = await countersOf(tx, settings);
    const [decision] = plan({ leads: [lead], counters }, settings, counters.now);
    if (decision?.kind === 'expire')
      await changeStage(tx, leadId, 'ignore', `expired after ${settings.expiresHours} hours of silence`, silence);
  });
}
