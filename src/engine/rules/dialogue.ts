/** A dialogue as a value, and what happens to it beside its messages. Each ability has a file of its own. */
import { type Attention, type AttentionEvent, decideAttention } from './attention.ts';
import type { Now } from './message.ts';
import type { Needs } from './needs.ts';
import { decideOwner, type OwnerEvent, type Ownership } from './owner.ts';
import { decideTurn, type Turn, type TurnEvent } from './turn.ts';

export interface Dialogue extends Needs, Turn, Ownership, Attention {}

export type DialogueEvent = TurnEvent | OwnerEvent | AttentionEvent;

/** Decide what an event changes in a dialogue. Nothing that stays as it is is among it. */
export function decideDialogue(dialogue: Dialogue, event: DialogueEvent, now: Now): Partial<Dialogue> {
  const changes = changesBy(dialogue, event, now);
  const entries = Object.entries(changes).filter(([name, value]) => Reflect.get(dialogue, name) !== value);
  return Object.fromEntries(entries) as Partial<Dialogue>;
}

/** Whether the lead's plan is to be evaluated. What else of a dialogue it reads, a trigger sees to. */
export const changesPlan = (before: Dialogue, after: Dialogue): boolean =>
  before.last_user_msg_at !== after.last_user_msg_at;

function changesBy(dialogue: Dialogue, event: DialogueEvent, now: Now): Partial<Dialogue> {
  switch (event.kind) {
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
