/** Decides whether a dialogue's first due message leaves. Pure. */

import { driverOf } from '../channels/drivers.ts';
import type { SendBlock, SendCheck, SendFacts } from '../conversations/sendPolicy.ts';
import type { MessageRow } from '../conversations/store/tables.ts';
import type { WaitingEvent } from '../engine/rules/waiting.ts';
import { addressRefusalText } from '../leads/addressRefusal.ts';
import { blockReasonText, botBlockReason, isBotHandOver } from '../leads/lead.ts';
import { isPromise, isUnwanted, OPT_OUT_REASONS, optOutReason, type PersonOptOut } from '../leads/personOptOut.ts';
import type { DueMessage } from './store/dueMessages.ts';

/** What keeps a message. `takesParts`: the parts of its text go with it. */
export interface SendChange {
  readonly kind: 'change';
  readonly id: number;
  readonly event: Extract<WaitingEvent, { kind: 'noted' | 'deferred' | 'cancelled' }>;
  readonly takesParts: boolean;
}

/**
 * `claim`: it leaves. `skip`: it is looked at again when what it waits for has ended. `quota`: it needs a place in the day's
 * quota first. `expired`: the vendor has forgotten the key of a try that may have arrived.
 */
export type SendDecision =
  | SendChange
  | { readonly kind: 'claim' }
  | { readonly kind: 'skip' }
  | { readonly kind: 'quota' }
  | { readonly kind: 'expired'; readonly id: number; readonly reason: string };

/** What deciding about a due message needs. */
export interface DueFacts extends Omit<DueMessage, 'message' | 'context' | 'lead'> {
  readonly message: SendFacts['message'] &
    Pick<MessageRow, 'id' | 'reason' | 'debounce_guard' | 'turn'> & {
      /** ISO instants, or ms since 1970. */
      readonly created_at: string | number;
      readonly unconfirmed_at: string | number | null;
    };
  readonly context: Pick<
    DueMessage['context'],
    'vendor' | 'channel_active' | 'channel_rests' | 'rest_reason' | 'key_rejected_reason' | 'account_waits'
  >;
  readonly lead: Omit<DueMessage['lead'], 'id'>;
  /** The wish of the person to get no more messages; null if there is none. */
  readonly personOptOut: PersonOptOut | null;
}

const SKIP = { kind: 'skip' } as const;

/** Milliseconds until a message to a person who may want none is looked at again; a decision has it leave at once. */
const RECHECK_MS = 3_600_000;

/** Decide about one message. */
export function decideSend(due: DueFacts, check: SendCheck): SendDecision {
  const { message, context, personOptOut } = due;
  const { id } = message;
  if (due.isDialogueBlocked || !due.isReady) return SKIP;
  const wait = channelBlockReason(due);
  if (wait !== null) return message.reason === wait ? SKIP : change(id, { kind: 'noted', reason: wait });
  if (message.author === 'bot') {
    // Stored but not processed yet: the lead's message decides first.
    if (due.hasUnprocessedInbound) return SKIP;
    const reason = botBlockReason(
      {
        // The answer that promised silence still leaves.
        lead: personOptOut && isPromise(message, personOptOut) ? { ...due.lead, is_active: true } : due.lead,
        isProductActive: due.isProductActive,
        owner: ownerFor(due),
        handedOverBy: due.ownerReason,
        isSuperseded:
          due.hasAnsweredSince || (message.debounce_guard && message.turn !== null && message.turn !== due.turn),
      },
      'answer',
    );
    if (reason !== null) return change(id, { kind: 'cancelled', reason: blockReasonText(reason) });
  } else if (isGuardedReply(message)) {
    if (due.hasUnprocessedInbound) return SKIP;
    if (due.hasNewerInbound)
      return change(id, { kind: 'cancelled', reason: blockReasonText({ code: 'newer_message' }) });
  }
  const isUnsolicited = message.origin === 'first' || message.origin === 'ping';
  if (isUnsolicited && due.addressRefusal)
    return blockBy(id, { kind: 'cancel', reason: addressRefusalText('whatsapp', due.addressRefusal) });
  if (personOptOut && isUnwanted(message, personOptOut)) {
    const reason = OPT_OUT_REASONS[optOutReason(personOptOut).code];
    if (personOptOut.state === 'certain') return blockBy(id, { kind: 'cancel', reason });
    return blockBy(id, { kind: 'wait', reason, until: new Date(due.now + RECHECK_MS).toISOString() });
  }
  const { keyWindowMs } = driverOf(context.vendor);
  if (message.unconfirmed_at !== null && (due.keyAgeMs === null || due.keyAgeMs >= keyWindowMs))
    return { id, kind: 'expired', reason: 'It may have arrived, and the vendor no longer recognises the first try' };
  const block = check(due);
  if (block === 'quota') return { kind: 'quota' };
  return block ? blockBy(id, block) : { kind: 'claim' };
}

const change = (id: number, event: SendChange['event'], takesParts = false): SendChange => ({
  kind: 'change',
  id,
  event,
  takesParts,
});

/** What holds a message back holds back the parts of its text. */
export const blockBy = (id: number, block: SendBlock): SendChange => {
  const { kind, reason } = block;
  const event =
    kind === 'cancel'
      ? ({ kind: 'cancelled', reason } as const)
      : ({ kind: 'deferred', reason, at: Date.parse(block.until) } as const);
  return change(id, event, true);
};

/** Whether a message that the bot has not written leaves only while the lead has written nothing newer than it answers. */
function isGuardedReply(message: DueFacts['message']): boolean {
  return message.debounce_guard && message.reply_on_msg_id !== null;
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
