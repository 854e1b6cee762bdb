/** A dialogue with a contact on a channel: the one there is, or a new one. */
import { readChannel, readLink } from '../channels/known.ts';
import type { Tx } from '../platform/db.ts';
import { type Refusal, refuse } from '../platform/refuse.ts';
import { dialogueRefusals } from './refusals.ts';
import { areOfOneCompany, insertDialogue, lockAddress, lockDialogue } from './store/dialogues.ts';
import { type ContactRow, dialogueAt } from './store/hand.ts';
import type { DialogueRow } from './store/tables.ts';

/** Gives the dialogue, locked. Throws `dialogue.exists` where the address talks as somebody else there. */
export async function dialogueOn(
  tx: Tx,
  contact: ContactRow,
  channelId: number,
): Promise<{ dialogue: DialogueRow; isNew: boolean }> {
  // Held against whoever begins the same dialogue now: another operator, or the lead by writing.
  await lockAddress(tx, channelId, contact.address);
  const known = await dialogueAt(tx, channelId, contact.address);
  if (known && known.contact_id !== contact.id) throw await takenBy(tx, known.id, contact.product_id);
  const link = known ? undefined : await readLink(tx, contact.product_id, channelId);
  if (!known && !link) throw refuse(dialogueRefusals, 'dialogue.channel_not_linked');
  const type = (await readChannel(tx, channelId))?.channel_type;
  if (!known && type !== contact.contact_type)
    throw refuse(dialogueRefusals, 'dialogue.other_messenger', { type: contact.contact_type });
  const chatId = contact.contact_type === 'whatsapp' ? contact.address : null;
  const id =
    known?.id ??
    (await insertDialogue(tx, {
      productId: contact.product_id,
      contactId: contact.id,
      channelId,
      chatId,
      address: contact.address,
    }));
  const dialogue = await lockDialogue(tx, id);
  if (!dialogue) throw new Error(`Dialogue ${id} vanished`);
  return { dialogue, isNew: !known };
}

/**
 * The refusal of an address, or a chat, that a dialogue of the channel has already. It names the dialogue within the
 * product's own company only: a channel may be shared, and of others nothing is said.
 */
export async function takenBy(tx: Tx, dialogueId: number, productId: number): Promise<Refusal> {
  return (await areOfOneCompany(tx, dialogueId, productId))
    ? refuse(dialogueRefusals, 'dialogue.exists', { id: dialogueId })
    : refuse(dialogueRefusals, 'dialogue.address_taken');
}
