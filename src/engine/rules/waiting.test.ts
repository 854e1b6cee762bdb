import { describe, expect, it } from 'vitest';
import { MESSAGE_STATES, NEW_MESSAGE } from '../../testing/conversationChart.ts';
import type { Delivery } from './message.ts';
import { decideWaiting, isPointless, type Pointless, type WaitingEvent, withParts } from './waiting.ts';

const SECOND = 1000;
const NOW = { domain: 1_000_000 * SECOND, real: 2_000_000 * SECOND };
const CLAIM = { kind: 'claimed', by: 'node', leaseSeconds: 30, keySeconds: 60, key: 'new key' } as const;

/** What an event changes in a message that waits; null: nothing. */
function changesOf(message: Partial<Delivery>, event: WaitingEvent): Partial<Delivery> | null {
  const decision = decideWaiting({ ...NEW_MESSAGE, scheduled_at: NOW.domain, ...message }, event, NOW);
  return 'refused' in decision ? null : decision.changes;
}

describe('a message that is claimed', () => {
  const used = (seconds: number) => ({ send_key_used_at: NOW.real - seconds * SECOND });

  it('is with this instance, and forgets why it waited', () => {
    expect(changesOf({ retry_at: 1, reason: 'Paused', error_code: 'X', attempts: 2 }, CLAIM)).toEqual({
      status: 'sending',
      claimed_by: 'node',
      claimed_until: NOW.real + 30 * SECOND,
      claimed_at: NOW.real,
      attempts: 3,
      retry_at: null,
      reason: null,
      error_code: null,
      send_key_used_at: NOW.real,
    });
  });

  it.each([
    ['keeps a key that the vendor recognises', used(60), {}],
    ['gets a new key once the vendor has forgotten it', used(61), { send_key: 'new key', send_key_used_at: NOW.real }],
  ])('%s', (_name, message, wanted) => {
    const { send_key, send_key_used_at } = changesOf(message, CLAIM) ?? {};
    expect({ send_key, send_key_used_at }).toEqual({ ...wanted });
  });

  it('keeps its key while a try may have arrived, and is not claimed once that is forgotten', () => {
    const doubtful = { unconfirmed_at: 1 };
    expect(changesOf({ ...doubtful, ...used(60) }, CLAIM)).not.toHaveProperty('send_key');
    expect(changesOf({ ...doubtful, ...used(61) }, CLAIM)).toBeNull();
  });
});

describe('a message that does not leave', () => {
  it.each([
    ['just due', 0, 5],
    ['due for a minute', 60, 60],
    ['due for an hour', 3600, 300],
  ])('for a fault of ours, %s, waits as long as it has been due', (_name, ago, pause) => {
    const message = { scheduled_at: NOW.domain - ago * SECOND };
    expect(changesOf(message, { kind: 'postponed', reason: 'Fault' })).toEqual({
      reason: 'Fault',
      retry_at: NOW.real + pause * SECOND,
    });
  });

  it('keeps the time at which it was to leave when it is moved twice', () => {
    const event = { kind: 'deferred', at: 9, reason: 'Night' } as const;
    expect(changesOf({ scheduled_at: 5 }, event)).toMatchObject({ scheduled_at: 9, originally_scheduled_at: 5 });
    expect(changesOf({ scheduled_at: 7, originally_scheduled_at: 5 }, event)).toMatchObject({
      originally_scheduled_at: 5,
    });
  });

  it('leaves when it was to leave once the hours are others that it was moved for', () => {
    const event = { kind: 'restored' } as const;
    expect(changesOf({ scheduled_at: 9, originally_scheduled_at: 5 }, event)).toEqual({
      scheduled_at: 5,
      originally_scheduled_at: null,
    });
    expect(changesOf({ scheduled_at: 9 }, event)).toBeNull();
  });

  it.each(Object.entries(MESSAGE_STATES).filter(([, { status }]) => status !== 'scheduled'))(
    'is none that is %s',
    (_name, message) => {
      for (const event of [
        CLAIM,
        { kind: 'noted', reason: 'x' },
        { kind: 'deferred', at: 9, reason: 'x' },
        { kind: 'restored' },
        { kind: 'postponed', reason: 'x' },
        { kind: 'sent_now' },
        { kind: 'expired', reason: 'x' },
        { kind: 'cancelled', reason: 'x' },
      ] as const)
        expect(decideWaiting(message, event, NOW)).toEqual({ refused: 'no_change' });
    },
  );
});

describe('the parts of a text', () => {
  const part = (at: number, more: Partial<Delivery> = {}): Delivery => ({
    ...NEW_MESSAGE,
    part_group: 'text',
    scheduled_at: at,
    ...more,
  });
  const messages = new Map<number, Delivery>([
    [1, part(10, { status: 'sent' })],
    [2, part(20)],
    [3, part(30)],
    [4, part(45)],
    [5, part(50, { part_group: 'other' })],
    [6, part(60, { part_group: null })],
  ]);
  const happens = (id: number, event: Parameters<typeof withParts>[2]) => withParts(messages, id, event);

  it('are cancelled together, those before too', () => {
    const events = happens(3, { kind: 'cancelled', reason: 'x' });
    expect(events.map(({ message }) => message)).toEqual([2, 3, 4]);
  });

  it('keep their distance when one before them is moved', () => {
    const events = happens(3, { kind: 'deferred', at: 100, reason: 'Night' });
    expect(events).toEqual([
      { message: 3, event: { kind: 'deferred', at: 100, reason: 'Night' } },
      { message: 4, event: { kind: 'deferred', at: 115, reason: null } },
    ]);
  });

  it('leave in their order when one is sent at once', () => {
    expect(happens(3, { kind: 'sent_now' }).map(({ message }) => message)).toEqual([2, 3]);
  });

  it('are none of a message that is no part', () => {
    expect(happens(6, { kind: 'cancelled', reason: 'x' }).map(({ message }) => message)).toEqual([6]);
  });
});

describe('what has become pointless', () => {
  const bot: Partial<Delivery> = { author: 'bot', turn: 3 };
  const rows: [string, Partial<Delivery>, Pointless['kind'][]][] = [
    ['an answer of the bot', { ...bot, reply_on_msg_id: 1 }, ['all', 'of_bot', 'answers']],
    ['an answer to a later turn', { ...bot, turn: 4, reply_on_msg_id: 1 }, ['all', 'of_bot']],
    ['an answer that leaves anyway', { ...bot, debounce_guard: false, reply_on_msg_id: 1 }, ['all', 'of_bot']],
    [
      'a follow-up',
      { ...bot, turn: null, origin: 'ping', ping_step_number: 1 },
      ['all', 'of_bot', 'follow_ups', 'unsolicited'],
    ],
    ['a first message', { ...bot, turn: null, origin: 'first' }, ['all', 'of_bot', 'unsolicited']],
    [
      'the sentence of a hand-over',
      { ...bot, origin: 'hand_over', turn: null },
      ['all', 'of_bot', 'hand_over', 'unsolicited'],
    ],
    ['what an operator has typed', { turn: 3 }, ['all', 'unsolicited']],
    ['a step that an operator sends', { ping_step_number: 1 }, ['all', 'unsolicited']],
    ['the rest of a text', { reply_on_msg_id: 1, part_group: 'text' }, ['all', 'parts']],
  ];
  const causes: Pointless[] = [
    { kind: 'all' },
    { kind: 'of_bot' },
    { kind: 'answers', before: 4 },
    { kind: 'follow_ups' },
    { kind: 'hand_over' },
    { kind: 'unsolicited' },
    { kind: 'parts', group: 'text' },
  ];

  it.each(rows)('%s', (_name, message, wanted) => {
    const found = causes.filter((cause) => isPointless({ ...NEW_MESSAGE, ...message }, cause));
    expect(found.map(({ kind }) => kind)).toEqual(wanted);
  });
});
