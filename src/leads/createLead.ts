import type { Tx } from '../platform/db.ts';
import type { ContactType, Stage } from './contract.ts';
import { insertContact, insertLead } from './store.ts';

/** Create a lead for the sender of an inbound message, with the address as its main contact. */
export async function createLeadWithContact(
  tx: Tx,
  input: { productId: number; name: string; stage: Stage; contact: string; type: ContactType; address: string },
): Promise<{ leadId: number; contactId: number }> {
  const { productId, contact, type, address } = input;
  const leadId = await insertLead(tx, input);
  const contactId = await insertContact(tx, { leadId, productId, contact, type, address, isMain: true });
  return { leadId, contactId };
}
