/** Finds or creates a contact's dialogue on a channel, and says which a contact may have. */

import { isOwnChannel } from '../channels/store/ownership.ts';
import { findChannel, findLink } from '../channels/store.ts';
import { addressFromVendor, addressVariants, storedNumberRefusal } from '../leads/address.ts';
import { addressRefusalText } from '../leads/addressRefusal.ts';
import type { Reader, Tx } from '../platform/db.ts';
import { type Refusal, refuse } from '../platform/refuse.ts';
import { conversationRefusals } from './refusals.ts';
import { lockAddresses } from './store/chats.ts';
import {
  type ContactRow,
  findDialogueAt,
  hasWritten,
  insertDialogue,
  isInCompanyOfProduct,
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
  await lockAddresses(tx, [{ channelId, address: contact.address }]);
  const existing = await findDialogueOfContact(tx, contact, { channelId, chatId: null });
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
/**
 * Find the dialogue that keeps a contact from having a new one on a channel: its own, or another contact's with the same
 * person's address or chat.
 */
export function findDialogueOfContact(
  reader: Reader,
  { id, contact_type: type, address }: ContactRow,
  { channelId, chatId }: { channelId: number; chatId: string | null },
): Promise<{ id: number; contact_id: number } | null> {
  const chatIds = type === 'whatsapp' ? [chatId, address] : [chatId];
  return findDialogueAt(reader, { channelId, address, contactId: id, chatIds });
}

/**
 * Return the chat id of a contact's dialogue, which an operator may have given; else null until the messenger names it.
 * Throws for a dialogue that the contact cannot have: the channel must be linked to the product and be for the contact's
 * messenger; the number must be valid, unless the contact has written from it; a WhatsApp chat that is a number must be
 * the contact's. On another company's channel a chat id is only learned from messages: one that is given may be the chat
 * of that company's own lead.
 */
export async function chatOfDialogue(
  tx: Tx,
  { id, product_id: productId, contact_type: type, address }: ContactRow,
  { channelId, chatId }: { channelId: number; chatId: string | null },
): Promise<string | null> {
  if (!(await findLink(tx, productId, channelId))) throw refuse(conversationRefusals, 'dialogue.channel_not_linked');
  const channel = await findChannel(tx, channelId);
  if (channel?.channel_type !== type) throw refuse(conversationRefusals, 'dialogue.other_messenger', { type });
  const refusal = storedNumberRefusal(address);
  if (refusal !== null && !(await hasWritten(tx, id)))
    throw refuse(conversationRefusals, 'dialogue.invalid_address', { reason: addressRefusalText(type, refusal) });
  if (type === 'whatsapp') {
    if (chatId === null) return null;
    const named = addressFromVendor(type, chatId) ?? `id:${chatId}`;
    if (!addressVariants(address).includes(named)) throw refuse(conversationRefusals, 'dialogue.other_chat');
    return named.startsWith('id:') ? chatId : named;
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
