/** What operators do about a dialogue that needs them: done, undone, snoozed; and whether the lead wants no more messages. */
import type { Now } from './message.ts';
import { type Needs, SEEN_TO } from './needs.ts';
import type { Ownership } from './owner.ts';
import type { Turn } from './turn.ts';

/** What a dialogue needed before it was done is kept, so that this can be undone. */
const KEPT = [
  'waiting_since',
  'hand_over_open',
  'failed_since',
  'unconfirmed_since',
  'no_answer',
  'no_answer_detail',
  'snoozed_until',
  'snoozed_until_reply',
] as const;
export type Kept = Pick<Needs & Turn & Ownership, (typeof KEPT)[number]>;

/** Of a dialogue, by the names of its columns. Instants are milliseconds since 1970 on the domain clock. */
export interface Attention {
  readonly done_needs: Kept | null;
  /** Since when people are asked whether the lead wants no more messages. */
  readonly may_opt_out_since: number | null;
}

export type AttentionEvent =
  | { readonly kind: 'done' }
  | { readonly kind: 'undone' }
  /** `until` null, `untilReply` false: it is snoozed no more. */
  | { readonly kind: 'snoozed'; readonly until: number | null; readonly untilReply: boolean }
  /** The time of a snooze has come. */
  | { readonly kind: 'snooze_ended' }
  /** The lead has left: nobody is needed any more. */
  | { readonly kind: 'lead_left' }
  | { readonly kind: 'opt_out_asked' }
  | { readonly kind: 'opt_out_decided' };

const NO_SNOOZE = { snoozed_until: null, snoozed_until_reply: false } as const;
const NO_REASON = { no_answer: null, no_answer_detail: null } as const;

type State = Attention & Ownership & Turn & Needs;

/** Decide what an event changes. */
export function decideAttention(dialogue: State, event: AttentionEvent, now: Now): Partial<State> {
  switch (event.kind) {
    case 'done':
      return { ...SEEN_TO, ...NO_REASON, done_at: now.domain, done_needs: needsOf(dialogue) };
    case 'undone':
      return dialogue.done_at === null || dialogue.done_needs === null
        ? {}
        : { ...dialogue.done_needs, done_at: null, done_needs: null };
    case 'snoozed':
      return { snoozed_until: event.until, snoozed_until_reply: event.untilReply };
    case 'snooze_ended':
      return dialogue.snoozed_until !== null && dialogue.snoozed_until <= now.domain ? NO_SNOOZE : {};
    case 'lead_left':
      return { ...SEEN_TO, ...NO_REASON };
    case 'opt_out_asked':
      return { ...NO_SNOOZE, may_opt_out_since: dialogue.may_opt_out_since ?? now.domain, done_at: null };
    case 'opt_out_decided':
      return { may_opt_out_since: null };
    default:
      return event satisfies never;
  }
}

const needsOf = (dialogue: State): Kept =>
  Object.fromEntries(KEPT.map((name) => [name, dialogue[name]])) as unknown as Kept;
