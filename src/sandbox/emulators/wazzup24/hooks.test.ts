import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { hookSink, startTestEmulators, type TestEmulators, telegram, waitUntil, whatsapp } from '../testEmulators.ts';

let world: TestEmulators;
beforeEach(async () => {
  world = await startTestEmulators();
});
afterEach(() => world.close());

const anna = '79991112233';
const { channelId } = whatsapp;

describe('statuses of a sent message', () => {
  test('reports sent, delivered and read once each, and shows them on the phone', async () => {
    const { messageId } = (await world.send(anna, 'Hello')).body;
    await world.control.untilQuiet();
    expect(world.sink.statuses()).toMatchObject([
      { messageId, status: 'sent' },
      { messageId, status: 'delivered' },
      { messageId, status: 'read' },
    ]);
    expect((await world.control.thread(anna)).messages).toMatchObject([{ messageId, status: 'read' }]);
    expect(new Set(world.sink.contentTypes)).toEqual(new Set(['application/json; charset-utf-8']));
  });

  test('runs pending statuses at once on advance', async () => {
    await world.control.changeSettings({ statuses: { sentMs: 60_000, deliveredMs: 70_000, readMs: 80_000 } });
    await world.send(anna, 'Hello');
    expect(await world.control.quiet()).toMatchObject({ quiet: false, timers: 3 });
    expect(await world.control.advance()).toEqual({ fired: 3 });
    await world.control.untilQuiet();
    expect(world.sink.statuses().map((status) => status.status)).toEqual(['sent', 'delivered', 'read']);
  });
});

describe('a message sent through the API', () => {
  test.each([
    ['echo', [{ isEcho: true, status: 'sent', text: 'Hello' }]],
    ['plain', [{ isEcho: false, status: 'sent', text: 'Hello' }]],
    ['off', []],
  ] as const)('returns as a hook by the setting %s', async (echo, expected) => {
    await world.control.changeSettings({ echo });
    const { messageId } = (await world.send(anna, 'Hello', { crmMessageId: 'k' })).body;
    await world.control.untilQuiet();
    expect(world.sink.messages()).toMatchObject(expected.map((item) => ({ ...item, messageId, chatId: anna })));
    expect(JSON.stringify(world.sink.messages())).not.toContain('crmMessageId');
  });
});

describe('phones', () => {
  test('report what the lead writes, by the domain clock', async () => {
    await world.control.setClock(86_400_000);
    const written = await world.control.write(anna, { channelId, text: 'How much?', name: 'Anna' });
    await world.control.untilQuiet();
    expect(written).toMatchObject({ hooked: true, chatId: anna });
    const [item] = world.sink.messages();
    expect(item).toMatchObject({
      messageId: written.messageIds[0],
      channelId,
      chatType: 'whatsapp',
      chatId: anna,
      type: 'text',
      text: 'How much?',
      isEcho: false,
      status: 'inbound',
      contact: { name: 'Anna' },
    });
    const ahead = Date.parse(String(item?.dateTime)) - Date.now();
    expect(ahead).toBeGreaterThan(86_000_000);
  });

  test('report several messages in one body, in order, with media and given ids and times', async () => {
    await world.control.write(anna, {
      channelId,
      messages: [
        { text: 'one', messageId: 'given' },
        { type: 'image', contentUri: 'https://example.com/a.jpg', text: 'caption' },
        { type: 'missing_call' },
        { text: 'old', at: '2020-01-02T03:04:05Z' },
      ],
    });
    await world.control.untilQuiet();
    expect(world.sink.hooks).toHaveLength(1);
    expect(world.sink.messages()).toMatchObject([
      { text: 'one', messageId: 'given' },
      { type: 'image', contentUri: 'https://example.com/a.jpg', text: 'caption' },
      { type: 'missing_call' },
      { text: 'old', dateTime: '2020-01-02T03:04:05.000Z' },
    ]);
  });

  test('report username or phone with the opaque chat of Telegram', async () => {
    await world.control.write('Anna_K', { channelId: telegram.channelId, text: 'hi' });
    await world.control.write(anna, { channelId: telegram.channelId, text: 'hi' });
    await world.control.untilQuiet();
    expect(world.sink.messages().map((item) => item.contact)).toEqual(
      expect.arrayContaining([
        { name: 'anna_k', username: 'anna_k' },
        { name: anna, phone: anna },
      ]),
    );
  });

  test('report a group with its own type and id', async () => {
    await world.control.write(anna, { channelId, text: 'hi all', chatType: 'whatsgroup', chatId: 'group-1' });
    await expect(world.control.write(anna, { channelId, text: 'x', chatType: 'telegroup' })).rejects.toThrow(
      'no chats of type',
    );
    await world.control.untilQuiet();
    expect(world.sink.messages()).toMatchObject([{ chatType: 'whatsgroup', chatId: 'group-1' }]);
  });

  test('report what a person writes on the business phone or in the vendor’s window', async () => {
    await world.control.type(anna, { channelId, text: 'from the handset' });
    await world.control.type(anna, { channelId, text: 'from the window', sentFromApp: true, authorName: 'Olga' });
    await world.control.untilQuiet();
    const [handset, window] = world.sink.messages();
    expect(handset).toMatchObject({ isEcho: true, status: 'sent', text: 'from the handset' });
    expect(handset).not.toHaveProperty('sentFromApp');
    expect(window).toMatchObject({ isEcho: true, sentFromApp: true, authorName: 'Olga' });
    expect((await world.control.thread(anna)).messages).toMatchObject([{ author: 'operator' }, { author: 'operator' }]);
  });

  test('report edits and deletions with the previous text', async () => {
    const { messageIds } = await world.control.write(anna, { channelId, text: 'first' });
    const messageId = String(messageIds[0]);
    await world.control.amend(anna, { messageId, text: 'second' });
    await world.control.amend(anna, { messageId });
    await world.control.untilQuiet();
    expect(world.sink.messages().slice(1)).toMatchObject([
      { messageId, isEdited: true, text: 'second', oldInfo: { oldText: 'first' } },
      { messageId, isDeleted: true, oldInfo: { oldText: 'second' } },
    ]);
    await expect(world.control.amend('79990000000', { messageId })).rejects.toThrow('wrote no such message');
  });

  test('report the states of a channel', async () => {
    await world.control.changeChannel(channelId, { state: 'qr' });
    await world.control.changeChannel(channelId, { state: 'active' });
    await world.control.untilQuiet();
    const updates = world.sink.hooks.flatMap((hook) => hook.channelsUpdates ?? []);
    expect(updates).toMatchObject([
      { channelId, state: 'qr', timestamp: expect.any(Number), qr: expect.stringMatching(/^data:image\/png;base64,/) },
      { channelId, state: 'active' },
    ]);
    expect(updates[1]).not.toHaveProperty('qr');
  });

  test('refuse a username on WhatsApp and an unknown channel', async () => {
    await expect(world.control.write('boris', { channelId, text: 'hi' })).rejects.toThrow('no phone number');
    await expect(world.control.write(anna, { channelId: 'none', text: 'hi' })).rejects.toThrow('no channel');
    await expect(world.control.write(anna, { channelId, at: 'yesterday' })).rejects.toMatchObject({ status: 422 });
  });
});

describe('delivery', () => {
  test('sends the hooks of one chat in order, without waiting for other chats', async () => {
    const release = world.sink.delayNext();
    for (const text of ['1', '2', '3']) await world.control.write(anna, { channelId, text });
    await waitUntil(() => world.sink.messages().length === 1);
    await world.control.write('79990000000', { channelId, text: 'other' });
    await waitUntil(() => world.sink.messages().length === 2);
    expect(world.sink.messages().map((item) => item.text)).toEqual(['1', 'other']);
    release();
    await world.control.untilQuiet();
    expect(world.sink.messages().map((item) => item.text)).toEqual(['1', 'other', '2', '3']);
  });

  test('sends two hundred hooks of fifty leads', async () => {
    const writes = Array.from({ length: 200 }, (_, count) =>
      world.control.write(`7999000${String(count % 50).padStart(4, '0')}`, { channelId, text: String(count) }),
    );
    await Promise.all(writes);
    await world.control.untilQuiet();
    expect(new Set(world.sink.messages().map((item) => item.text)).size).toBe(200);
  });

  test('sends nothing without a subscription', async () => {
    await world.api('PATCH', '/webhooks', { subscriptions: { messagesAndStatuses: false } });
    world.sink.hooks.length = 0;
    expect(await world.control.write(anna, { channelId, text: 'hi' })).toMatchObject({ hooked: false });
    await world.control.untilQuiet();
    expect(world.sink.hooks).toEqual([]);
  });

  test('retries a failed hook, and gives up after the retries', async () => {
    world.sink.answers.push(503, 500);
    await world.control.write(anna, { channelId, text: 'hi' });
    await world.control.untilQuiet();
    expect(world.sink.messages()).toHaveLength(3);
    const tries = (await world.control.entriesOf('hook_answered')).map(({ attempt, status, settled }) => [
      attempt,
      status,
      settled,
    ]);
    expect(tries).toEqual([
      [1, 503, undefined],
      [2, 500, undefined],
      [3, 200, 'delivered'],
    ]);
    world.sink.answers.push(500, 500, 500, 500, 500);
    await world.control.write(anna, { channelId, text: 'lost' });
    await world.control.untilQuiet();
    expect((await world.control.entriesOf('hook_answered')).at(-1)).toMatchObject({ attempt: 4, settled: 'given_up' });
  });

  test('sends a hook when its receiver is back', async () => {
    await world.control.changeSettings({ hooks: { retries: 1_000, pauseMs: 20 } });
    await world.sink.close();
    await world.control.write(anna, { channelId, text: 'hi' });
    await waitUntil(async () =>
      (await world.control.entriesOf('hook_answered')).some((entry) => entry.status === null),
    );
    expect(await world.control.quiet()).toMatchObject({ quiet: false, hooks: 1 });
    const back = await hookSink(world.sink.port);
    await world.control.untilQuiet();
    expect(back.messages()).toMatchObject([{ text: 'hi' }]);
    await back.close();
  });
});
