/** Finds or creates a contact's dialogue on a channel. */
import { findChannel, findLink } from '../channels/store.ts';
import type { Tx } from '../platform/db.ts';
import { type Refusal, refuse } from '../platform/refuse.ts';
import { conversationRefusals } from './refusals.ts';
import {
  type ContactRow,
  findDialogueAt,
  insertDialogue,
  isInCompanyOfProduct,
  lockAddress,
  lockDialogue,
} from './store/dialogues.ts';
import type { DialogueRow } from './store/tables.ts';

/**
 * Return the dialogue, locked. Throws `dialogue.exists` if the address belongs to another contact's dialogue there.
 */
export async function openDialogue(
  tx: Tx,
  contact: ContactRow,
  channelId: number,
): Promise<{ dialogue: DialogueRow; isNew: boolean }> {
  // Keeps another operator, or an inbound message of the lead, from creating the same dialogue concurrently.
  await lockAddress(tx, channelId, contact.address);
  const existing = await findDialogueAt(tx, { channelId, address: contact.address });
  if (existing && existing.contact_id !== contact.id)
    throw await addressTakenRefusal(tx, existing.id, contact.product_id);
  const link = existing ? undefined : await findLink(tx, contact.product_id, channelId);
  if (!existing && !link) throw refuse(conversationRefusals, 'dialogue.channel_not_linked');
  const type = (await findChannel(tx, channelId))?.channel_type;
  if (!existing && type !== contact.contact_type)
    throw refuse(conversationRefusals, 'dialogue.other_messenger', { type: contact.contact_type });
  const chatId = contact.contact_type === 'whatsapp' ? contact.address : null;
  const id =
    existing?.id ??
    (await insertDialogue(tx, {
      productId: contact.product_id,
      contactId: contact.id,
      channelId,
      chatId,
      address: contact.address,
    }));
  const dialogue = await lockDialogue(tx, id);
  if (!dialogue) throw new Error(`Dialogue ${id} vanished`);
  return { dialogue, isNew: !existing };
}

/**
 * Return the refusal for an address or chat that already has a dialogue on the channel. It names the dialogue only
 * within the product's own company: a channel may be shared, and nothing about other companies is revealed.
 */
export async function addressTakenRefusal(tx: Tx, dialogueId: number, productId: number): Promise<Refusal> {
  return (await isInCompanyOfProduct(tx, dialogueId, productId))
    ? refuse(conversationRefusals, 'dialogue.exists', { id: dialogueId })
    : refuse(conversationRefusals, 'dialogue.address_taken');
}
