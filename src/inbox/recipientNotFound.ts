/**
 * Settles first messages that a vendor accepted and later found no recipient for. The status itself is applied where
 * it is received, under the lock of the vendor's id. Its effect on outreach needs the locks of the product's queue
 * and the lead before the message's, so it runs here, in a transaction of its own.
 */

import type { SendPolicy } from '../conversations/sendPolicy.ts';
import { findMessage } from '../conversations/store/messages.ts';
import { loadConversations } from '../engine/postgres/load.ts';
import type { AppContext } from '../platform/appContext.ts';
import { failpoint } from '../platform/failpoint.ts';
import { notify } from '../platform/notifications.ts';
import { clearRecipientNotFound } from './store/deliveryReports.ts';

/** Settle the message once: the daily quota, the lead's stage, the lead's other contact. */
export async function handleRecipientNotFound(
  context: AppContext,
  policy: SendPolicy,
  messageId: number,
): Promise<void> {
  await context.transact(async (tx) => {
    const message = await findMessage(tx, messageId);
    if (!message?.recipient_not_found) return;
    await policy.lockQueues(tx, [{ message, changesQuota: true }]);
    const lead = (await loadConversations(tx, [message])).byMessage.get(messageId)?.lead;
    if (!lead) return;
    const cleared = await clearRecipientNotFound(tx, messageId);
    // Delivered after all, or retried by an operator: the vendor's report no longer applies.
    if (cleared?.status !== 'error') return;
    await policy.recipientNotFound(tx, cleared, lead.id);
    failpoint('nobody.beforeCommit');
    notify(tx, { topic: 'message', product: message.product_id, ids: [messageId] });
  });
}
