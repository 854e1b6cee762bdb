/** The turn of a dialogue: what the lead has written and the bot owes an answer to, when it is due, or why none comes. */
import type { Now } from './message.ts';
import type { Needs } from './needs.ts';

/** Of a dialogue, by the names of its columns. Instants are milliseconds since 1970 on the domain clock. */
export interface Turn {
  readonly last_user_msg_id: number | null;
  readonly turn: number;
  /** When the bot answers; null: it owes nothing. */
  readonly turn_due_at: number | null;
  readonly turn_attempts: number;
  /** Real clock, like the next two. */
  readonly turn_retry_at: number | null;
  readonly turn_failed_at: number | null;
  readonly claimed_until: number | null;
  readonly claimed_by: string | null;
  /** Why the bot does not answer, if people have to see it. */
  readonly no_answer: string | null;
  readonly no_answer_detail: string | null;
  /** Why nobody needs to answer. */
  readonly quiet_reason: string | null;
  /** What the lead has written up to here needs no answer any more. */
  readonly closed_msg_id: number | null;
  readonly closed_at: number | null;
  /** No follow-up comes while this is the newest message. */
  readonly skip_ping_for_msg_id: number | null;
}

/** What became of an answer to a turn: if the lead has written since, it is nothing. */
export type TurnSettled = { readonly turn: number } /** It is on its way, or none comes, and why. */ & (
  | {
      readonly kind: 'answer_settled';
      readonly noAnswer: { readonly code: string; readonly detail?: string | null } | null;
    }
  /** The model has failed; it is asked again after these seconds (real clock). */
  | { readonly kind: 'answer_failed'; readonly seconds: number }
  /** Today's budget is spent. */
  | { readonly kind: 'answer_deferred'; readonly detail: string }
  /** It is another instance's, or a later look's. */
  | { readonly kind: 'answer_released' }
);

/** The lead has written, maybe several times. */
export interface Wrote {
  readonly kind: 'wrote';
  /** The latest message that the lead itself sent; null: the messenger sent notices only. */
  readonly latest: { readonly message: number; readonly at: number } | null;
  /** What lists show, and when it was written. */
  readonly preview: { readonly text: string; readonly at: number };
  /** How many turns have begun. */
  readonly turns: number;
  /** When the last of them is answered; null: it is not, and why, if people have to see it. */
  readonly answerSeconds: number | null;
  readonly noAnswer: { readonly code: string; readonly detail: string | null } | null;
  /** Why nobody needs to answer what began no turn. */
  readonly quiet: string | null;
  /** Whether somebody should answer. */
  readonly waits: boolean;
}

export type TurnEvent =
  | Wrote
  /** The lead did something at this time, without a new message. */
  | { readonly kind: 'lead_active'; readonly at: number }
  /** The lead has changed what it wrote. `answerSeconds` null: the bot does not answer it, and why. */
  | {
      readonly kind: 'restated';
      readonly at: number;
      readonly answerSeconds: number | null;
      readonly noAnswer: { readonly code: string; readonly detail: string | null } | null;
    }
  | TurnSettled
  /** The lead has taken back what was to be answered. */
  | { readonly kind: 'taken_back'; readonly quiet: string }
  /** An operator answers in the bot's place. */
  | { readonly kind: 'answered_for_bot' }
  /** The bot is to answer at once. */
  | { readonly kind: 'reply_requested' }
  /** The bot has the dialogue back, and does not answer what the lead waits with. */
  | { readonly kind: 'left_unanswered'; readonly why: string }
  /** There is money again for an answer that waited for it. */
  | { readonly kind: 'budget_renewed' }
  /** People have decided that nobody answers. */
  | { readonly kind: 'closed' }
  | { readonly kind: 'follow_ups_skipped'; readonly message: number | null };

type State = Turn & Needs;

const NO_RETRY = { turn_retry_at: null, turn_failed_at: null } as const;
const NO_REASON = { no_answer: null, no_answer_detail: null } as const;
const NO_CLAIM = { claimed_by: null, claimed_until: null } as const;

/** Decide what an event changes. */
export function decideTurn(dialogue: State, event: TurnEvent, now: Now): Partial<State> {
  switch (event.kind) {
    case 'lead_active':
      return { last_user_msg_at: Math.max(dialogue.last_user_msg_at ?? event.at, event.at) };
    case 'wrote':
      return note(dialogue, event, now);
    case 'answer_settled':
    case 'answer_failed':
    case 'answer_deferred':
    case 'answer_released':
      return dialogue.turn === event.turn ? settle(dialogue, event, now) : {};
    case 'restated': {
      const { at, answerSeconds, noAnswer } = event;
      return {
        ...NO_RETRY,
        ...NO_CLAIM,
        turn: dialogue.turn + 1,
        turn_due_at: answerSeconds === null ? null : now.domain + answerSeconds * 1000,
        turn_attempts: 0,
        quiet_reason: null,
        no_answer: noAnswer?.code ?? null,
        no_answer_detail: noAnswer?.detail ?? null,
        waiting_since: dialogue.waiting_since ?? at,
        done_at: null,
        ...(dialogue.snoozed_until_reply ? { snoozed_until: null, snoozed_until_reply: false } : {}),
      };
    }
    case 'taken_back':
      return {
        ...NO_RETRY,
        ...NO_CLAIM,
        ...NO_REASON,
        turn_due_at: null,
        turn_attempts: 0,
        waiting_since: null,
        quiet_reason: event.quiet,
      };
    case 'answered_for_bot':
      return { ...NO_RETRY, ...NO_REASON, turn_due_at: null };
    case 'reply_requested':
      return { ...NO_RETRY, ...NO_REASON, turn_due_at: now.domain, turn_attempts: 0 };
    case 'left_unanswered':
      return dialogue.waiting_since !== null && dialogue.turn_due_at === null && dialogue.no_answer === null
        ? { no_answer: event.why }
        : {};
    case 'budget_renewed':
      return dialogue.no_answer === 'budget' && dialogue.turn_due_at !== null && dialogue.turn_due_at > now.domain
        ? { ...NO_REASON, turn_due_at: now.domain }
        : {};
    case 'closed':
      return {
        ...NO_RETRY,
        ...NO_REASON,
        turn_due_at: null,
        waiting_since: null,
        closed_msg_id: dialogue.last_user_msg_id,
        closed_at: dialogue.last_user_msg_id === null ? null : now.domain,
      };
    case 'follow_ups_skipped':
      return { skip_ping_for_msg_id: event.message };
    default:
      return event satisfies never;
  }
}

const DAY_MS = 86_400_000;

function settle(dialogue: State, event: TurnSettled, now: Now): Partial<State> {
  switch (event.kind) {
    case 'answer_settled':
      return {
        ...NO_RETRY,
        ...NO_CLAIM,
        turn_due_at: null,
        turn_attempts: 0,
        no_answer: event.noAnswer?.code ?? null,
        no_answer_detail: event.noAnswer?.detail ?? null,
      };
    case 'answer_failed':
      return {
        ...NO_CLAIM,
        turn_attempts: dialogue.turn_attempts + 1,
        turn_failed_at: dialogue.turn_failed_at ?? now.real,
        turn_retry_at: now.real + event.seconds * 1000,
      };
    case 'answer_deferred':
      return {
        ...NO_RETRY,
        ...NO_CLAIM,
        // Budgets are of UTC days.
        turn_due_at: (Math.floor(now.domain / DAY_MS) + 1) * DAY_MS,
        turn_attempts: 0,
        no_answer: 'budget',
        no_answer_detail: event.detail,
      };
    case 'answer_released':
      return NO_CLAIM;
    default:
      return event satisfies never;
  }
}

/** The vendor's times may be older than what is stored: then that stays the latest. */
function note(dialogue: State, event: Wrote, now: Now): Partial<State> {
  const { latest, preview, waits } = event;
  const { last_user_msg_at: lastAt, last_msg_created_at: newestAt } = dialogue;
  return {
    ...(latest !== null && (lastAt === null || lastAt <= latest.at)
      ? { last_user_msg_id: latest.message, last_user_msg_at: latest.at }
      : {}),
    ...(newestAt === null || newestAt <= preview.at
      ? { last_message: preview.text, last_msg_created_at: preview.at }
      : {}),
    ...answerTo(dialogue, event, now),
    ...(waits ? { waiting_since: dialogue.waiting_since ?? latest?.at ?? preview.at, done_at: null } : {}),
    ...(waits && dialogue.snoozed_until_reply ? { snoozed_until: null, snoozed_until_reply: false } : {}),
  };
}

/** What begins no turn changes nothing of one that is open, nor of the reason why none is answered. */
function answerTo(dialogue: State, { turns, answerSeconds, noAnswer, quiet }: Wrote, now: Now): Partial<State> {
  const reason = { no_answer: noAnswer?.code ?? null, no_answer_detail: noAnswer?.detail ?? null };
  if (turns === 0) {
    const isOpen = dialogue.turn_due_at !== null || dialogue.no_answer !== null;
    return { ...(isOpen ? {} : reason), ...(quiet === null ? {} : { quiet_reason: quiet }) };
  }
  return {
    ...NO_RETRY,
    ...NO_CLAIM,
    ...reason,
    turn: dialogue.turn + turns,
    turn_due_at: answerSeconds === null ? null : now.domain + answerSeconds * 1000,
    turn_attempts: 0,
    quiet_reason: quiet,
  };
}
