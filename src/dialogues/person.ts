/** The dialogue with a person who is reached, or reaches us, at an address on a channel. */
import type { ChannelRow } from '../channels/known.ts';
import type { Tx } from '../platform/db.ts';
import {
  contactOfAddress,
  dialogueOfChat,
  insertDialogue,
  learnChatId,
  lockAddress,
  lockDialogue,
} from './store/dialogues.ts';
import type { DialogueRow } from './store/tables.ts';

/** The one there is, locked, or a new one with a contact that we know; null: nobody is known there. */
export async function dialogueOfPerson(
  tx: Tx,
  channel: Pick<ChannelRow, 'id' | 'channel_type'>,
  chatId: string,
  address: string,
): Promise<DialogueRow | null> {
  let known = await dialogueOfChat(tx, channel.id, chatId, address);
  if (!known) {
    await lockAddress(tx, channel.id, address);
    known = await dialogueOfChat(tx, channel.id, chatId, address);
  }
  if (known) {
    await learnChatId(tx, known.id, channel.id, chatId);
    return known;
  }
  const contact = await contactOfAddress(tx, channel.id, channel.channel_type, address);
  if (!contact) return null;
  const { product_id: productId, contact_id: contactId } = contact;
  return dialogueWith(tx, { productId, contactId, channelId: channel.id, chatId, address });
}

/** A new dialogue, locked. */
export async function dialogueWith(tx: Tx, made: Parameters<typeof insertDialogue>[1]): Promise<DialogueRow> {
  const id = await insertDialogue(tx, made);
  const dialogue = await lockDialogue(tx, id);
  if (!dialogue) throw new Error(`Dialogue ${id} vanished`);
  return dialogue;
}
