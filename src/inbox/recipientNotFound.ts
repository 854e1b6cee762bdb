/**
 * First messages that a vendor took and found later to be for nobody in that messenger. The status itself is settled where
 * it is received, with the vendor's id held; what outreach makes of it needs the product's line and the lead before the
 * message, so it is done here, in a transaction of its own.
 */

import type { SendPolicy } from '../conversations/sendPolicy.ts';
import { findDialogueContext } from '../conversations/store/dialogues.ts';
import { clearRecipientNotFound, findMessage, setRecipientNotFound } from '../conversations/store/messages.ts';
import { enqueue } from '../jobs/runner.ts';
import type { AppContext } from '../platform/appContext.ts';
import type { Tx } from '../platform/db.ts';
import { failpoint } from '../platform/failpoint.ts';
import { notify } from '../platform/notifications.ts';

export const RECIPIENT_NOT_FOUND = 'found.nobody';

/** Keeps that it is to be settled, and wakes whoever does it. */
export async function reportRecipientNotFound(tx: Tx, messageId: number): Promise<void> {
  await setRecipientNotFound(tx, messageId);
  await enqueue(tx, RECIPIENT_NOT_FOUND, { message: messageId });
}

/** Settles it, once: the slot of the day, the lead's stage, the person's other contact. */
export async function handleRecipientNotFound(
  context: AppContext,
  policy: SendPolicy,
  messageId: number,
): Promise<void> {
  await context.transact(async (tx) => {
    const message = await findMessage(tx, messageId);
    const dialogueContext = message ? await findDialogueContext(tx, message.dialogue_id) : null;
    if (!message?.found_nobody || !dialogueContext) return;
    await policy.beforeSettle(tx, message, dialogueContext.lead_id);
    const cleared = await clearRecipientNotFound(tx, messageId);
    // Delivered after all, or sent again by an operator: the vendor has taken it back.
    if (cleared?.status !== 'error') return;
    await policy.recipientNotFound(tx, cleared, dialogueContext.lead_id);
    failpoint('nobody.beforeCommit');
    notify(tx, 'message', message.product_id, [messageId]);
  });
}
