/**
 * A conversation as a value, what may happen to it, and what follows. Every rule is here or in a file of its ability; to
 * load states, to save them and to carry out effects is the world's part.
 */
import { type DeliveryEvent, decideDelivery } from './delivery.ts';
import { type Delivery, type DeliveryFact, type DeliveryRefusal, hasLeft, type Now } from './message.ts';
import { type Failing, failureOf, type Needs, noteDelivery } from './needs.ts';
import { CHANNEL_PAUSE_SECONDS, decideRejection } from './rejection.ts';

/** A dialogue, and those of our messages in it that something happens to. */
export interface Conversation {
  readonly dialogue: Needs;
  readonly messages: ReadonlyMap<number, Delivery>;
  /** Its failed and doubtful messages, of `messages` and others. */
  readonly failing: Failing;
}

/** What happens to a message of a conversation. */
export interface ConversationEvent {
  readonly message: number;
  readonly event: DeliveryEvent;
}

/** What has happened, with all that it changes. */
export interface Fact {
  readonly kind: DeliveryFact;
  readonly message: number;
  readonly changes: Partial<Delivery>;
  /** The message with these changes. */
  readonly after: Delivery;
  readonly dialogue: Partial<Needs>;
}

/** What the world is to do. */
export type Effect =
  /** The lead's plan is to be evaluated: it reads what has left, what waits and what has failed. */
  | { readonly kind: 'plan' }
  /** The lead has something of ours: if nothing was sent before, its stage changes. */
  | { readonly kind: 'start'; readonly message: number }
  /** Nobody has the address: the quota, the stage and the lead's other contact are to be settled. */
  | { readonly kind: 'settle_recipient'; readonly message: number }
  | { readonly kind: 'pause_channel'; readonly message: number; readonly seconds: number; readonly reason: string }
  | { readonly kind: 'reject_key'; readonly message: number; readonly reason: string };

/** Decide what follows from an event, or why nothing does. */
export function decide(
  state: Conversation,
  { message: id, event }: ConversationEvent,
  now: Now,
): Fact | { readonly refused: DeliveryRefusal } {
  const message = state.messages.get(id);
  if (!message || (event.kind === 'claimed' && isSending(state, id))) return { refused: 'no_change' };
  const decision = decideMessage({ ...state, id, message }, event, now);
  if ('refused' in decision) return decision;
  const { fact: kind, after, changes, dialogue } = decision;
  return { kind, message: id, after, changes: changed(message, changes), dialogue: changed(state.dialogue, dialogue) };
}

/** A message, and what it may change of its dialogue. */
interface Place extends Pick<Conversation, 'dialogue' | 'failing'> {
  readonly id: number;
  readonly message: Delivery;
}

/** What happens to a message. Of what it says to change, something may be so already. */
interface Happening extends Pick<Fact, 'after' | 'changes' | 'dialogue'> {
  readonly fact: DeliveryFact;
}

/** Decide about a message whose dialogue has no other one with the vendor. */
export function decideMessage(
  { id, message, dialogue, failing: before }: Place,
  event: DeliveryEvent,
  now: Now,
): Happening | { readonly refused: DeliveryRefusal } {
  const decision = decideDelivery(message, event, now);
  if ('refused' in decision) return decision;
  const { fact, changes } = decision;
  const after = { ...message, ...changes };
  const failing = withMessage(before, id, after);
  const needs = noteDelivery(dialogue, { id, before: message, after, failing, now: now.domain });
  return { fact, changes, after, dialogue: needs };
}

/** Whether another message of the dialogue is with the vendor: one at a time keeps their order. */
const isSending = ({ messages }: Conversation, id: number): boolean =>
  [...messages].some(([other, { status }]) => other !== id && status === 'sending');

/** Only what changes is stored: a row that keeps its indexed columns costs less. */
function changed<State extends object>(before: State, changes: Partial<State>): Partial<State> {
  const only: Partial<State> = {};
  for (const name of Object.keys(changes) as (keyof State)[])
    if (before[name] !== changes[name]) only[name] = changes[name];
  return only;
}

/** Apply what has happened. */
export const evolve = (state: Conversation, { message: id, after, dialogue }: Fact): Conversation => ({
  dialogue: { ...state.dialogue, ...dialogue },
  messages: new Map(state.messages).set(id, after),
  failing: withMessage(state.failing, id, after),
});

function withMessage(failing: Failing, id: number, message: Delivery): Failing {
  const failure = failureOf(message);
  if ((failing.get(id) ?? null) === failure) return failing;
  const others = [...failing].filter(([other]) => other !== id);
  return new Map(failure === null ? others : [...others, [id, failure]]);
}

/**
 * Return what the world is to do after an event of a message. What a rejection says of its channel or account holds even if the message
 * has been settled meanwhile.
 */
export function effectsOf(was: Delivery, { message: id, event }: ConversationEvent, is: Delivery): Effect[] {
  const effects: Effect[] = [];
  if (changesPlan(was, is)) effects.push({ kind: 'plan' });
  if (!hasLeft(was) && hasLeft(is)) effects.push({ kind: 'start', message: id });
  if (!was.recipient_not_found && is.recipient_not_found) effects.push({ kind: 'settle_recipient', message: id });
  // The vendor had accepted it, and could not send it.
  if (event.kind === 'reported' && is.status === 'error' && (event.about === 'channel' || event.about === 'passing')) {
    const reason = event.reason ?? 'The vendor could not send';
    if (was.status !== is.status)
      effects.push({ kind: 'pause_channel', message: id, seconds: CHANNEL_PAUSE_SECONDS, reason });
  }
  if (event.kind === 'rejected') {
    const { channelPauseSeconds: seconds, rejectsKey } = decideRejection(event, was.attempts);
    if (seconds !== null) effects.push({ kind: 'pause_channel', message: id, seconds, reason: event.reason });
    if (rejectsKey) effects.push({ kind: 'reject_key', message: id, reason: event.reason });
  }
  return effects;
}

/** A message that is claimed still waits as far as plans go, and on its way from sent to read it has left. */
const changesPlan = (was: Delivery, is: Delivery): boolean =>
  was.status !== is.status && is.status !== 'sending' && !(hasLeft(was) && hasLeft(is));

/** What became of a conversation through events, in their order. */
export interface Outcome {
  readonly state: Conversation;
  readonly facts: readonly Fact[];
  readonly effects: readonly Effect[];
  /** Why the last event of a message changed nothing, by message. */
  readonly refusals: ReadonlyMap<number, DeliveryRefusal>;
}

/** Fold events into a conversation. */
export function apply(start: Conversation, events: readonly ConversationEvent[], now: Now): Outcome {
  let state = start;
  const facts: Fact[] = [];
  const effects: Effect[] = [];
  const refusals = new Map<number, DeliveryRefusal>();
  for (const event of events) {
    const decision = decide(state, event, now);
    if ('refused' in decision) {
      refusals.set(event.message, decision.refused);
      if (decision.refused === 'not_ours') continue;
    } else facts.push(decision);
    const after = 'refused' in decision ? state : evolve(state, decision);
    const [was, is] = [state.messages.get(event.message), after.messages.get(event.message)];
    if (was && is) effects.push(...effectsOf(was, event, is));
    state = after;
  }
  return { state, facts, effects, refusals };
}
