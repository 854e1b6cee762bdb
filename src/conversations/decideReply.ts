/** Decides whether the bot answers a turn, and what becomes of an answer. Pure. */
import { botBlockReason } from '../leads/lead.ts';
import type { HumanRequest } from './humanRequest.ts';
import { type NoAnswer, noAnswerWhenBlocked } from './noAnswer.ts';
import type { OutgoingMessage } from './queueMessages.ts';
import type { ClaimedTurn, TurnChange, TurnState } from './store/turns.ts';

/** How long a failing model is retried, milliseconds. */
const RETRY_TIMEOUT_MS = 15 * 60_000;

/** What was generated for a turn, or why nothing was. */
export type ReplyResult =
  | ({ readonly kind: 'answer' } & Pick<OutgoingMessage, 'text' | 'model' | 'prompt' | 'renderedPrompt'>)
  /** The bot gives the dialogue to a human instead of answering. */
  | ({ readonly kind: 'hand_over' } & HumanRequest)
  | { readonly kind: 'none'; readonly noAnswer: NoAnswer | null }
  /** The model failed; it is asked again after `seconds`. */
  | { readonly kind: 'retry'; readonly seconds: number; readonly detail: string }
  | { readonly kind: 'budget'; readonly detail: string };

/** The state of a turn that deciding about its answer needs. */
interface ReplyFacts
  extends Pick<
    TurnState,
    'id' | 'turn' | 'is_due' | 'owner' | 'is_product_active' | 'has_unprocessed_inbound' | 'failing_ms' | 'waits'
  > {
  readonly lead: Pick<TurnState['lead'], 'stage' | 'is_active' | 'recognized_deactivation_request'>;
}

const EFFECTS = { answer: 'queue', hand_over: 'hand_over' } as const;

/** Whether the bot may answer a claimed turn. */
export const mayAnswer = ({ lead, product, owner }: Pick<ClaimedTurn, 'lead' | 'product' | 'owner'>): boolean =>
  botBlockReason({ lead, isProductActive: product.is_active, owner }, 'answer') === null;

interface ReplyDecision {
  readonly change: TurnChange;
  /** What is done beside closing the turn: the answer is queued, or the dialogue handed over. */
  readonly effect: 'queue' | 'hand_over' | null;
}

/**
 * Decide what a result changes, by the state of the turn at the time of storing. An answer is queued, or the dialogue
 * handed over, only if the turn is still the current one and due, the bot may still speak, and the lead has written
 * nothing since. A newer turn gets its own answer. If the bot may not speak and the lead still waits, a person must see it.
 */
export function decideReply({ turn, result }: { turn: number; result: ReplyResult }, state: ReplyFacts): ReplyDecision {
  const { id, is_due: isDue, owner, lead, is_product_active: isProductActive } = state;
  const close = (noAnswer: NoAnswer | null, effect: ReplyDecision['effect'] = null): ReplyDecision => ({
    change: {
      id,
      turn,
      kind: 'close',
      no_answer: noAnswer?.code ?? null,
      detail: noAnswer && 'detail' in noAnswer ? noAnswer.detail : null,
    },
    effect,
  });
  const keep = (change: TurnChange): ReplyDecision => ({ change, effect: null });
  if (state.turn !== turn || !isDue) return keep({ id, turn, kind: 'release' });
  const blocked = botBlockReason({ lead, isProductActive, owner }, 'answer');
  const unseen = state.waits ? noAnswerWhenBlocked(blocked) : null;
  switch (result.kind) {
    case 'none':
      return close(result.noAnswer ?? unseen);
    case 'budget':
      return keep({ id, turn, kind: 'next_day', detail: result.detail });
    case 'retry':
      return (state.failing_ms ?? 0) > RETRY_TIMEOUT_MS
        ? close({ code: 'model', detail: result.detail })
        : keep({ id, turn, kind: 'retry', seconds: result.seconds });
    case 'answer':
    case 'hand_over': {
      if (state.has_unprocessed_inbound) return keep({ id, turn, kind: 'release' });
      return blocked === null ? close(null, EFFECTS[result.kind]) : close(unseen);
    }
    default:
      return result satisfies never;
  }
}
