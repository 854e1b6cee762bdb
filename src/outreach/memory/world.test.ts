/** The engine in memory against the rules: the same events end in the same state, and the plan reads what a full history says. */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { SendOutcome } from '../../channels/driver.ts';
import { apply, type Conversation, type ConversationEvent } from '../../engine/rules/conversation.ts';
import { type Dialogue, type DialogueEvent, decideDialogue } from '../../engine/rules/dialogue.ts';
import { hasLeft } from '../../engine/rules/message.ts';
import { failureOf } from '../../engine/rules/needs.ts';
import { DIALOGUE_EVENTS } from '../../testing/conversationChart.ts';
import { leadOf, NO_QUOTA, NOON, settingsOf } from '../../testing/memoryLeads.ts';
import type { LeadFacts } from '../facts.ts';
import { applyEvents, changeDialogue } from './changes.ts';
import { MemoryEngine } from './engine.ts';
import { addMessage, type MemoryLead } from './lead.ts';
import type { MemoryMessage } from './rows.ts';
import { MemoryState } from './state.ts';

const MINUTE = 60_000;
const RUNS = 300;

const BY = 'one';
const rejected = {
  kind: 'rejected',
  by: BY,
  reason: 'No',
  code: 'NO',
  maybeDelivered: false,
  retrySeconds: 5,
} as const;
const claimed = { kind: 'claimed', by: BY, leaseSeconds: 60, keySeconds: 60, key: 'key' } as const;

/** What the vendor and we do to a message that has not left. */
const MESSAGE_EVENTS: readonly ConversationEvent['event'][] = [
  claimed,
  { kind: 'accepted', extId: null, pollSeconds: null },
  { ...rejected, about: 'passing' },
  { ...rejected, about: 'message' },
  { ...rejected, about: 'channel' },
  { ...rejected, about: 'account' },
  { kind: 'lost', by: BY, reason: 'Lost' },
  { kind: 'withheld', by: BY, reason: 'Closed' },
  { kind: 'noted', reason: 'Later' },
  { kind: 'deferred', at: NOON + 60 * MINUTE, reason: 'Closed' },
  { kind: 'restored' },
  { kind: 'postponed', reason: 'Fault' },
  { kind: 'cancelled', reason: 'Pointless' },
];

type Step =
  | { readonly message: number; readonly event: ConversationEvent['event'] }
  | { readonly dialogue: DialogueEvent };

const step: fc.Arbitrary<Step> = fc.oneof(
  fc.record({ message: fc.integer({ min: 1, max: 3 }), event: fc.constantFrom(...MESSAGE_EVENTS) }),
  fc.constantFrom(...Object.values(DIALOGUE_EVENTS)).map((dialogue) => ({ dialogue })),
);

/** A lead with a dialogue in which three messages wait. */
function createWorld(): { state: MemoryState; lead: MemoryLead; messages: MemoryMessage[] } {
  const state = new MemoryState({ leads: [leadOf(1)], counters: NO_QUOTA, settings: settingsOf(), from: NOON });
  const lead = state.leads.get(1);
  if (!lead) throw new Error('No lead');
  state.openDialogue(lead, 1, 1);
  const { dialogue } = lead;
  if (!dialogue) throw new Error('No dialogue');
  const shared = {
    leadId: 1,
    planned: lead.reason,
    text: 'Hello',
    anchor: null,
    step: null,
    replyOn: null,
    hasHours: true,
  };
  const messages = (['first', null, null] as const).map((origin, index) =>
    addMessage(dialogue, NOON, {
      ...shared,
      id: index + 1,
      author: 'bot',
      at: NOON,
      origin,
      group: index > 0 ? 'text' : null,
    }),
  );
  return { state, lead, messages };
}

it('ends in the state that the rules end in, whatever happens in whatever order', () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 40 }), (steps) => {
      const { state, lead, messages } = createWorld();
      const { dialogue } = lead;
      if (!dialogue) throw new Error('No dialogue');
      let whole: Dialogue = { ...dialogue.state };
      let byId = new Map(messages.map(({ id, state: one }) => [id, one]));
      for (const one of steps) {
        state.now += MINUTE;
        if ('dialogue' in one) {
          whole = { ...whole, ...decideDialogue(whole, one.dialogue, state.clocks) };
          changeDialogue(state, lead, one.dialogue);
          continue;
        }
        const isKnown = dialogue.messages.some(({ id }) => id === one.message);
        const isBusy = [...byId].some(([id, { status }]) => id !== one.message && status === 'sending');
        // What has left is forgotten, and nothing is claimed beside another message.
        if (!isKnown || (one.event.kind === 'claimed' && isBusy)) continue;
        const failing = [...byId].flatMap(([id, message]) => {
          const failure = failureOf(message);
          return failure === null ? [] : [[id, failure] as const];
        });
        const before: Conversation = { dialogue: whole, messages: byId, failing: new Map(failing) };
        const { state: after } = apply(before, [one], state.clocks);
        whole = { ...whole, ...after.dialogue };
        byId = new Map(after.messages);
        applyEvents(state, lead, [one]);
      }
      expect(dialogue.state).toEqual(whole);
      expect(messages.map((one) => one.state)).toEqual([...byId.values()]);
      const open = [...byId].filter(([, one]) => !hasLeft(one) && one.status !== 'cancelled').map(([id]) => id);
      expect(dialogue.messages.map(({ id }) => id)).toEqual(open);
    }),
    { numRuns: RUNS },
  );
});

const ACCEPTED: SendOutcome = { kind: 'accepted', messageId: null, chatId: null };
const OUTCOMES: readonly SendOutcome[] = [
  ACCEPTED,
  ACCEPTED,
  ACCEPTED,
  { kind: 'unknown', reason: 'Lost' },
  { kind: 'rejected', about: 'passing', code: 'NO', reason: 'No', retryAfterSeconds: 5 },
  { kind: 'rejected', about: 'message', code: 'NO', reason: 'No', retryAfterSeconds: null },
];

const ACTS = {
  writes: (engine: MemoryEngine) => engine.receive(1, 'How much is it?'),
  thanks: (engine: MemoryEngine) => engine.receive(1, 'ok, thanks'),
  hints: (engine: MemoryEngine) => engine.receive(1, 'No more messages about this'),
  stops: (engine: MemoryEngine) => engine.receive(1, 'Stop writing to me'),
  takes: (engine: MemoryEngine) => engine.setOwner(1, 'human'),
  returns: (engine: MemoryEngine) => engine.setOwner(1, 'bot'),
  silences: (engine: MemoryEngine) => engine.setOwner(1, 'bot', { staySilent: true }),
  buys: (engine: MemoryEngine) => engine.changeStage(1, 'success'),
  refuses: (engine: MemoryEngine) => engine.changeStage(1, 'refused'),
  deactivates: (engine: MemoryEngine) => engine.deactivate(1),
  waits: () => undefined,
} as const;
const act = fc.record({
  name: fc.constantFrom(...(Object.keys(ACTS) as (keyof typeof ACTS)[])),
  minutes: fc.integer({ min: 0, max: 200 }),
});

it('reads of a lead what its whole history says, and breaks no rule, whatever happens', () => {
  fc.assert(
    fc.property(
      fc.array(act, { maxLength: 25 }),
      fc.array(fc.nat(OUTCOMES.length - 1), { maxLength: 7 }),
      (acts, outcomes) => {
        const sent = new Set<MemoryMessage>();
        let tries = 0;
        const engine = new MemoryEngine({
          leads: [leadOf(1)],
          counters: NO_QUOTA,
          settings: settingsOf(),
          from: NOON,
          texts: { first: () => 'Hello', followUp: () => 'Still there?', reply: () => 'One.\n\nTwo.' },
          debounceSeconds: 30,
          send(message) {
            sent.add(message);
            return OUTCOMES[outcomes[tries++ % 7] ?? 0] ?? ACCEPTED;
          },
        });
        for (const { name, minutes } of acts) {
          engine.runUntil(engine.now + minutes * MINUTE);
          const lead = engine.leads.get(1);
          if (!lead?.dialogue) continue;
          ACTS[name](engine);
          expect(lead.facts).toMatchObject(factsOf(lead, sent));
          if (lead.dialogue.state.owner === 'human') expect(lead.dialogue.state.turn_due_at).toBeNull();
          if (lead.facts.optedOut) expect(lead.waiting).toEqual([]);
        }
        engine.runUntil(engine.now + 3 * 24 * 60 * MINUTE);
        const all = [...sent];
        const steps = all
          .filter(({ anchor }) => anchor !== null)
          .map(({ anchor, state }) => `${anchor} ${state.ping_step_number}`);
        expect(new Set(steps).size).toBe(steps.length);
        expect(all.filter(({ state }) => state.origin === 'first').length).toBeLessThan(2);
      },
    ),
    { numRuns: RUNS },
  );
});

/** The facts of a lead by all of its messages, as the statement of the real engine reads them. */
function factsOf(
  { dialogue, waiting, columns }: Pick<MemoryLead, 'dialogue' | 'waiting' | 'columns'>,
  sent: Iterable<MemoryMessage>,
): Partial<LeadFacts> {
  if (!dialogue) return {};
  const { state } = dialogue;
  const anchor = state.last_user_msg_id ?? 0;
  const ours = [...new Set([...sent, ...waiting])].filter((one) => one.state.status !== 'cancelled');
  const settled = ours.filter(({ state: one }) => one.status !== 'scheduled');
  const steps = ours.filter((one) => one.anchor === anchor).map((one) => one.state.ping_step_number ?? 0);
  const isAfter = ({ id, state: one }: MemoryMessage) =>
    one.thread_at > (state.last_user_msg_at ?? 0) || (one.thread_at === state.last_user_msg_at && id > anchor);
  const answers = settled.filter(
    (one) =>
      hasLeft(one.state) &&
      one.state.ping_step_number === null &&
      one.state.origin !== 'hand_over' &&
      (one.author !== 'bot' || (one.state.turn ?? state.turn) >= state.turn) &&
      isAfter(one),
  );
  const isClosed = anchor !== 0 && (state.closed_msg_id ?? 0) >= anchor;
  const answeredAt =
    anchor === 0 || answers.length === 0 ? null : Math.max(...answers.map((one) => one.state.thread_at));
  const expected = isClosed ? state.closed_at : answeredAt;
  const isOwed = (anchor !== 0 && expected === null) || state.turn_due_at !== null;
  return {
    stage: columns.stage,
    humanOwned: state.owner === 'human',
    answeredAt: expected,
    owesAnswer: isOwed || waiting.some((one) => one.state.ping_step_number === null),
    dialogue: expect.objectContaining({
      anchor,
      outgoing: waiting.length > 0,
      stepsDone: Math.max(0, ...steps),
    }),
  };
}
