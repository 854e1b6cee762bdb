/** Why a message that is due does not leave. */
import { driverOf } from '../channels/drivers.ts';
import { steadyLead } from '../leads/known.ts';
import { isSilenced } from '../leads/lead.ts';
import type { Tx } from '../platform/db.ts';
import { readProduct } from '../products/product.ts';
import type { Surroundings } from './store/dialogues.ts';
import type { DialogueRow, MessageRow } from './store/tables.ts';

/** Why nothing leaves by this channel now; null: it does. */
export function restReason(around: Surroundings): string | null {
  if (!around.channel_active) return 'The channel is switched off';
  if (around.dead_reason !== null) return around.dead_reason;
  if (around.channel_rests) return around.rest_reason ?? 'The channel rests';
  const { pace } = driverOf(around.vendor);
  return around.account_waits && pace.clock === 'domain' ? pace.reason : null;
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
