/** Public API of conversations for other modules. */

import type { Reader, Tx } from '../platform/db.ts';
import { openDialogue } from './openDialogue.ts';
import { type DialogueContext, findDialogueContext, lockDialogue } from './store/dialogues.ts';
import { findHistory } from './store/messages.ts';
import { type ContactRow, findContact } from './store/operatorActions.ts';
import type { DialogueRow } from './store/tables.ts';
import { hasUnprocessedInboundFrom } from './store/unprocessed.ts';

/** Lock a dialogue's row until the transaction ends. */
export const lockDialogueById = (tx: Tx, id: number): Promise<DialogueRow | undefined> => lockDialogue(tx, id);

/** Return the contact and channel of a dialogue. */
export const readDialogueContext = (reader: Reader, id: number): Promise<DialogueContext | null> =>
  findDialogueContext(reader, id);

/** Return the newest `limit` messages as a model sees them, oldest first. */
export const readHistory = (reader: Reader, id: number, limit: number): ReturnType<typeof findHistory> =>
  findHistory(reader, id, limit);

export const readContact = (reader: Reader, id: number): Promise<ContactRow | null> => findContact(reader, id);

/**
 * Return the contact's dialogue on a channel, created if there is none. Throws if another contact has the address
 * there.
 */
export const openDialogueFor = (tx: Tx, contact: ContactRow, channelId: number): ReturnType<typeof openDialogue> =>
  openDialogue(tx, contact, channelId);

/** Whether an address has sent a message that is stored but not processed yet. */
export const hasUnprocessedMessage = (tx: Tx, channelId: number, address: string): Promise<boolean> =>
  hasUnprocessedInboundFrom(tx, channelId, address);
