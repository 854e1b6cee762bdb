/**
 * A person who opts out may be several leads of a product, which have an address in common: they opt out as all of them.
 * The others follow in transactions of their own, since the first one may hold dialogues, and leads are locked before
 * dialogues.
 */

import { enqueue, WORK_ATTEMPTS } from '../jobs/store/enqueue.ts';
import { deactivate } from '../leads/changeStage.ts';
import { findOtherLeadsOfPerson } from '../leads/store.ts';
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
    await enqueue(tx, { task: OPT_OUT_OTHERS, payload: { lead: leadId }, attempts: WORK_ATTEMPTS });
}

/**
 * Deactivate the other leads of a person who opted out, each in a transaction of its own: one that cannot be deactivated
 * does not keep the others. Throws if there was one, so that the job is tried again.
 */
export async function optOutOthers(context: AppContext, leadId: number): Promise<void> {
  const failures: unknown[] = [];
  for (const id of await findOtherLeadsOfPerson(context.reader, leadId))
    await context
      .transact((tx) => deactivate(tx, { id, by: SAME_PERSON, cancelPending, optOut: true }))
      .catch((error: unknown) => failures.push(error));
  if (failures.length > 0)
    throw new AggregateError(failures, `${failures.length} leads of the person stay active: ${String(failures[0])}`);
}
