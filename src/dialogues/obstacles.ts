/** Why a message that is due does not leave. */
import { driverOf } from '../channels/drivers.ts';
import { steadyLead } from '../leads/known.ts';
import { isSilenced } from '../leads/lead.ts';
import type { Tx } from '../platform/db.ts';
import { announce } from '../platform/live.ts';
import { readProduct } from '../products/product.ts';
import type { Surroundings } from './store/dialogues.ts';
import { isKeyKnown } from './store/hand.ts';
import { takeBackRepeat } from './store/messages.ts';
import { isOvertaking } from './store/queue.ts';
import type { DialogueRow, MessageRow } from './store/tables.ts';

/** Why nothing leaves by this channel now; null: it does. */
export function restReason(around: Surroundings): string | null {
  if (!around.channel_active) return 'The channel is switched off';
  if (around.dead_reason !== null) return around.dead_reason;
  if (around.channel_rests) return around.rest_reason ?? 'The channel rests';
  const { pace } = driverOf(around.vendor);
  return around.account_waits && pace.clock === 'domain' ? pace.reason : null;
}

/** Why others of its account go before this message; null: none does. */
export async function queueReason(tx: Tx, around: Surroundings, message: MessageRow): Promise<string | null> {
  const { pace } = driverOf(around.vendor);
  if (pace.clock !== 'domain') return null;
  return (await isOvertaking(tx, around.account_id, message)) ? pace.reason : null;
}

/**
 * Whether a message that was put back under the key of a try that may have arrived is too late for that key: it is not
 * sent, and is unconfirmed again.
 */
export async function isTakenBack(tx: Tx, message: MessageRow, { vendor }: Surroundings): Promise<boolean> {
  if (message.unconfirmed_at === null || (await isKeyKnown(tx, message.id, driverOf(vendor).keyWindowMs))) return false;
  await takeBackRepeat(tx, message.id, 'It may have arrived, and the vendor no longer recognises the first try');
  announce(tx, 'message', message.product_id, [message.id]);
  return true;
}

/** Why the bot may not send this now; these checks bind the bot, an operator's message passes them. */
export async function botObstacle(
  tx: Tx,
  dialogue: DialogueRow,
  message: MessageRow,
  leadId: number,
): Promise<string | null> {
  if (dialogue.owner !== 'bot') return `A human took over (${dialogue.owner_reason ?? 'by hand'})`;
  // Held, so that a deactivation or stage change either is seen here or comes after the claim.
  const lead = await steadyLead(tx, leadId);
  if (!lead?.is_active)
    return lead?.recognized_deactivation_request ? 'The lead asked to be left alone' : 'The lead is deactivated';
  if (isSilenced(lead.stage)) return `The lead is in stage ${lead.stage}`;
  const product = await readProduct(tx, dialogue.product_id);
  if (!product?.is_active) return 'The product is switched off';
  if (message.debounce_guard && message.turn !== null && message.turn !== dialogue.turn)
    return 'The lead wrote again before it left';
  return null;
}
