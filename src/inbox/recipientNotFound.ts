/**
 * Settles first messages that a vendor accepted and later found no recipient for. The status itself is applied where
 * it is received, under the lock of the vendor's id. Its effect on outreach needs the locks of the product's queue
 * and the lead before the message's, so it runs here, in a transaction of its own.
 */

import type { SendPolicy } from '../conversations/sendPolicy.ts';
import { findDialogueContext } from '../conversations/store/dialogues.ts';
import { findMessage } from '../conversations/store/messages.ts';
import { enqueue } from '../jobs/store/enqueue.ts';
import type { AppContext } from '../platform/appContext.ts';
import type { Tx } from '../platform/db.ts';
import { failpoint } from '../platform/failpoint.ts';
import { notify } from '../platform/notifications.ts';
import { clearRecipientNotFound, setRecipientNotFound } from './store/deliveryReports.ts';

export const RECIPIENT_NOT_FOUND = 'recipient.not_found';

/** Mark the message to be settled, and enqueue the job that settles it. */
export async function reportRecipientNotFound(tx: Tx, messageId: number): Promise<void> {
  await setRecipientNotFound(tx, messageId);
  await enqueue(tx, { task: RECIPIENT_NOT_FOUND, payload: { message: messageId } });
}

/** Settle the message once: the daily quota, the lead's stage, the lead's other contact. */
export async function handleRecipientNotFound(
  context: AppContext,
  policy: SendPolicy,
  messageId: number,
): Promise<void> {
  await context.transact(async (tx) => {
    const message = await findMessage(tx, messageId);
    const dialogueContext = message ? await findDialogueContext(tx, message.dialogue_id) : null;
    if (!message?.recipient_not_found || !dialogueContext) return;
    await policy.beforeSettle(tx, [{ message, leadId: dialogueContext.lead_id, changesQuota: true }]);
    const cleared = await clearRecipientNotFound(tx, messageId);
    // Delivered after all, or retried by an operator: the vendor's report no longer applies.
    if (cleared?.status !== 'error') return;
    await policy.recipientNotFound(tx, cleared, dialogueContext.lead_id);
    failpoint('nobody.beforeCommit');
    notify(tx, { topic: 'message', product: message.product_id, ids: [messageId] });
  });
}
