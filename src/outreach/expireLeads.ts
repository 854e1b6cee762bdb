/** Moves leads that have been silent for too long to stage `ignore`. */

import { findLeadsWithUnprocessedInbound } from '../conversations/store/unprocessed.ts';
import { type CancelPending, changeStages } from '../leads/changeStage.ts';
import { lockLeads } from '../leads/store.ts';
import type { AppContext } from '../platform/appContext.ts';
import { countOf } from '../platform/numericText.ts';
import { evaluate } from './evaluate.ts';

/**
 * Expire the leads for which the plan still says so, in one transaction. One that has written what is not processed yet
 * is evaluated again later.
 */
export async function expireLeads(
  context: AppContext,
  cancelPending: CancelPending,
  leadIds: readonly number[],
): Promise<void> {
  if (leadIds.length === 0) return;
  await context.transact(async (tx) => {
    await lockLeads(tx, leadIds);
    const unprocessed = await findLeadsWithUnprocessedInbound(tx, leadIds);
    const expired = (await evaluate(tx, context.cipher, leadIds)).filter(
      ({ lead, decision }) => decision.kind === 'expire' && !unprocessed.has(lead.id),
    );
    for (const [hours, evaluated] of Map.groupBy(expired, ({ settings }) => settings.expiresHours))
      await changeStages(tx, {
        changes: evaluated.map(({ lead: { id } }) => ({ id, stage: 'ignore' })),
        by: `expired after ${countOf(hours, 'hour')} of silence`,
        cancelPending,
      });
  });
}
