/** Decides whether the bot answers a turn, and what becomes of an answer. Pure. */
import type { TurnSettled } from '../engine/rules/turn.ts';
import { botBlockReason } from '../leads/lead.ts';
import { type OptOutSource, type OptOutState, stateByModel } from '../leads/personOptOut.ts';
import { promisesSilence } from '../leads/promisesSilence.ts';
import type { HumanRequest } from './humanRequest.ts';
import { type NoAnswer, noAnswerWhenBlocked } from './noAnswer.ts';
import type { OutgoingMessage } from './queueMessages.ts';
import type { ClaimedTurn, TurnState } from './store/turns.ts';

/** How long a failing model is retried, milliseconds. */
const RETRY_TIMEOUT_MS = 15 * 60_000;

/** What was generated for a turn, or why nothing was. */
export type ReplyResult =
  | ({ readonly kind: 'answer' } & Pick<OutgoingMessage, 'text' | 'model' | 'prompt' | 'renderedPrompt'>)
  /** The bot gives the dialogue to a human instead of answering. */
  | ({ readonly kind: 'hand_over'; readonly stops: boolean } & HumanRequest)
  /** The model says that the person wants no more messages; a hand-over may say so as well (`stops`). */
  | { readonly kind: 'stop' }
  | { readonly kind: 'none'; readonly noAnswer: NoAnswer | null }
  /** The model failed; it is asked again after `seconds`. */
  | { readonly kind: 'retry'; readonly seconds: number; readonly detail: string }
  | { readonly kind: 'budget'; readonly detail: string };

/** The state of a turn that deciding about its answer needs. */
interface ReplyFacts
  extends Pick<
    TurnState,
    'turn' | 'is_due' | 'owner' | 'is_product_active' | 'has_unprocessed_inbound' | 'failing_ms' | 'waits'
  > {
  readonly lead: Pick<TurnState['lead'], 'stage' | 'is_active' | 'recognized_deactivation_request'>;
}

const EFFECTS = { answer: 'queue', hand_over: 'hand_over', stop: null } as const;

/** Whether the bot may answer a claimed turn. */
export const mayAnswer = ({
  lead,
  product,
  owner,
}: Pick<ReplyFacts, 'lead' | 'owner'> & { readonly product: Pick<ClaimedTurn['product'], 'is_active'> }): boolean =>
  botBlockReason({ lead, isProductActive: product.is_active, owner }, 'answer') === null;

interface ReplyDecision {
  readonly event: TurnSettled;
  /** What is done beside closing the turn: the answer is queued, or the dialogue handed over. */
  readonly effect: 'queue' | 'hand_over' | null;
  /** What the model has found out about the person's wish to get no more messages; null: it was not asked, or cannot say. */
  readonly optOut: { readonly state: OptOutState; readonly source: OptOutSource } | 'none' | null;
}

/** What was generated for a turn. */
interface Generated {
  readonly turn: number;
  readonly result: ReplyResult;
  /** Whether what the lead has written in the turn has a hint that it wants no more messages. */
  readonly hasHint: boolean;
}

const NOTHING = { effect: null, optOut: null } as const;

/**
 * Decide what a result changes, by the state of the turn at the time of storing. An answer is queued, or the dialogue
 * handed over, only if the turn is still the current one and due, the bot may still speak, and the lead has written
 * nothing since. A newer turn gets its own answer. If the bot may not speak and the lead still waits, a person must see it.
 */
export function decideReply({ turn, result, hasHint }: Generated, state: ReplyFacts): ReplyDecision {
  const { is_due: isDue, owner, lead, is_product_active: isProductActive } = state;
  const close = (
    noAnswer: NoAnswer | null,
    { effect, optOut }: Pick<ReplyDecision, 'effect' | 'optOut'> = NOTHING,
  ): ReplyDecision => ({
    event: { kind: 'answer_settled', turn, noAnswer },
    effect,
    optOut,
  });
  const keep = (event: TurnSettled): ReplyDecision => ({ event, ...NOTHING });
  if (state.turn !== turn || !isDue) return keep({ kind: 'answer_released', turn });
  const blocked = botBlockReason({ lead, isProductActive, owner }, 'answer');
  const unseen = state.waits ? noAnswerWhenBlocked(blocked) : null;
  switch (result.kind) {
    case 'none':
      return close(result.noAnswer ?? unseen);
    case 'budget':
      return keep({ kind: 'answer_deferred', turn, detail: result.detail });
    case 'retry':
      return (state.failing_ms ?? 0) > RETRY_TIMEOUT_MS
        ? close({ code: 'model', detail: result.detail })
        : keep({ kind: 'answer_failed', turn, seconds: result.seconds });
    case 'answer':
    case 'stop':
    case 'hand_over': {
      if (state.has_unprocessed_inbound) return keep({ kind: 'answer_released', turn });
      return blocked === null
        ? close(null, { effect: EFFECTS[result.kind], optOut: optOutOf(result, hasHint) })
        : close(unseen);
    }
    default:
      return result satisfies never;
  }
}

/**
 * What a result says about the person's wish. The model's tool and the bot's promise count as the person's own wish only if
 * its words have a hint of it; else people are asked.
 */
function optOutOf(
  result: Extract<ReplyResult, { kind: 'answer' | 'stop' | 'hand_over' }>,
  hasHint: boolean,
): ReplyDecision['optOut'] {
  if (result.kind === 'answer')
    return promisesSilence(result.text) ? { state: stateByModel({ hasHint }), source: 'promise' } : 'none';
  if (result.kind === 'hand_over' && !result.stops) return null;
  return { state: stateByModel({ hasHint }), source: 'model' };
}
