/** Who owns a dialogue: the bot or people, and which operator it is assigned to. */
import type { Now } from './message.ts';
import { type Needs, SEEN_TO } from './needs.ts';
import type { Turn } from './turn.ts';

/** Of a dialogue, by the names of its columns. Instants are milliseconds since 1970 on the domain clock. */
export interface Ownership {
  readonly owner: 'bot' | 'human';
  readonly owner_reason: string | null;
  readonly owner_reason_detail: string | null;
  readonly owner_since: number | null;
  /** When a person last did something here. */
  readonly human_at: number | null;
  readonly assignee_id: number | null;
  /** The bot or stage detection has handed it over, and nobody has seen to it. */
  readonly hand_over_open: boolean;
  /** Hours after which it returns to the bot; null: those of its product. */
  readonly return_hours: number | null;
}

export type OwnerEvent =
  /** `operatorId`: who becomes its assignee if there is none. `isOpen`: people do not know of it yet. */
  | {
      readonly kind: 'handed_over';
      readonly reason: { readonly code: string; readonly detail?: string | null };
      readonly operatorId: number | null;
      readonly isOpen: boolean;
    }
  | { readonly kind: 'returned' }
  /** A person has written; null: from the phone. */
  | { readonly kind: 'person_wrote'; readonly operator: { readonly id: number; readonly login: string } | null }
  | { readonly kind: 'assigned'; readonly operatorId: number | null }
  | { readonly kind: 'return_set'; readonly hours: number | null };

type State = Ownership & Turn & Needs;

/** Decide what an event changes. */
export function decideOwner(dialogue: State, event: OwnerEvent, now: Now): Partial<State> {
  switch (event.kind) {
    case 'handed_over':
      return {
        owner: 'human',
        owner_reason: event.reason.code,
        owner_reason_detail: event.reason.detail ?? null,
        owner_since: now.domain,
        human_at: now.domain,
        assignee_id: dialogue.assignee_id ?? event.operatorId,
        hand_over_open: event.isOpen,
        ...(event.isOpen ? { done_at: null, snoozed_until: null, snoozed_until_reply: false } : {}),
        turn_due_at: null,
        turn_retry_at: null,
        no_answer: null,
        no_answer_detail: null,
      };
    case 'returned':
      return {
        owner: 'bot',
        owner_reason: null,
        owner_reason_detail: null,
        owner_since: now.domain,
        human_at: null,
        assignee_id: null,
        hand_over_open: false,
        snoozed_until: null,
        snoozed_until_reply: false,
        turn_retry_at: null,
      };
    case 'person_wrote':
      return {
        ...SEEN_TO,
        ...replyOf(dialogue, event.operator, now),
        done_at: null,
        human_at: now.domain,
        // What the bot could not answer is answered, unless the bot still will.
        ...(dialogue.turn_due_at === null ? { no_answer: null, no_answer_detail: null } : {}),
      };
    case 'assigned':
      return { assignee_id: event.operatorId };
    case 'return_set':
      return { return_hours: event.hours };
    default:
      return event satisfies never;
  }
}

/** In a dialogue of people the operator is the one who replies now, and its assignee if there is none. */
function replyOf(
  { owner, owner_reason: reason, owner_reason_detail: detail, assignee_id: assignee }: State,
  operator: { readonly id: number; readonly login: string } | null,
  now: Now,
): Partial<State> {
  if (owner !== 'human' || operator === null) return {};
  // Why the bot handed over stays.
  const isTaken = reason === 'phone' || reason === 'operator';
  return {
    assignee_id: assignee ?? operator.id,
    ...(isTaken && detail !== operator.login
      ? { owner_since: now.domain, owner_reason: 'operator', owner_reason_detail: operator.login }
      : {}),
  };
}
