import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { conversationChart, MESSAGE_STATES, NEW_MESSAGE, QUIET_DIALOGUE } from '../../testing/conversationChart.ts';
import { apply, type Conversation, decide, evolve } from './conversation.ts';
import type { DeliveryEvent } from './delivery.ts';
import { type Delivery, hasLeft, type Now } from './message.ts';
import { failureOf } from './needs.ts';
import { possibleEvents } from './possible.ts';

const MINUTE = 60_000;
const NOW: Now = { domain: 100 * MINUTE, real: 500 * MINUTE };
const IDS = [1, 2];

function conversation(messages: readonly Delivery[], dialogue: Partial<Conversation['dialogue']> = {}): Conversation {
  const byId = new Map(messages.map((message, index) => [index + 1, message]));
  const failing = [...byId].flatMap(([id, message]) => {
    const failure = failureOf(message);
    return failure === null ? [] : [[id, failure] as const];
  });
  return { dialogue: { ...QUIET_DIALOGUE, ...dialogue }, messages: byId, failing: new Map(failing) };
}

/** What becomes of a message alone. */
function after(message: Delivery, event: DeliveryEvent, dialogue: Partial<Conversation['dialogue']> = {}) {
  const outcome = apply(conversation([message], dialogue), [{ message: 1, event }], NOW);
  return { ...outcome, message: outcome.state.messages.get(1) ?? NEW_MESSAGE };
}

const state = (name: string): Delivery => MESSAGE_STATES[name] ?? NEW_MESSAGE;
const report = (status: 'sent' | 'delivered' | 'read' | 'error', at: number | null = null): DeliveryEvent => ({
  kind: 'reported',
  status,
  at,
  reason: null,
  code: null,
  about: null,
});
const rejection = {
  kind: 'rejected',
  by: 'node',
  reason: 'No',
  code: 'NO',
  maybeDelivered: false,
  retrySeconds: 30,
} as const;

describe('the chart of docs/conversation.md', () => {
  it('is what the rules say', () => {
    const path = join(import.meta.dirname, '../../../docs/conversation.md');
    expect(readFileSync(path, 'utf8'), 'run `npm run chart`').toBe(conversationChart());
  });
});

describe('the rules', () => {
  it('depend on nothing but what they are given', () => {
    const files = readdirSync(import.meta.dirname).filter((name) => !name.endsWith('.test.ts'));
    expect(files.length).toBeGreaterThan(3);
    for (const name of files) {
      const code = readFileSync(join(import.meta.dirname, name), 'utf8').replace(/\/\*[\s\S]*?\*\/|\/\/.*/g, '');
      expect([
        name,
        code.match(
          /\bDate\b|Math\.random|\bawait\b|\basync\b|\bprocess\b|console\.|\bdefault: (?!return event satisfies)/g,
        ),
      ]).toEqual([name, null]);
      for (const [, from] of code.matchAll(/from '([^']+)'/g))
        expect([name, from]).toEqual([name, expect.stringMatching(/^\.\/\w+\.ts$/)]);
    }
  });
});

describe('what a message of ours is', () => {
  it('when the vendor accepts it', () => {
    const { message } = after(state('sending'), { kind: 'accepted', extId: 'abc', pollSeconds: 60 });
    expect(message).toMatchObject({
      status: 'sent',
      ext_id: 'abc',
      sent_at: NOW.domain,
      thread_at: NOW.domain,
      claimed_by: null,
      status_due_at: NOW.real + MINUTE,
    });
  });

  it('when the answer comes after the report', () => {
    const reported = after(state('sending'), report('delivered', 99 * MINUTE)).message;
    expect(reported).toMatchObject({ status: 'delivered', sent_at: 99 * MINUTE, thread_at: 99 * MINUTE });
    const { message, facts } = after(reported, { kind: 'accepted', extId: 'abc', pollSeconds: null });
    expect(facts.map(({ kind, changes }) => [kind, changes])).toEqual([['identified', { ext_id: 'abc' }]]);
    expect(message.status).toBe('delivered');
  });

  it('when the answer to a lost try comes after it was scheduled again under the same key', () => {
    const { message } = after(state('scheduled again, in doubt'), {
      kind: 'accepted',
      extId: 'abc',
      pollSeconds: null,
    });
    expect(message).toMatchObject({ status: 'sent', unconfirmed_at: null });
  });

  it.each([
    ['channel', 'scheduled', { attempts: 0, retry_count: 0, retry_at: NOW.real }],
    ['account', 'scheduled', { attempts: 0, retry_count: 0, retry_at: NOW.real }],
    ['passing', 'scheduled', { attempts: 1, retry_count: 1, retry_at: NOW.real + MINUTE / 2 }],
    ['message', 'error', { attempts: 1, error_code: 'NO' }],
    ['recipient', 'error', { attempts: 1, error_code: 'NO' }],
  ] as const)('when the vendor rejects it because of the %s', (about, status, more) => {
    const { message } = after(state('sending'), { ...rejection, about });
    expect(message).toMatchObject({ status, reason: 'No', claimed_by: null, ...more });
  });

  it('when it is rejected for now for the fifth time', () => {
    const { message } = after({ ...state('sending'), attempts: 5 }, { ...rejection, about: 'passing' });
    expect(message.status).toBe('error');
  });

  it.each([
    ['message', 'unconfirmed'],
    ['passing', 'unconfirmed'],
    ['channel', 'unconfirmed'],
    // Nobody has the address: no try can have arrived.
    ['recipient', 'error'],
  ] as const)('when a try before may have arrived, and this one is rejected because of the %s', (about, status) => {
    expect(after(state('sending'), { ...rejection, about, maybeDelivered: true }).message.status).toBe(status);
  });

  it('when another instance has reclaimed it', () => {
    for (const event of [
      { ...rejection, by: 'other', about: 'message' as const },
      { kind: 'lost', by: 'other', reason: 'No answer' } as const,
      { kind: 'withheld', by: 'other', reason: 'Closed' } as const,
    ]) {
      const { facts, effects, refusals } = after(state('sending'), event);
      expect([facts, effects, refusals.get(1)]).toEqual([[], [], 'not_ours']);
    }
  });

  it('when it is sent again', () => {
    const failed = { ...state('error'), ext_id: 'old', attempts: 5, author: 'operator' };
    const under = (key: string | null) => after(failed, { kind: 'retried', key, turn: 3 }).message;
    expect(under('new')).toMatchObject({
      status: 'scheduled',
      scheduled_at: NOW.domain,
      ext_id: null,
      previous_ext_ids: ['old'],
      attempts: 0,
      retry_count: 1,
      send_key: 'new',
      unconfirmed_at: null,
      debounce_guard: false,
      turn: 3,
    });
    expect(under(null)).toMatchObject({ send_key: 'first key', unconfirmed_at: NOW.real });
  });

  it.each([
    ['a time ahead of ours is now', 'sent', report('read', NOW.domain + MINUTE), { read_at: NOW.domain }],
    ['no time is now', 'sent', report('delivered'), { sent_confirmation_at: NOW.domain }],
    ['nothing is read before it was sent', 'sent', report('read', -MINUTE), { sent_confirmation_at: 0, read_at: 0 }],
  ] as const)('%s', (_name, name, event, times) => {
    expect(after(state(name), event).message).toMatchObject(times);
  });

  it('when the vendor finds nobody at the address of a first message', () => {
    const nobody = { ...report('error'), about: 'recipient' } as DeliveryEvent;
    const first = after({ ...state('sent'), origin: 'first' }, nobody);
    expect(first.message.recipient_not_found).toBe(true);
    expect(first.effects).toContainEqual({ kind: 'settle_recipient', message: 1 });
    expect(after(state('sent'), nobody).message.recipient_not_found).toBe(false);
  });
});

describe('what its dialogue needs', () => {
  const WAITS = { waiting_since: 5 * MINUTE, last_user_msg_at: 6 * MINUTE, snoozed_until: 900 * MINUTE };
  const accepted: DeliveryEvent = { kind: 'accepted', extId: 'abc', pollSeconds: null };

  it('is an answer no longer once a message written after the lead has left', () => {
    const own = { ...state('sending'), created_at: 7 * MINUTE };
    expect(after(own, accepted, WAITS).state.dialogue).toMatchObject({
      waiting_since: null,
      last_bot_msg_id: 1,
      last_message: 'Hello',
      last_msg_created_at: NOW.domain,
    });
  });

  it('is an answer to what the lead wrote after the message', () => {
    expect(after(state('sending'), accepted, WAITS).state.dialogue.waiting_since).toBe(6 * MINUTE);
  });

  it('is the same whether the answer or the report says that it has left', () => {
    const own = { ...state('sending'), created_at: 7 * MINUTE };
    const reported = after(own, report('sent'), WAITS).state.dialogue;
    expect(reported).toEqual(after(own, accepted, WAITS).state.dialogue);
  });

  it('does not begin again when a message arrives of which we learn late', () => {
    const newer = { ...WAITS, last_msg_created_at: 50 * MINUTE, last_message: 'Newer', last_bot_msg_id: 9 };
    const { dialogue } = after(state('unconfirmed'), report('delivered', 40 * MINUTE), newer).state;
    expect(dialogue).toMatchObject({ last_message: 'Newer', last_bot_msg_id: 9, last_msg_created_at: 50 * MINUTE });
  });

  it('is somebody when a message fails, also if it is snoozed', () => {
    const { dialogue } = after(state('sending'), { ...rejection, about: 'message' }, WAITS).state;
    expect(dialogue).toMatchObject({ failed_since: NOW.domain, unconfirmed_since: null, snoozed_until: null });
    const { dialogue: doubtful } = after(state('sending'), { kind: 'lost', by: 'node', reason: '?' }, WAITS).state;
    expect(doubtful).toMatchObject({ failed_since: null, unconfirmed_since: NOW.domain, snoozed_until: null });
  });

  it('is nobody when a message of outreach fails', () => {
    for (const origin of ['first', 'ping', 'hand_over'] as const) {
      const { dialogue } = after({ ...state('sending'), origin }, { ...rejection, about: 'message' }, WAITS).state;
      expect(dialogue).toMatchObject({ failed_since: null, snoozed_until: WAITS.snoozed_until });
    }
  });

  it('lasts until the last of its failed messages is seen to', () => {
    const start = conversation([state('error'), state('error')], { failed_since: MINUTE });
    const first = apply(start, [{ message: 1, event: { kind: 'removed' } }], NOW);
    expect(first.state.dialogue.failed_since).toBe(MINUTE);
    const second = apply(first.state, [{ message: 2, event: { kind: 'retried', key: 'k', turn: 1 } }], NOW);
    expect(second.state.dialogue.failed_since).toBeNull();
  });
});

describe('what is to be done', () => {
  it('is to start the lead and to plan it once something has left', () => {
    for (const event of [report('read'), { kind: 'accepted', extId: null, pollSeconds: null } as const])
      expect(after(state('sending'), event).effects).toEqual([{ kind: 'plan' }, { kind: 'start', message: 1 }]);
    expect(after(state('sent'), report('read')).effects).toEqual([]);
  });

  it.each([
    ['channel', [{ kind: 'pause_channel', message: 1, seconds: 300, reason: 'No' }]],
    ['account', [{ kind: 'reject_key', message: 1, reason: 'No' }]],
    ['message', []],
    ['passing', []],
  ] as const)('for the %s that a rejection is about, also when a report has settled the message', (about, wanted) => {
    const event: DeliveryEvent = { ...rejection, about };
    expect(after(state('sending'), event).effects).toEqual([{ kind: 'plan' }, ...wanted]);
    expect(after(state('delivered'), event).effects).toEqual(wanted);
  });

  it('is to pause a channel whose vendor accepted a message and could not send it', () => {
    for (const about of ['channel', 'passing'] as const)
      expect(after(state('sent'), { ...report('error'), about } as DeliveryEvent).effects).toContainEqual(
        expect.objectContaining({ kind: 'pause_channel', seconds: 300 }),
      );
    // It was delivered: what the report says is old.
    expect(after(state('delivered'), { ...report('error'), about: 'channel' } as DeliveryEvent).effects).toEqual([]);
  });
});

/** Choose among what may happen by numbers. */
function run(
  start: Conversation,
  choices: readonly number[],
  look: (before: Conversation, after: Conversation) => void,
) {
  let current = start;
  for (const [index, choice] of choices.entries()) {
    const now = { domain: NOW.domain + index * MINUTE, real: NOW.real + index * MINUTE };
    const id = IDS[choice % IDS.length] ?? 1;
    const message = current.messages.get(id) ?? NEW_MESSAGE;
    const options = possibleEvents(message);
    const [, event] = options[Math.floor(choice / 2) % Math.max(1, options.length)] ?? [];
    let next = current;
    if (event) {
      const at = event.kind === 'reported' ? { at: now.domain + ((choice % 7) - 5) * MINUTE } : {};
      const dated = { ...event, ...at } as DeliveryEvent;
      const fact = decide(current, { message: id, event: dated }, now);
      if (!('refused' in fact)) {
        next = evolve(current, fact);
        const again = decide(next, { message: id, event: dated }, now);
        if (dated.kind === 'reported' || dated.kind === 'accepted' || dated.kind === 'identified')
          expect(again, 'the same again changes nothing').toHaveProperty('refused');
      }
    }
    look(current, next);
    current = next;
  }
}

describe('in any sequence of events', () => {
  const choices = fc.array(fc.nat(1_000_000), { minLength: 1, maxLength: 40 });

  it('what the database demands and what people are told holds', () => {
    fc.assert(
      fc.property(choices, (list) => {
        run(conversation([NEW_MESSAGE, NEW_MESSAGE]), list, (_before, { messages, failing, dialogue }) => {
          for (const [id, one] of messages) {
            expect((one.claimed_by !== null) === (one.status === 'sending')).toBe(true);
            if (one.status === 'sending') expect(one.send_key_used_at).not.toBeNull();
            expect(failing.get(id) ?? null).toBe(failureOf(one));
            expect((one.sent_at ?? 0) <= (one.sent_confirmation_at ?? Number.MAX_VALUE)).toBe(true);
            expect((one.sent_confirmation_at ?? 0) <= (one.read_at ?? Number.MAX_VALUE)).toBe(true);
            if (one.status === 'scheduled') expect(one.scheduled_at).not.toBeNull();
          }
          expect([...messages.values()].filter(({ status }) => status === 'sending').length).toBeLessThan(2);
          const kinds = new Set(failing.values());
          expect([dialogue.failed_since !== null, dialogue.unconfirmed_since !== null]).toEqual([
            kinds.has('error'),
            kinds.has('unconfirmed'),
          ]);
        });
      }),
      { numRuns: 2000 },
    );
  });

  it('what has arrived is never sent again', () => {
    fc.assert(
      fc.property(choices, (list) => {
        run(conversation([NEW_MESSAGE, NEW_MESSAGE]), list, (before, { messages }) => {
          for (const [id, one] of messages) {
            const was = before.messages.get(id) ?? one;
            if (hasLeft(was)) expect(['sent', 'delivered', 'read', 'error']).toContain(one.status);
            if (was.status === 'delivered' || was.status === 'read') expect(hasLeft(one)).toBe(true);
          }
        });
      }),
      { numRuns: 2000 },
    );
  });
});
