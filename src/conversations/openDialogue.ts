/** Finds or creates a contact's dialogue on a channel, and says which a contact may have. */

import { isOwnChannel } from '../channels/store/ownership.ts';
import { findChannel, findLink } from '../channels/store.ts';
import { normaliseAddress } from '../leads/address.ts';
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
  const isWhatsapp = contact.contact_type === 'whatsapp';
  const existing = await findDialogueAt(tx, {
    channelId,
    address: contact.address,
    chatId: isWhatsapp ? contact.address : null,
  });
  if (existing && existing.contact_id !== contact.id)
    throw await addressTakenRefusal(tx, existing.id, contact.product_id);
  const id =
    existing?.id ??
    (await insertDialogue(tx, {
      productId: contact.product_id,
      contactId: contact.id,
      channelId,
      chatId: await chatOfDialogue(tx, contact, { channelId, chatId: null }),
      address: contact.address,
    }));
  const dialogue = await lockDialogue(tx, id);
  if (!dialogue) throw new Error(`Dialogue ${id} vanished`);
  return { dialogue, isNew: !existing };
}

/**
 * Return the chat id of a contact's dialogue, which an operator may have given: in WhatsApp it is the number, else null
 * until it is known. Throws for a dialogue that the contact cannot have: the channel must be linked to the product and be
 * for the contact's messenger. On another company's channel a chat id is only learned from messages: one that is given
 * may be the chat of that company's own lead.
 */
export async function chatOfDialogue(
  tx: Tx,
  { product_id: productId, contact_type: type, address }: ContactRow,
  { channelId, chatId }: { channelId: number; chatId: string | null },
): Promise<string | null> {
  if (!(await findLink(tx, productId, channelId))) throw refuse(conversationRefusals, 'dialogue.channel_not_linked');
  const channel = await findChannel(tx, channelId);
  if (channel?.channel_type !== type) throw refuse(conversationRefusals, 'dialogue.other_messenger', { type });
  if (type === 'whatsapp') {
    if (chatId !== null && normaliseAddress(type, chatId) !== address)
      throw refuse(conversationRefusals, 'dialogue.other_chat');
    return address;
  }
  if (chatId !== null && !(await isOwnChannel(tx, productId, channelId)))
    throw refuse(conversationRefusals, 'dialogue.chat_on_shared_channel');
  return chatId;
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
