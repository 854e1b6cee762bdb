/** A lead is taken out whole: the person, what was said, and the copies of it. */
import { recordDeed } from '../platform/audit.ts';
import type { Tx } from '../platform/db.ts';
import { announce } from '../platform/live.ts';
import { commonRefusals, refuse } from '../platform/refuse.ts';
import { deleteLead, lockLead } from './store.ts';

/** Called in the same transaction, before the rows go: takes the person out of what outlives them. */
export type Forget = (tx: Tx, leadId: number) => Promise<void>;

interface Remover {
  readonly caller: { readonly id: number; readonly login: string };
  readonly requestId: string;
}

/** Deletes a lead with contacts, dialogues, messages and events; the trail says that it was done, and not to whom. */
export async function removeLead(tx: Tx, id: number, { caller, requestId }: Remover, forget: Forget): Promise<void> {
  const lead = await lockLead(tx, id);
  if (!lead) throw refuse(commonRefusals, 'not_found', { noun: 'lead' });
  await forget(tx, id);
  await deleteLead(tx, id);
  await recordDeed(tx, { caller, action: 'deleted', noun: 'lead', rowId: id, productId: lead.product_id, requestId });
  await announce(tx, 'lead', lead.product_id, [id]);
}
