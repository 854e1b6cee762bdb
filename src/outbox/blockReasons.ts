/** Reasons why a due message does not leave. */

import { driverOf } from '../channels/drivers.ts';
import type { DialogueContext } from '../conversations/store/dialogues.ts';
import type { DialogueRow, MessageRow } from '../conversations/store/tables.ts';
import { type BlockReason, botBlockReason } from '../leads/lead.ts';
import { lockLeadForShare } from '../leads/store.ts';
import type { Tx } from '../platform/db.ts';
import { notify } from '../platform/notifications.ts';
import { readProduct } from '../products/product.ts';
import { isSendKeyValid, revertToUnconfirmed } from './store/delivery.ts';
import { hasOlderDueMessage } from './store/queue.ts';

/** Return why the channel cannot send now; null if it can. */
export function channelBlockReason(dialogueContext: DialogueContext): string | null {
  if (!dialogueContext.channel_active) return 'The channel is switched off';
  if (dialogueContext.key_rejected_reason !== null) return dialogueContext.key_rejected_reason;
  if (dialogueContext.channel_rests) return dialogueContext.rest_reason ?? 'The channel is paused';
  const { rateLimit: pace } = driverOf(dialogueContext.vendor);
  return dialogueContext.account_waits && pace.clock === 'domain' ? pace.reason : null;
}

/** Return why another message of the account goes first; null if none does. */
export async function queueBlockReason(
  tx: Tx,
  dialogueContext: DialogueContext,
  message: MessageRow,
): Promise<string | null> {
  const { rateLimit: pace } = driverOf(dialogueContext.vendor);
  if (pace.clock !== 'domain') return null;
  return (await hasOlderDueMessage(tx, dialogueContext.account_id, message)) ? pace.reason : null;
}

/**
 * Revert a requeued message to unconfirmed if the key of its earlier try, which may have arrived, has expired.
 * Returns whether it did; the message is then not sent.
 */
export async function revertIfKeyExpired(tx: Tx, message: MessageRow, { vendor }: DialogueContext): Promise<boolean> {
  if (message.unconfirmed_at === null || (await isSendKeyValid(tx, message.id, driverOf(vendor).keyWindowMs)))
    return false;
  await revertToUnconfirmed(tx, message.id, 'It may have arrived, and the vendor no longer recognises the first try');
  notify(tx, { topic: 'message', product: message.product_id, ids: [message.id] });
  return true;
}

/** Return why the bot may not send this message now; null if it may. Operators' messages are not checked. */
export async function messageBlockReason(
  tx: Tx,
  { dialogue, message, leadId }: { dialogue: DialogueRow; message: MessageRow; leadId: number },
): Promise<BlockReason | null> {
  // Locked, so that a deactivation or stage change is either visible here or happens after the claim.
  const lead = await lockLeadForShare(tx, leadId);
  const isProductActive = (await readProduct(tx, dialogue.product_id))?.is_active ?? false;
  const { owner, owner_reason: code, owner_reason_detail: detail, turn } = dialogue;
  const handedOverBy = code === null ? null : { code, detail };
  const isSuperseded = message.debounce_guard && message.turn !== null && message.turn !== turn;
  return botBlockReason({ lead, isProductActive, owner, handedOverBy, isSuperseded }, 'answer');
}
