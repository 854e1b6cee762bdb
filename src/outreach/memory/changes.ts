/**
 * How dialogues and messages of the engine in memory change: the rules decide, the changes are saved, and the effects carried
 * out. `engine/steps` does the same in the database.
 */
import { type ConversationEvent, decideMessage, type Effect, effectsOf } from '../../engine/rules/conversation.ts';
import type { DeliveryEvent } from '../../engine/rules/delivery.ts';
import { changesPlan, type DialogueEvent, decideDialogue } from '../../engine/rules/dialogue.ts';
import type { Delivery, DeliveryFact } from '../../engine/rules/message.ts';
import { type Failing, failureOf } from '../../engine/rules/needs.ts';
import { isPointless, type Pointless } from '../../engine/rules/waiting.ts';
import { stageAfterOutbound } from '../../leads/lead.ts';
import type { MemoryLead } from './lead.ts';
import type { MemoryDialogue, MemoryMessage } from './rows.ts';
import type { MemoryState } from './state.ts';
import { forgetSettled } from './thread.ts';

/** Apply events to messages of a lead's dialogue, in their order. */
export function applyEvents(state: MemoryState, lead: MemoryLead, events: readonly ConversationEvent[]): void {
  for (const { message: id, event } of events) {
    const message = lead.dialogue?.messages.find((one) => one.id === id);
    if (message) applyEvent(state, lead, { message, event });
  }
}

/** Apply an event to a message of a lead's dialogue. Returns what has happened; undefined: nothing. */
export function applyEvent(
  state: MemoryState,
  lead: MemoryLead,
  { message, event }: { readonly message: MemoryMessage; readonly event: DeliveryEvent },
): DeliveryFact | undefined {
  const { dialogue } = lead;
  if (!dialogue) return;
  const { id, state: before } = message;
  const place = { id, message: before, dialogue: dialogue.state, failing: failingOf(dialogue) };
  const decision = decideMessage(place, event, state.clocks);
  if ('after' in decision) {
    message.state = decision.after;
    Object.assign(dialogue.state, decision.dialogue);
    forgetSettled(dialogue, message);
    lead.noteChange();
  }
  for (const effect of effectsOf(before, { message: id, event }, message.state))
    carryOut(state, lead, { message, effect });
  return 'fact' in decision ? decision.fact : undefined;
}

const NOTHING_FAILS: Failing = new Map();

function failingOf({ state, messages }: MemoryDialogue): Failing {
  if (state.failed_since === null && state.unconfirmed_since === null) return NOTHING_FAILS;
  return new Map(
    messages.flatMap((message) => {
      const failure = failureOf(message.state);
      return failure === null ? [] : [[message.id, failure] as const];
    }),
  );
}

function carryOut(
  state: MemoryState,
  lead: MemoryLead,
  { message, effect }: { readonly message: MemoryMessage; readonly effect: Effect },
): void {
  switch (effect.kind) {
    case 'plan':
      return state.reevaluate(lead);
    case 'start':
      if (!hasReachedNobody(lead, message)) lead.change({ stage: stageAfterOutbound(lead.columns.stage) });
      return;
    case 'pause_channel':
      state.channels.pause(message.channelId, { ...effect, now: state.now });
      return state.refreshChannels();
    case 'reject_key':
      state.channels.rejectKey(message.channelId, effect.reason);
      return state.refreshChannels();
    case 'settle_recipient':
      // Of reports alone, and in memory none is of an error.
      return;
    default:
      effect satisfies never;
  }
}

/** Whether a message is a later part of a first message whose first part failed. */
const hasReachedNobody = ({ dialogue }: MemoryLead, { id, state: { part_group: group } }: MemoryMessage): boolean =>
  group !== null &&
  dialogue !== null &&
  dialogue.messages.some(
    ({ id: other, state: one }) =>
      one.part_group === group && one.origin === 'first' && other < id && one.status === 'error',
  );

/** Apply an event to a lead's dialogue, if it has one. */
export function changeDialogue(state: MemoryState, lead: MemoryLead, event: DialogueEvent): void {
  const { dialogue } = lead;
  if (!dialogue) return;
  const before = { ...dialogue.state };
  const changes = decideDialogue(before, event, state.clocks);
  Object.assign(dialogue.state, changes);
  lead.noteChange();
  if (changesPlan(before, dialogue.state)) state.reevaluate(lead);
  const { turn_due_at: dueAt = null } = changes;
  if (dueAt !== null) state.dueTurns.add(dueAt, lead.columns.id);
}

/** Cancel what waits for a lead and has become pointless. */
export function cancelWaiting(
  state: MemoryState,
  lead: MemoryLead,
  which: Pointless & { readonly reason: string },
): void {
  cancelPointless(state, lead, { reason: which.reason, isPointless: (message) => isPointless(message, which) });
}

/** Cancel what waits for a lead and is pointless by a condition. */
export function cancelPointless(
  state: MemoryState,
  lead: MemoryLead,
  { reason, isPointless: isWanted }: { reason: string; isPointless: (message: Delivery) => boolean },
): void {
  for (const message of lead.waiting)
    if (isWanted(message.state)) applyEvent(state, lead, { message, event: { kind: 'cancelled', reason } });
}

/** Move what was deferred to working hours back to its wanted time. */
export function restoreMoved(state: MemoryState, lead: MemoryLead): void {
  for (const message of lead.waiting)
    if (applyEvent(state, lead, { message, event: { kind: 'restored' } })) state.outbox.add(state.now, lead.columns.id);
}
