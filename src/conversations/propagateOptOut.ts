/** Has the other leads of a person follow its wish to get no more messages, or to get some again. */
import { cancelWaiting } from '../engine/steps/cancelWaiting.ts';
import { deactivate } from '../leads/changeStage.ts';
import { OPT_OUT_REASONS } from '../leads/personOptOut.ts';
import { findOtherLeadsOfPerson } from '../leads/store/identities.ts';
import { readOptOuts } from '../leads/store/optOuts.ts';
import { type LeadRow, lockLead } from '../leads/store.ts';
import type { AppContext } from '../platform/appContext.ts';
import { retryDelaySeconds } from '../platform/backoff.ts';
import type { Tx } from '../platform/db.ts';
import { failpoint } from '../platform/failpoint.ts';
import { notify } from '../platform/notifications.ts';
import { endQuestions, readProductOfLead, replanLead } from './optOut.ts';
import { cancelPending } from './ownership.ts';
import {
  claimPropagation,
  deferPropagation,
  endPropagation,
  PROPAGATIONS,
  releasePropagation,
} from './store/optOutPropagations.ts';

/** Who deactivates the other leads. Not the lead: outcomes count one opt-out of one person. */
const SAME_PERSON = 'same person';

/** The longest pause between two tries. They never end: what failed is mended some day, and the wish still holds. */
const MAX_RETRY_DELAY_SECONDS = 6 * 3600;

/** Have the person's other leads follow a lead, if that is due and no other instance has claimed it. Throws if one failed. */
export async function propagateOptOut(context: AppContext, leadId: number): Promise<void> {
  const row = await claimPropagation(context.reader, leadId, context);
  if (!row) return;
  failpoint('optOut.afterClaim');
  try {
    const failures = await context.claims.hold(PROPAGATIONS, [{ lead_id: leadId }], () => followAll(context, leadId));
    failpoint('optOut.beforeEnd');
    if (failures.length === 0) return await endPropagation(context.reader, row);
    const error = `${failures.length} leads of the person did not follow: ${String(failures[0])}`;
    const seconds = retryDelaySeconds(context, row.attempts, MAX_RETRY_DELAY_SECONDS);
    await deferPropagation(context.reader, row, { seconds, error });
    throw new AggregateError(failures, error);
  } finally {
    await releasePropagation(context.reader, leadId, context.instanceId);
  }
}

/**
 * Have the other leads follow, each in a transaction of its own: one that cannot be changed does not keep the others. Those
 * of the same product are deactivated; those of others lose what waits and was not asked for. Returns what failed.
 */
async function followAll(context: AppContext, leadId: number): Promise<readonly unknown[]> {
  const { cipher, reader } = context;
  const failures: unknown[] = [];
  for (const { id } of await findOtherLeadsOfPerson(reader, leadId)) {
    await context
      .transact(async (tx) => {
        const lead = await lockLead(tx, id);
        const mine = await readProductOfLead(tx, leadId);
        if (!lead || mine === undefined) return;
        const optedOut = (await readOptOuts(tx, cipher, [leadId])).get(leadId) ?? null;
        if (optedOut?.state === 'certain') await follow(tx, { lead, isSameProduct: mine === lead.product_id });
        if (optedOut?.state !== 'doubtful') await endQuestions(tx, id);
        await replanLead(tx, id);
        notify(tx, { topic: 'lead', product: lead.product_id, ids: [id] });
        failpoint('optOut.beforeOther');
      })
      .catch((error: unknown) => failures.push(error));
    failpoint('optOut.afterOther');
  }
  return failures;
}

async function follow(tx: Tx, { lead, isSameProduct }: { lead: LeadRow; isSameProduct: boolean }): Promise<void> {
  if (isSameProduct) {
    if (lead.is_active || !lead.recognized_deactivation_request)
      await deactivate(tx, { id: lead.id, by: SAME_PERSON, cancelPending, optOut: {} });
    return;
  }
  const reason = OPT_OUT_REASONS.person_opted_out;
  await cancelWaiting(tx, { leadIds: [lead.id] }, { kind: 'unsolicited', reason });
}
