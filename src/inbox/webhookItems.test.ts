/** Our own webhook format: its items are judged one by one. */
import { randomUUID } from 'node:crypto';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Client } from '../testing/client.ts';
import { messagesOf } from '../testing/messageRows.ts';
import { createWorld, type TestLead, type World } from '../testing/world.ts';
import { receiveWebhook } from './chatbotContract.ts';
import { readWebhookItems, toHookItem, toInstant } from './readWebhookItem.ts';

let world: World;
let admin: Client;
beforeAll(async () => {
  world = await createWorld({ env: { RAPPORT_ROLES: 'web' } });
  admin = await world.operator('root');
});
afterAll(() => world.close());

const submit = (messages: readonly unknown[]) =>
  admin.call(receiveWebhook, { body: { channel_id: world.whatsapp.id, messages: [...messages] } });

const inbound = (more: Record<string, unknown> = {}) => ({
  chat_id: '79990001122',
  message: 'Hello',
  message_id: randomUUID(),
  ...more,
});

/** Read what is stored of these ids: kind, status and text of each item. */
async function storedOf(ids: readonly string[]): Promise<string[]> {
  const { rows } = await world.pool.query<{ line: string }>(
    `select concat_ws(' ', ext_id, kind, status, coalesce(chat_id, '-'), item->>'mediaKind', item->>'text') as line
       from inbox where ext_id = any($1)`,
    [ids],
  );
  return rows.map(({ line }) => line).sort(byCode);
}

/** Items that say enough, and what is stored of them. */
const GOOD: readonly [what: string, item: Record<string, unknown>, stored: string][] = [
  ['a message', { chat_id: '7999', message: 'Hello', status: 'inbound' }, 'message inbound 7999 text Hello'],
  ['ids as numbers', { chat_id: 79990001122, message: 'Hi' }, 'message inbound 79990001122 text Hi'],
  ['a negative id', { chat_id: -1001234, message: 'Hi' }, 'message inbound -1001234 text Hi'],
  ['no status', { chat_id: '7999', message: 'Hi' }, 'message inbound 7999 text Hi'],
  ['a status that is null', { chat_id: '7999', message: 'Hi', status: null }, 'message inbound 7999 text Hi'],
  ['an empty status', { chat_id: '7999', message: 'Hi', status: ' ' }, 'message inbound 7999 text Hi'],
  ['a status in capitals', { chat_id: '7999', message: 'Hi', status: 'Inbound' }, 'message inbound 7999 text Hi'],
  ['an echo', { chat_id: '7999', message: 'Hi', is_echo: true }, 'message sent 7999 text Hi'],
  [
    'an inbound echo',
    { chat_id: '7999', message: 'Hi', is_echo: true, status: 'inbound' },
    'message sent 7999 text Hi',
  ],
  ['an echo as text', { chat_id: '7999', message: 'Hi', is_echo: 'True' }, 'message sent 7999 text Hi'],
  ['an echo as a number', { chat_id: '7999', message: 'Hi', is_echo: 1 }, 'message sent 7999 text Hi'],
  ['no echo as null', { chat_id: '7999', message: 'Hi', is_echo: null }, 'message inbound 7999 text Hi'],
  ['an echo of a photo', { chat_id: '7999', message: null, is_echo: true }, 'message sent 7999 unknown '],
  ['a number as text', { chat_id: '7999', message: 42 }, 'message inbound 7999 text 42'],
  ['white space kept', { chat_id: '7999', message: ' Hi\n' }, 'message inbound 7999 text  Hi\n'],
  ['no text', { chat_id: '7999', message: '', status: 'inbound' }, 'message inbound 7999 unknown '],
  ['a blank text', { chat_id: '7999', message: ' \n ', status: 'inbound' }, 'message inbound 7999 unknown '],
  ['a text that is null', { chat_id: '7999', message: null }, 'message inbound 7999 unknown '],
  ['a text that is missing', { chat_id: '7999' }, 'message inbound 7999 unknown '],
  ['unknown keys', { chat_id: '7999', message: 'Hi', channelType: 'x', a: { b: [1] } }, 'message inbound 7999 text Hi'],
  ['a time nobody can read', { chat_id: '7999', message: 'Hi', sent_at: 'soon' }, 'message inbound 7999 text Hi'],
  ['a time of a wrong kind', { chat_id: '7999', message: 'Hi', sent_at: {} }, 'message inbound 7999 text Hi'],
  ['a NUL in the text', { chat_id: '7999', message: 'H\u0000i' }, 'message inbound 7999 text Hi'],
  ['half a character', { chat_id: '7999', message: 'Hi \ud83d' }, 'message inbound 7999 text Hi \ufffd'],
  [
    'a key that is not allowed',
    JSON.parse('{"chat_id":"7999","message":"Hi","__proto__":{"message":"No"}}'),
    'message inbound 7999 text Hi',
  ],
  ['a status', { chat_id: '7999', message: null, status: 'delivered' }, 'status delivered 7999 text '],
  ['a status with an empty text', { chat_id: '7999', message: '', status: 'read' }, 'status read 7999 text '],
  ['a status without a chat', { status: 'read' }, 'status read - text '],
  ['a status of an echo', { chat_id: '7999', message: ' ', status: 'sent', is_echo: true }, 'status sent 7999 text '],
  ['an error', { chat_id: '', message: '', status: 'ERROR' }, 'status error - text '],
  ['an outgoing text', { chat_id: '7999', message: 'Ours', status: 'sent' }, 'message sent 7999 text Ours'],
];

/** Items of which nothing can be made, and what is said about them. */
const BROKEN: readonly [item: unknown, reason: string][] = [
  [null, 'This must be an object'],
  ['Hello', 'This must be an object'],
  [[], 'This must be an object'],
  [inbound({ message_id: undefined }), 'message_id: This must be text or a number'],
  [inbound({ message_id: '' }), 'message_id: Enter at least 1 character'],
  [inbound({ message_id: ' ' }), 'message_id: Enter at least 1 character'],
  [inbound({ message_id: true }), 'message_id: This must be text or a number'],
  [inbound({ message_id: 1.5 }), 'message_id: This must be text or a whole number'],
  [inbound({ message_id: 2 ** 60 }), 'message_id: Send an id this long as text'],
  [inbound({ message_id: 'x'.repeat(201) }), 'message_id: Enter at most 200 characters'],
  [inbound({ chat_id: undefined }), 'chat_id: This field is required'],
  [inbound({ chat_id: ' ' }), 'chat_id: This field is required'],
  [inbound({ chat_id: {} }), 'chat_id: This must be text or a number'],
  [inbound({ message: { text: 'Hello' } }), 'message: This must be text'],
  [inbound({ message: 'x'.repeat(100_001) }), 'message: Enter at most 100,000 characters'],
  [inbound({ is_echo: 'maybe' }), 'is_echo: This must be true or false'],
  [inbound({ status: 'seen' }), 'status: Choose one of: sent, delivered, read, error, inbound'],
  [inbound({ status: 3 }), 'status: Choose one of: sent, delivered, read, error, inbound'],
  [
    { message: 'Hello', is_echo: 'no' },
    'message_id: This must be text or a number; is_echo: This must be true or false',
  ],
];

describe('an item of our own format', () => {
  it('is stored in any form whose meaning is plain', async () => {
    const items = GOOD.map(([what, item]) => ({ ...item, message_id: `good ${what}` }));
    const answer = await submit(items);
    expect([answer.status, answer.body]).toEqual([
      200,
      { accepted: GOOD.length, ignored_fields: ['a', 'channelType', 'sent_at'] },
    ]);
    const stored = await storedOf(items.map(({ message_id }) => message_id));
    expect(stored).toEqual(GOOD.map(([what, , line]) => `good ${what} ${line}`).sort(byCode));
    expect(await submit(items)).toMatchObject({ status: 200, body: { accepted: 0 } });
    expect(await storedOf(items.map(({ message_id }) => message_id))).toEqual(stored);
  });

  it('is named with the reason when nothing can be made of it, and loses no other', async () => {
    const good = inbound();
    const answer = await submit([...BROKEN.map(([item]) => item), good]);
    expect([answer.status, answer.body]).toEqual([
      200,
      { accepted: 1, refused: BROKEN.map(([, reason], index) => ({ index, reason })) },
    ]);
    expect(await storedOf([good.message_id])).toHaveLength(1);
  });

  it('is refused with 422 when no other can be used', async () => {
    const answer = await submit([inbound({ message_id: '' }), null]);
    expect([answer.status, answer.body]).toEqual([
      422,
      {
        detail: [
          { loc: ['body', 'messages', 0, 'message_id'], msg: 'Enter at least 1 character', type: 'too_small' },
          { loc: ['body', 'messages', 1], msg: 'This must be an object', type: 'invalid_type' },
        ],
      },
    ]);
  });

  it('is not looked at when the envelope is wrong', async () => {
    const messages = [inbound()];
    const channel_id = world.whatsapp.id;
    const wrong: [body: unknown, where: (string | number)[]][] = [
      [{ messages }, ['body', 'channel_id']],
      [{ channel_id: 0, messages }, ['body', 'channel_id']],
      [{ channel_id }, ['body', 'messages']],
      [{ channel_id, messages: messages[0] }, ['body', 'messages']],
      [{ channel_id, messages, source: 'mine' }, ['body', 'source']],
      [{ channel_id, messages: Array.from({ length: 501 }, () => inbound()) }, ['body', 'messages']],
    ];
    const before = await countStored();
    for (const [body, loc] of wrong) {
      const headers = { 'content-type': 'application/json' };
      const answer = await admin.fetch(receiveWebhook.path, { method: 'POST', headers, body: JSON.stringify(body) });
      expect([answer.status, await answer.json()]).toMatchObject([422, { detail: [{ loc }] }]);
    }
    expect(await countStored()).toBe(before);
  });

  it('is stored exactly if it is good, in any mixture with broken ones', async () => {
    const goodItem = fc.constantFrom(...GOOD.map(([, item]) => item));
    const brokenItem = fc.constantFrom(...BROKEN.map(([item]) => item));
    const mixture = fc.array(
      fc.oneof(
        goodItem.map((item) => ({ item })),
        brokenItem.map((broken) => ({ broken })),
      ),
      {
        minLength: 1,
        maxLength: 20,
      },
    );
    await fc.assert(
      fc.asyncProperty(mixture, fc.constantFrom(1, 2, 3), async (parts, times) => {
        const ids: string[] = [];
        const messages = parts.map((part) => {
          if ('broken' in part) return part.broken;
          const message_id = randomUUID();
          ids.push(message_id);
          return { ...part.item, message_id };
        });
        const before = await countStored();
        const answers = await Promise.all(Array.from({ length: times }, () => submit(messages)));
        const refused = parts.flatMap((part, index) => ('broken' in part ? [index] : []));
        for (const { status, body } of answers) {
          expect(status).toBe(ids.length > 0 ? 200 : 422);
          if (status === 200)
            expect((body as { refused?: { index: number }[] }).refused?.map(({ index }) => index) ?? []).toEqual(
              refused,
            );
        }
        expect((await storedOf(ids)).map((line) => line.split(' ')[0])).toEqual(ids.toSorted(byCode));
        expect((await countStored()) - before).toBe(ids.length);
      }),
      { numRuns: 40 },
    );
  });

  it('is reported by the names of fields that nothing was made of', () => {
    const many = Object.fromEntries(
      Array.from({ length: 80 }, (_one, index) => [`key ${index} ${'x'.repeat(300)}`, 1]),
    );
    const { ignoredFields } = readWebhookItems([inbound({ mesage: 'Hi', sent_at: 'yesterday' }), inbound(many)]);
    expect(ignoredFields).toHaveLength(50);
    expect(ignoredFields.every((name) => name.length <= 100)).toBe(true);
    expect(readWebhookItems([inbound({ mesage: 'Hi', sent_at: 'soon' })]).ignoredFields).toEqual(['mesage', 'sent_at']);
    expect(readWebhookItems([inbound({ sent_at: null, is_echo: false })]).ignoredFields).toEqual([]);
  });

  it('never throws, whatever it is', () => {
    fc.assert(
      fc.property(fc.array(fc.anything()), (list) => {
        const { items, refused } = readWebhookItems(list);
        expect(items.length + refused.length).toBe(list.length);
        for (const item of items) toHookItem(item, { ref: 'ref', type: undefined });
      }),
    );
  });
});

const byCode = (one: string, other: string): number => (one < other ? -1 : one > other ? 1 : 0);

async function countStored(): Promise<number> {
  const { rows } = await world.pool.query<{ count: number }>('select count(*)::int as count from inbox');
  return rows[0]?.count ?? 0;
}

describe('sent_at', () => {
  it.each([
    ['2026-11-29T10:15:30Z', '2026-11-29T10:15:30.000Z'],
    ['2026-11-29T10:15:30.5+03:00', '2026-11-29T07:15:30.500Z'],
    ['2026-11-29T10:15:30.123456789Z', '2026-11-29T10:15:30.123Z'],
    ['2026-11-29T10:15:30,25Z', '2026-11-29T10:15:30.250Z'],
    ['2026-11-29t10:15:30z', '2026-11-29T10:15:30.000Z'],
    ['2026-11-29 10:15:30', '2026-11-29T10:15:30.000Z'],
    ['2026-11-29 10:15:30 +0300', '2026-11-29T07:15:30.000Z'],
    ['2026-11-29T10:15:30+03', '2026-11-29T07:15:30.000Z'],
    ['2026-11-29 10:15:30 UTC', '2026-11-29T10:15:30.000Z'],
    ['2026-11-29T10:15', '2026-11-29T10:15:00.000Z'],
    [' 2026-11-29 ', '2026-11-29T00:00:00.000Z'],
    ['Sun, 29 Nov 2026 10:15:30 GMT', '2026-11-29T10:15:30.000Z'],
    ['Sun, 29 Nov 2026 10:15:30 +0300', '2026-11-29T07:15:30.000Z'],
    [1_795_947_330, '2026-11-29T10:15:30.000Z'],
    [1_795_947_330.25, '2026-11-29T10:15:30.250Z'],
    ['1795947330', '2026-11-29T10:15:30.000Z'],
    [1_795_947_330_250, '2026-11-29T10:15:30.250Z'],
    ['1795947330250', '2026-11-29T10:15:30.250Z'],
    [1_795_947_330_250_000, '2026-11-29T10:15:30.250Z'],
    [1, '1970-01-01T00:00:01.000Z'],
    // No time at all.
    [0, null],
    ['0', null],
    ['0001-01-01T00:00:00Z', null],
    ['', null],
    [null, null],
    [undefined, null],
    [true, null],
    // A time that does not exist, or may be several.
    ['2026-02-30T10:00:00Z', null],
    ['2026-11-29T25:00:00Z', null],
    ['2026-11-29T10:00:00+99:00', null],
    ['29.11.2026 10:15', null],
    ['11/29/2026', null],
    ['2026', '1970-01-01T00:33:46.000Z'],
    ['soon', null],
    [-1, null],
    [Number.NaN, null],
    [Number.POSITIVE_INFINITY, null],
    [1e300, null],
  ])('%j is %s', (value, instant) => {
    expect(toInstant(value)).toBe(instant);
  });
});

describe('a message without a text', () => {
  let working: World;
  let anna: TestLead;
  beforeAll(async () => {
    working = await createWorld();
    anna = await working.lead('Anna');
  });
  afterAll(() => working.close());

  it('is shown as one of unknown kind and waits for a person', async () => {
    const operator = await working.operator();
    const item = { chat_id: anna.address, message: '', message_id: 'a sticker', status: 'inbound' };
    const answer = await operator.call(receiveWebhook, { body: { channel_id: working.whatsapp.id, messages: [item] } });
    expect(answer).toMatchObject({ status: 200, body: { accepted: 1 } });
    await working.drain();
    expect(await messagesOf(working, anna)).toMatchObject([{ side: 'user', kind: 'unknown', message: '[unknown]' }]);
    const { rows } = await working.pool.query('select no_answer from dialogues where contact_id = $1', [
      anna.contactId,
    ]);
    expect(rows).toEqual([{ no_answer: 'unreadable' }]);
  });
});
