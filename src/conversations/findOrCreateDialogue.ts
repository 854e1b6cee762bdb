/** Finds the dialogue with an address on a channel, or creates it. */
import { type ChannelRow } from '../channels/store.ts';
import type { Tx } from '../platform/db.ts';
import {
  findContactByAddress,
  insertDialogue,
  lockAddress,
  lockDialogue,
  lockDialogueByChat,
  setChatIdIfMissing,
} from './store/dialogues.ts';
import type { DialogueRow } from './store/tables.ts';

/** Return the existing dialogue, locked, or a new one with a known contact; null if no contact has this address. */
export async function findOrCreateDialogue(
  tx: Tx,
  { channel, chatId, address }: { channel: Pick<ChannelRow, 'id' | 'channel_type'>; chatId: string; address: string },
): Promise<DialogueRow | null> {
  let existing = await lockDialogueByChat(tx, { channelId: channel.id, chatId, address });
  if (!existing) {
    await lockAddress(tx, channel.id, address);
    existing = await lockDialogueByChat(tx, { channelId: channel.id, chatId, address });
  }
  if (existing) {
    await setChatIdIfMissing(tx, { id: existing.id, channelId: channel.id, chatId });
    return existing;
  }
  const contact = await findContactByAddress(tx, { channelId: channel.id, type: channel.channel_type, address });
  if (!contact) return null;
  const { product_id: productId, contact_id: contactId } = contact;
  return createDialogue(tx, { productId, contactId, channelId: channel.id, chatId, address });
}

/** Create a dialogue and lock it. */
export async function createDialogue(tx: Tx, input: Parameters<typeof insertDialogue>[1]): Promise<DialogueRow> {
  const id = await insertDialogue(tx, input);
  const dialogue = await lockDialogue(tx, id);
  if (!dialogue) throw new Error(`Dialogue ${id} vanished`);
  return dialogue;
}
