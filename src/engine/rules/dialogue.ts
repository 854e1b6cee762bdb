/** A dialogue as a value, and what happens to it beside its messages. Each ability has a file of its own. */
import { type Attention, type AttentionEvent, decideAttention } from './attention.ts';
import type { Now } from './message.ts';
import { decideNeeds, type Needs, type NeedsEvent } from './needs.ts';
import { decideOwner, type OwnerEvent, type Ownership } from './owner.ts';
import { decideTurn, type Turn, type TurnEvent } from './turn.ts';

export interface Dialogue extends Needs, Turn, Ownership, Attention {}

export type DialogueEvent = NeedsEvent | TurnEvent | OwnerEvent | AttentionEvent;

/** Decide what an event changes in a dialogue. Nothing that stays as it is is among it. */
export function decideDialogue(dialogue: Dialogue, event: DialogueEvent, now: Now): Partial<Dialogue> {
  const changes = changesBy(dialogue, event, now);
  const entries = Object.entries(changes).filter(([name, value]) => Reflect.get(dialogue, name) !== value);
  return Object.fromEntries(entries) as Partial<Dialogue>;
}

/**
 * What the plan of the lead reads of a dialogue. A test holds it against the statement that reads it, and all others against
 * every transaction that changes it.
 */
export const PLANNED_BY = [
  'owner',
  'last_user_msg_id',
  'last_user_msg_at',
  'last_bot_msg_id',
  'skip_ping_for_msg_id',
  'closed_msg_id',
] as const satisfies (keyof Dialogue)[];

/** Whether the lead's plan is to be evaluated. */
export const changesPlan = (before: Dialogue, after: Dialogue): boolean =>
  PLANNED_BY.some((column) => before[column] !== after[column]);

function changesBy(dialogue: Dialogue, event: DialogueEvent, now: Now): Partial<Dialogue> {
  switch (event.kind) {
    case 'left_elsewhere':
    case 'newest_changed':
    case 'wait_reopened':
      return decideNeeds(dialogue, event);
    case 'lead_active':
    case 'restated':
    case 'wrote':
    case 'answer_settled':
    case 'answer_failed':
    case 'answer_deferred':
    case 'answer_released':
    case 'taken_back':
    case 'answered_for_bot':
    case 'reply_requested':
    case 'left_unanswered':
    case 'budget_renewed':
    case 'closed':
    case 'follow_ups_skipped':
      return decideTurn(dialogue, event, now);
    case 'handed_over':
    case 'returned':
    case 'person_wrote':
    case 'assigned':
    case 'return_set':
      return decideOwner(dialogue, event, now);
    case 'done':
    case 'undone':
    case 'snoozed':
    case 'snooze_ended':
    case 'lead_left':
    case 'opt_out_asked':
    case 'opt_out_decided':
      return decideAttention(dialogue, event, now);
    default:
      return event satisfies never;
  }
}
