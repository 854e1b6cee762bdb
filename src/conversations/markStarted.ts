/** Moves leads from `initial` to `started` once their first message has left, however that became known. */

import { changeStages } from '../leads/changeStage.ts';
import { findLead, type LeadRow } from '../leads/store.ts';
import type { Tx } from '../platform/db.ts';
import { cancelPending } from './ownership.ts';
import { findDialogueContext } from './store/dialogues.ts';
import { findPartsOfFailed } from './store/messages.ts';
import type { MessageRow } from './store/tables.ts';

/** The actor named in the event when a first message was accepted. */
export const STARTED_BY_FIRST_MESSAGE = 'first message';

/** Mark leads started after a message to each has left, unless the first part of the same text reached nobody. */
export async function markStarted(
  tx: Tx,
  left: readonly { readonly message: MessageRow; readonly lead: LeadRow | undefined }[],
): Promise<void> {
  const initial = left.filter(({ lead }) => lead?.stage === 'initial');
  const later = initial.flatMap(({ message }) => (message.part_group === null ? [] : [message.id]));
  const reachedNobody = later.length === 0 ? new Set() : await findPartsOfFailed(tx, later);
  const ids = new Set(
    initial.flatMap(({ message, lead }) => (lead && !reachedNobody.has(message.id) ? [lead.id] : [])),
  );
  await changeStages(tx, {
    changes: [...ids].map((id) => ({ id, stage: 'started' })),
    by: STARTED_BY_FIRST_MESSAGE,
    cancelPending,
  });
}

/**
 * Do the same where the vendor's response was lost: `message` is the row as it was before the message was known to
 * have left.
 */
export async function markStartedIfUnsettled(tx: Tx, message: MessageRow): Promise<void> {
  if (message.status !== 'sending' && message.status !== 'unconfirmed') return;
  const dialogueContext = await findDialogueContext(tx, message.dialogue_id);
  if (dialogueContext) await markStarted(tx, [{ message, lead: await findLead(tx, dialogueContext.lead_id) }]);
}
