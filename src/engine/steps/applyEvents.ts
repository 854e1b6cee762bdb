/** Applies events to loaded conversations: the rules decide, what changes is saved, and the effects are carried out. */
import { pauseChannel, rejectAccountKey, stopChannelFirstMessages } from '../../channels/store.ts';
import type { Tx } from '../../platform/db.ts';
import { notify, wakeSweep } from '../../platform/notifications.ts';
import type { Loaded, LoadedConversation } from '../postgres/load.ts';
import { type Changes, collectChanges, mergeInto, type SaveOptions, saveChanges } from '../postgres/save.ts';
import { apply, type ConversationEvent, type Effect, type Fact } from '../rules/conversation.ts';
import type { Delivery, DeliveryRefusal } from '../rules/message.ts';
import { markStarted } from './markStarted.ts';

/** The sweep that settles first messages without a recipient. */
export const RECIPIENTS_SWEEP = 'recipients not found';

/** What became of one message. */
export interface MessageOutcome {
  readonly conversation: LoadedConversation;
  readonly before: Delivery;
  readonly after: Delivery;
  readonly facts: readonly Fact[];
  /** Why its last event changed nothing. */
  readonly refused: DeliveryRefusal | null;
}

interface Application extends Omit<SaveOptions, 'leadIds'> {
  readonly loaded: Loaded;
  readonly events: readonly ConversationEvent[];
  /** Columns of dialogues that change beside what the rules say, by dialogue. */
  readonly dialogues?: ReadonlyMap<number, Readonly<Record<string, unknown>>>;
}

/** Apply events, in their order. Returns what became of each of their messages; those that were not loaded are left out. */
export async function applyEvents(
  tx: Tx,
  { loaded: { now, byMessage }, events, dialogues = new Map(), ...options }: Application,
): Promise<ReadonlyMap<number, MessageOutcome>> {
  const changes: Changes = { messages: new Map(), dialogues: new Map() };
  const outcomes = new Map<number, MessageOutcome>();
  const effects: { conversation: LoadedConversation; effect: Effect }[] = [];
  for (const [conversation, own] of Map.groupBy(events, ({ message }) => byMessage.get(message))) {
    if (!conversation) continue;
    const { id, productId, state } = conversation;
    const outcome = apply(state, own, now);
    collectChanges(changes, id, outcome.facts);
    effects.push(...outcome.effects.map((effect) => ({ conversation, effect })));
    for (const { message } of own) {
      const before = state.messages.get(message);
      const after = outcome.state.messages.get(message);
      if (!before || !after) continue;
      const facts = outcome.facts.filter((fact) => fact.message === message);
      outcomes.set(message, { conversation, before, after, facts, refused: outcome.refusals.get(message) ?? null });
      if (facts.length > 0) notify(tx, { topic: 'message', product: productId, ids: [message] });
    }
  }
  for (const [id, columns] of dialogues) mergeInto(changes.dialogues, id, columns);
  if (effects.some(({ effect }) => effect.kind === 'settle_recipient')) wakeSweep(tx, RECIPIENTS_SWEEP);
  const planned = effects.flatMap(({ conversation, effect }) => (effect.kind === 'plan' ? [conversation.lead.id] : []));
  await saveChanges(tx, changes, { ...options, leadIds: [...new Set(planned)] });
  await carryOut(tx, effects);
  return outcomes;
}

/** Carry out the effects that have statements of their own: all are rare, but for leads that have got their first message. */
async function carryOut(
  tx: Tx,
  effects: readonly { readonly conversation: LoadedConversation; readonly effect: Effect }[],
): Promise<void> {
  const started = effects.flatMap(({ conversation: { lead, state }, effect }) => {
    const message = effect.kind === 'start' ? state.messages.get(effect.message) : undefined;
    return effect.kind === 'start' && message ? [{ message: { id: effect.message, ...message }, lead }] : [];
  });
  if (started.length > 0) await markStarted(tx, started);
  for (const { conversation, effect } of effects) {
    if (effect.kind === 'reject_key') await rejectAccountKey(tx, conversation.accountId, effect.reason);
    if (effect.kind !== 'pause_channel') continue;
    const { channelId } = conversation;
    await pauseChannel(tx, { channelId, seconds: effect.seconds, reason: effect.reason });
    await stopChannelFirstMessages(tx, channelId, effect.reason);
  }
}
