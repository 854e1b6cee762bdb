/** Settles the outcome of a send: accepted, rejected or unknown. */

import type { SendOutcome } from '../channels/driver.ts';
import { driverOf, restartSendInterval } from '../channels/drivers.ts';
import { previewOf } from '../conversations/message.ts';
import type { SendPolicy } from '../conversations/sendPolicy.ts';
import {
  type DialogueContext,
  findDialogue,
  recordOutbound,
  setChatIdIfMissing,
} from '../conversations/store/dialogues.ts';
import { deleteDuplicateEcho } from '../conversations/store/messages.ts';
import type { MessageRow } from '../conversations/store/tables.ts';
import { applyParkedItems } from '../inbox/statuses.ts';
import { scheduleStatusPoll } from '../inbox/store/deliveryPolling.ts';
import { findParkedEcho, lockExternalId } from '../inbox/store/items.ts';
import { logAfterCommit } from '../platform/afterCommit.ts';
import type { AppContext } from '../platform/appContext.ts';
import type { Tx } from '../platform/db.ts';
import { failpoint } from '../platform/failpoint.ts';
import { notify } from '../platform/notifications.ts';
import { applyRejection, requeue } from './rejection.ts';
import { findStatus, lockMessage, markAccepted, markUnconfirmed, setExternalId } from './store/delivery.ts';

/** The policy's outcome for the status of a rejected message. */
const SETTLED_AS: Readonly<Record<string, 'refusedForGood' | 'unknown'>> = {
  error: 'refusedForGood',
  unconfirmed: 'unknown',
};

/** A vendor's response to a send. */
export interface SendReport {
  readonly message: MessageRow;
  readonly dialogueContext: DialogueContext;
  readonly outcome: SendOutcome;
  /** Whether an earlier try may have arrived. */
  readonly maybeDelivered: boolean;
}

/** Settle the outcome of a send, once: the message, its channel and account, its lead. */
export async function settle(
  context: AppContext,
  policy: SendPolicy,
  { message, dialogueContext, outcome, maybeDelivered }: SendReport,
): Promise<void> {
  await context.transact(async (tx) => {
    await policy.beforeSettle(tx, message, dialogueContext.lead_id);
    const current = outcome.kind === 'accepted' ? undefined : await lockMessage(tx, message.id);
    // Another instance reclaimed the message; only its outcome counts.
    if (current?.status === 'sending' && current.claimed_by !== context.instanceId) return;
    let status: string | undefined;
    switch (outcome.kind) {
      case 'accepted': {
        const isMarked = await markMessageAccepted(tx, {
          message,
          dialogueContext,
          messageId: outcome.messageId,
          chatId: outcome.chatId,
        });
        if (driverOf(dialogueContext.vendor).fetchDeliveryStatus && outcome.messageId !== null)
          await scheduleStatusPoll(tx, message.id, context.config.vendorPollSeconds);
        // The vendor may have reported that there is no recipient before it responded.
        const hasFailed = !isMarked && (await findStatus(tx, message.id)) === 'error';
        await policy.afterSettle(tx, message, {
          leadId: dialogueContext.lead_id,
          outcome: hasFailed ? 'unknown' : 'accepted',
        });
        break;
      }
      case 'unknown':
        await markUnconfirmed(tx, message.id, outcome.reason);
        await policy.afterSettle(tx, message, { leadId: dialogueContext.lead_id, outcome: 'unknown' });
        break;
      case 'rejected': {
        // If an earlier try may have arrived, only a rejection that says the address has no recipient is certain.
        const isCertain = !maybeDelivered || outcome.about === 'recipient';
        if (!isCertain) await markUnconfirmed(tx, message.id, outcome.reason);
        // Both change only a message that is still sending.
        await applyRejection(tx, { message, dialogueContext, outcome });
        await requeue(context, tx, { message, outcome });
        status = await findStatus(tx, message.id);
        const settledAs = SETTLED_AS[status ?? ''] ?? 'refused';
        await policy.afterSettle(tx, message, { leadId: dialogueContext.lead_id, outcome: settledAs });
        break;
      }
      default:
        outcome satisfies never;
    }
    await restartSendInterval(context, tx, dialogueContext);
    logAfterCommit(
      tx,
      { message: message.id, outcome: outcome.kind, ...(status ? { status: status } : {}) },
      'settled',
    );
    failpoint('send.beforeSettleCommit');
    notify(tx, { topic: 'message', product: message.product_id, ids: [message.id] });
    notify(tx, { topic: 'dialogue', product: message.product_id, ids: [message.dialogue_id] });
  });
}

/** Mark a message accepted. Returns false if it was settled before. */
export async function markMessageAccepted(
  tx: Tx,
  {
    message,
    dialogueContext,
    messageId,
    chatId,
  }: { message: MessageRow; dialogueContext: DialogueContext; messageId: string | null; chatId: string | null },
): Promise<boolean> {
  // The vendor may have reported the message meanwhile, with its id, if an earlier try under this key was accepted.
  const echo =
    messageId === null
      ? await findParkedEcho(tx, {
          channelId: message.channel_id,
          chatId: chatId ?? (await findChatId(tx, message)),
          text: message.message,
        })
      : null;
  const extId = messageId ?? echo?.ext_id ?? null;
  if (extId !== null) await lockExternalId(tx, dialogueContext.account_id, extId);
  if (extId !== null) await deleteDuplicateEcho(tx, { channelId: message.channel_id, extId, id: message.id });
  const isMarked = await markAccepted(tx, message.id, extId);
  // A status may have arrived first and advanced the message: only the id is missing.
  if (!isMarked && extId !== null) await setExternalId(tx, message.id, extId);
  if (chatId !== null) await setChatIdIfMissing(tx, { id: message.dialogue_id, channelId: message.channel_id, chatId });
  await recordOutbound(tx, { id: message.dialogue_id, messageId: message.id, preview: previewOf(message.message) });
  if (extId !== null) await applyParkedItems(tx, { accountId: dialogueContext.account_id, message, extId });
  return isMarked;
}

/** Return the chat id of a message's dialogue, if known. */
export async function findChatId(tx: Tx, message: MessageRow): Promise<string | null> {
  return (await findDialogue(tx, message.dialogue_id))?.chat_id ?? null;
}
