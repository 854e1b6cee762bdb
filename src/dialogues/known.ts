/** Dialogues as other rooms need them. */
import type { Reader, Tx } from '../platform/db.ts';
import { dialogueOn } from './begin.ts';
import { lockDialogue, type Surroundings, surroundings } from './store/dialogues.ts';
import { type ContactRow, findContact } from './store/hand.ts';
import { hasUnreadFrom } from './store/inbox.ts';
import { history } from './store/messages.ts';
import type { DialogueRow } from './store/tables.ts';

/** Reads a dialogue and holds its row until the transaction ends. */
export const holdDialogue = (tx: Tx, id: number): Promise<DialogueRow | undefined> => lockDialogue(tx, id);

/** The contact and channel of a dialogue. */
export const whoIs = (reader: Reader, id: number): Promise<Surroundings | null> => surroundings(reader, id);

/** The newest `limit` messages as a model sees them, oldest first. */
export const historyOf = (reader: Reader, id: number, limit: number): ReturnType<typeof history> =>
  history(reader, id, limit);

export const contactOfId = (reader: Reader, id: number): Promise<ContactRow | null> => findContact(reader, id);

/** The contact's dialogue on a channel, begun if there is none. Throws where the address has another one there. */
export const beginDialogue = (tx: Tx, contact: ContactRow, channelId: number): ReturnType<typeof dialogueOn> =>
  dialogueOn(tx, contact, channelId);

/** Whether somebody at an address wrote something that is stored but not worked on yet. */
export const hasUnread = (tx: Tx, channelId: number, address: string): Promise<boolean> =>
  hasUnreadFrom(tx, channelId, address);
