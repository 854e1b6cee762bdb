/** Decides whether a dialogue's first due message leaves. Pure. */

import { driverOf } from '../channels/drivers.ts';
import type { SendCheck, SendFacts } from '../conversations/sendPolicy.ts';
import type { MessageRow } from '../conversations/store/tables.ts';
import { blockReasonText, botBlockReason, isBotHandOver } from '../leads/lead.ts';
import type { DueMessage, SendChange } from './store/dueMessages.ts';

/** `skip`: it is looked at again when what it waits for has ended. `quota`: it needs a place in the day's quota first. */
export type SendDecision = SendChange | { readonly kind: 'skip' } | { readonly kind: 'quota' };

/** What deciding about a due message needs. */
export interface DueFacts extends Omit<DueMessage, 'message' | 'context' | 'lead'> {
  readonly message: SendFacts['message'] &
    Pick<MessageRow, 'id' | 'reason' | 'debounce_guard' | 'turn' | 'unconfirmed_at'>;
  readonly context: Pick<
    DueMessage['context'],
    'vendor' | 'channel_active' | 'channel_rests' | 'rest_reason' | 'key_rejected_reason' | 'account_waits'
  >;
  readonly lead: Omit<DueMessage['lead'], 'id'>;
}

const SKIP = { kind: 'skip' } as const;

/** Decide about one message. */
export function decideSend(due: DueFacts, check: SendCheck): SendDecision {
  const { message, context } = due;
  const { id } = message;
  if (due.isDialogueBlocked || !due.isReady) return SKIP;
  const wait = channelBlockReason(due);
  if (wait !== null) return message.reason === wait ? SKIP : { id, kind: 'wait', reason: wait };
  if (message.author === 'bot') {
    // Stored but not processed yet: the lead's message decides first.
    if (due.hasUnprocessedInbound) return SKIP;
    const reason = botBlockReason(
      {
        lead: due.lead,
        isProductActive: due.isProductActive,
        owner: ownerFor(due),
        handedOverBy: due.ownerReason,
        isSuperseded:
          due.hasAnsweredSince || (message.debounce_guard && message.turn !== null && message.turn !== due.turn),
      },
      'answer',
    );
    if (reason !== null) return { id, kind: 'cancel', reason: blockReasonText(reason) };
  }
  const { keyWindowMs } = driverOf(context.vendor);
  if (message.unconfirmed_at !== null && (due.keyAgeMs === null || due.keyAgeMs >= keyWindowMs))
    return { id, kind: 'revert', reason: 'It may have arrived, and the vendor no longer recognises the first try' };
  const block = check(due);
  if (block === 'quota') return { kind: 'quota' };
  if (block?.kind === 'cancel') return { id, kind: 'cancel', reason: block.reason, with_parts: true };
  if (block) return { id, kind: 'defer', reason: block.reason, until: block.until, with_parts: true };
  return { id, kind: 'claim', key_window: keyWindowMs / 1000 };
}

/**
 * Return who owns the dialogue for this message. The sentence of the bot's own hand-over leaves although people own the
 * dialogue then, as long as none of them has seen to it; it is the only one. Nor does it leave when the bot is back.
 */
function ownerFor({ message, owner, ownerReason, isHandOverOpen }: DueFacts): 'bot' | 'human' {
  if (message.origin !== 'hand_over') return owner;
  const isOurs = owner === 'human' && isHandOverOpen && isBotHandOver(ownerReason);
  return isOurs ? 'bot' : 'human';
}

/** Return why the channel cannot send this message now; null if it can. */
function channelBlockReason({ context, hasOlder }: DueFacts): string | null {
  if (!context.channel_active) return 'The channel is switched off';
  if (context.key_rejected_reason !== null) return context.key_rejected_reason;
  if (context.channel_rests) return context.rest_reason ?? 'The channel is paused';
  const { rateLimit } = driverOf(context.vendor);
  return rateLimit.clock === 'domain' && (context.account_waits || hasOlder) ? rateLimit.reason : null;
}
