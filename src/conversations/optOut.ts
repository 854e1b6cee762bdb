/**
 * A person who opts out may be several leads of a product, which have an address in common: they opt out as all of them.
 * The others follow in a transaction of their own, since the first one may hold dialogues, and leads are locked before
 * dialogues.
 */

import { enqueue } from '../jobs/store/enqueue.ts';
import { deactivate } from '../leads/changeStage.ts';
import { findOtherLeadsOfPerson, lockLeads } from '../leads/store.ts';
import type { AppContext } from '../platform/appContext.ts';
import type { Tx } from '../platform/db.ts';
import { cancelPending } from './ownership.ts';

export const OPT_OUT_OTHERS = 'opt_out.others';

/** Who deactivates the other leads. Not the lead: outcomes count one opt-out of one person. */
const SAME_PERSON = 'same person';

/** Deactivate a lead that asked for it, in its words (`by`: `lead`) or by stage detection. */
export async function optOut(tx: Tx, { leadId, by }: { leadId: number; by: string }): Promise<void> {
  await deactivate(tx, { id: leadId, by, cancelPending, optOut: true });
  if ((await findOtherLeadsOfPerson(tx, leadId)).length > 0)
    await enqueue(tx, { task: OPT_OUT_OTHERS, payload: { lead: leadId } });
}

/** Deactivate the other leads of a person who opted out. */
export async function optOutOthers({ transact }: Pick<AppContext, 'transact'>, leadId: number): Promise<void> {
  await transact(async (tx) => {
    const others = await findOtherLeadsOfPerson(tx, leadId);
    await lockLeads(tx, others);
    for (const id of others) await deactivate(tx, { id, by: SAME_PERSON, cancelPending, optOut: true });
  });
}
