import { describe, expect, test } from 'vitest';
import { bot, hookSink, key, setUpEmulators, telegram, waitUntil, whatsapp, world } from '../testEmulators.ts';

setUpEmulators();

const anna = '79991112233';

test('answers 401 for a missing or wrong key on every route, and 404 for a route that does not exist', async () => {
  for (const [method, path] of [
    ['GET', '/channels'],
    ['POST', '/message'],
    ['GET', '/webhooks'],
    ['PATCH', '/webhooks'],
    ['GET', '/users'],
  ] as const)
    for (const as of [null, 'wrong']) {
      const reply = await world.api(method, path, method === 'GET' ? undefined : {}, as);
      expect(reply, path).toMatchObject({ status: 401, body: { error: 'UNAUTHORIZED' } });
    }
  expect((await world.api('GET', '/users')).status).toBe(404);
});

test('shows and lends no account the channels of another', async () => {
  await world.control.putAccount('other', { channels: [] });
  expect((await world.api('GET', '/channels', undefined, 'other')).body).toEqual({ items: [] });
  const body = { channelId: whatsapp.channelId, chatType: 'whatsapp', chatId: anna, text: 'hi' };
  expect((await world.api('POST', '/message', body, 'other')).body).toMatchObject({ error: 'CHANNEL_NOT_FOUND' });
  await expect(world.control.putAccount('other', { channels: [whatsapp] })).rejects.toThrow('another account');
});

test('lists channels as a bare array with name and state', async () => {
  await world.control.changeChannel(whatsapp.channelId, { state: 'unauthorized' });
  const items = [
    { ...whatsapp, name: '', state: 'unauthorized' },
    { ...telegram, state: 'active' },
    { ...bot, state: 'active' },
  ];
  expect(await world.api('GET', '/channels')).toMatchObject({ status: 200, body: { items } });
});

describe('sending', () => {
  test('answers 201 with ids and shows the message on the phone', async () => {
    const sent = await world.send(anna, 'Hello', { crmMessageId: 'one', clearUnanswered: false });
    expect(sent).toMatchObject({ status: 201, body: { chatId: anna } });
    const bubble = { author: 'api', text: 'Hello', messageId: sent.body.messageId, crmMessageId: 'one' };
    expect((await world.control.thread(anna)).messages).toMatchObject([bubble]);
    const message = { to: anna, chatId: anna, text: 'Hello', crmMessageId: 'one' };
    const { channelId } = whatsapp;
    const entry = { vendor: 'wazzup24', account: key, channelId, ...message };
    expect(await world.control.entriesOf('reached')).toMatchObject([entry]);
  });

  test.each([
    ['INVALID_MESSAGE_DATA', { channelId: 5 }, { fields: ['channelId'] }],
    ['INVALID_MESSAGE_DATA', { chatType: undefined }, { fields: ['chatType'] }],
    ['INVALID_MESSAGE_DATA', { chatId: '+79991112233' }, { fields: ['chatId'] }],
    ['INVALID_MESSAGE_DATA', { chatId: undefined }, { fields: ['chatId'] }],
    ['BAD_CONTACT', { chatId: '12345' }, undefined],
    ['CHANNEL_NOT_FOUND', { channelId: 'nobody' }, { channelId: 'nobody' }],
    ['WRONG_TRANSPORT', { chatType: 'telegram' }, { transport: 'whatsapp', chatType: 'telegram' }],
    ['MESSAGE_ONLY_TEXT_OR_CONTENT', { contentUri: 'https://example.com/a.pdf' }, undefined],
    ['MESSAGE_NOTHING_TO_SEND', { text: undefined }, undefined],
    ['MESSAGES_TEXT_CAN_NOT_BE_BLANK', { text: '  ' }, undefined],
    ['MESSAGE_TEXT_TOO_LONG', { text: 'x'.repeat(10_001) }, undefined],
  ])('refuses a send with %s for %j, and names %j', async (error, change, data) => {
    const refused = await world.send(anna, 'Hello', change);
    const requestId = expect.any(String);
    expect(refused).toMatchObject({ status: 400, body: { status: 400, error, requestId, ...(data ? { data } : {}) } });
    expect(await world.control.entriesOf('reached')).toEqual([]);
    expect(await world.control.entriesOf('refused')).toMatchObject([{ code: error, status: 400 }]);
  });

  test.each([
    ['blocked', 'CHANNEL_BLOCKED'],
    ['notEnoughMoney', 'CHANNEL_NO_MONEY'],
    ['rejected', 'CHANNEL_WAPI_REJECTED'],
    ['openElsewhere', 'MESSAGE_CHANNEL_UNAVAILABLE'],
  ])('refuses a send on a channel in state %s with %s', async (state, error) => {
    await world.control.changeChannel(whatsapp.channelId, { state });
    expect((await world.send(anna, 'Hello')).body).toMatchObject({ error });
  });

  test('accepts a text of the full length, and media', async () => {
    expect((await world.send(anna, 'x'.repeat(10_000))).status).toBe(201);
    const contentUri = 'https://example.com/a.pdf';
    expect((await world.send(anna, '', { text: undefined, contentUri })).status).toBe(201);
    expect((await world.control.thread(anna)).messages[1]).toMatchObject({ contentUri });
  });
});

describe('idempotency key', () => {
  const send = async () => (await world.send(anna, 'Hello', { crmMessageId: 'k' })).status;

  test('is refused again within its window of real time, unless deduplication is off', async () => {
    expect(await send()).toBe(201);
    await world.control.setClock(3_600_000);
    const again = await world.send(anna, 'Hello', { crmMessageId: 'k' });
    const body = { status: 400, error: 'REPEATED_CRM_MESSAGE_ID', data: { crmMessageId: 'k' } };
    expect(again).toMatchObject({ status: 400, body });
    expect(again.body).not.toHaveProperty('messageId');
    expect(await world.control.entriesOf('reached')).toHaveLength(1);
    for (const key of [{ windowMs: 0 }, { windowMs: 60_000, dedupe: false }]) {
      await world.control.changeSettings({ key });
      expect(await send()).toBe(201);
    }
  });

  test('stays free after a refusal, and is separate for each account', async () => {
    await world.control.setFaults([{ kind: 'wazzup24.refuse', times: 1 }]);
    expect([await send(), await send()]).toEqual([400, 201]);
    await world.control.putAccount('other', { channels: [{ ...whatsapp, channelId: 'theirs' }] });
    const body = { channelId: 'theirs', chatType: 'whatsapp', chatId: anna, text: 'Hello', crmMessageId: 'k' };
    expect((await world.api('POST', '/message', body, 'other')).status).toBe(201);
  });
});

describe('telegram', () => {
  const send = (more: Record<string, unknown>) =>
    world.api('POST', '/message', { channelId: telegram.channelId, chatType: 'telegram', text: 'Hello', ...more });

  test('gives a person one opaque chat id', async () => {
    const first = await send({ username: 'Anna_K' });
    expect(first.status).toBe(201);
    expect(first.body.chatId).toMatch(/^\d{10}$/);
    expect((await send({ username: 'anna_k' })).body.chatId).toBe(first.body.chatId);
    expect((await send({ chatId: first.body.chatId })).status).toBe(201);
    expect((await send({ phone: '79991112233' })).body.chatId).not.toBe(first.body.chatId);
    expect((await world.control.thread('anna_k')).messages).toHaveLength(3);
    const written = await world.control.write('@anna_k', { channelId: telegram.channelId, text: 'Hi' });
    expect(written.chatId).toBe(first.body.chatId);
  });

  test('refuses an unknown chat, a username with @ and a phone with plus', async () => {
    expect((await send({ chatId: '42' })).body).toMatchObject({ error: 'BAD_CONTACT' });
    expect((await send({ username: '@anna' })).body).toMatchObject({ error: 'INVALID_MESSAGE_DATA' });
    expect((await send({ phone: '+79991112233' })).body).toMatchObject({ error: 'INVALID_MESSAGE_DATA' });
    expect((await send({})).body).toMatchObject({ error: 'INVALID_MESSAGE_DATA' });
    expect((await send({ username: 'anna', text: 'x'.repeat(4_097) })).body).toMatchObject({
      error: 'MESSAGES_TOO_LONG_TELEGRAM',
    });
  });

  test('lets a bot write only after the lead has', async () => {
    const toBot = (chatId: string) =>
      world.api('POST', '/message', { channelId: bot.channelId, chatType: 'telegram', chatId, text: 'Hello' });
    const { chatId } = await world.control.write('boris', { channelId: telegram.channelId, text: 'elsewhere' });
    expect((await toBot(chatId)).body).toMatchObject({ error: 'CHAT_NO_ACCESS' });
    await world.control.write('boris', { channelId: bot.channelId, text: '/start' });
    expect((await toBot(chatId)).status).toBe(201);
  });
});

test('answers 429 above the rate limit until the window has passed', async () => {
  await world.control.changeSettings({ rateLimit: { requests: 3, perMs: 60_000 } });
  const statuses = [];
  for (let count = 0; count < 4; count += 1) statuses.push((await world.send(anna, `m${count}`)).status);
  // The subscription also counted if it fell into the same window.
  expect(statuses.at(-1)).toBe(429);
  const reached = (await world.control.entriesOf('reached')).length;
  expect(reached).toBe(statuses.filter((status) => status === 201).length);
  await world.control.changeSettings({ rateLimit: { perMs: 50 } });
  await waitUntil(async () => (await world.send(anna, 'later')).status === 201);
});

describe('hook address', () => {
  const subscribe = (webhooksUri: string) =>
    world.api('PATCH', '/webhooks', { webhooksUri, subscriptions: { messagesAndStatuses: true } });

  test('tests a new hook address, stores it and shows its subscriptions', async () => {
    const other = await hookSink();
    expect(await subscribe(other.url)).toMatchObject({ status: 200, body: { ok: true } });
    expect(other.hooks).toEqual([{ test: true }]);
    expect(other.contentTypes).toEqual(['application/json; charset-utf-8']);
    const off = { contactsAndDealsCreation: false, templateStatus: false };
    const subscriptions = { messagesAndStatuses: true, channelsUpdates: true, ...off };
    expect((await world.api('GET', '/webhooks')).body).toEqual({ webhooksUri: other.url, subscriptions });
    await other.close();
  });

  test('keeps the hook address when the new one is invalid, too long, or does not answer 200', async () => {
    for (const address of ['nowhere', `${world.sink.url}?token=${'x'.repeat(200)}`])
      expect(await subscribe(address)).toMatchObject({ status: 400, body: { error: 'uriNotValid' } });
    const other = await hookSink();
    other.answers.push(403);
    expect(await subscribe(other.url)).toMatchObject({ status: 400, body: { error: 'testPostNotPassed' } });
    await other.close();
    expect(await subscribe(other.url)).toMatchObject({ status: 400, body: { error: 'testPostNotPassed' } });
    expect((await world.api('GET', '/webhooks')).body.webhooksUri).toBe(world.sink.url);
  });
});
