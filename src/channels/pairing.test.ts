/** Channels of both vendors: list, connect, check sessions, and show state changes. */
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { CHATPUSH_TOKEN, type Chatpush, CUSTOMER, connectChatpush } from '../testing/chatpush.ts';
import type { Client } from '../testing/client.ts';
import { createWorld, WAZZUP_KEY, type World } from '../testing/world.ts';
import { channels, checkSession, pairing, pairingLink } from './contract.ts';
import { registerHook } from './hookContract.ts';

let world: World;
let chatpush: Chatpush;
let admin: Client;
beforeAll(async () => {
  world = await createWorld({ env: { RAPPORT_ASK_VENDOR_SECONDS: '3600' } });
  chatpush = await connectChatpush(world);
  admin = await world.operator();
});
afterEach(async () => {
  await world.control.setFaults([]);
  await world.control.putChatpush(CHATPUSH_TOKEN, { customerId: CUSTOMER, bot: true });
});
afterAll(() => world.close());

const find = (vendor: 'wazzup24' | 'chatpush', channel_type: 'whatsapp' | 'telegram', api_key: string) =>
  admin.call(pairing, { body: { vendor, channel_type, credentials: { api_key } } });
const sessionOf = (id: number) => admin.call(checkSession, { params: { id } });

describe('the channels of an account', () => {
  it.each([
    ['wazzup24', 'whatsapp', WAZZUP_KEY, ['WhatsApp']],
    ['wazzup24', 'telegram', WAZZUP_KEY, ['Telegram']],
    ['chatpush', 'whatsapp', CHATPUSH_TOKEN, ['WhatsApp, account 10001']],
    ['chatpush', 'telegram', CHATPUSH_TOKEN, ['Telegram, account 10001', 'Telegram bot, account 10001']],
  ] as const)('%s, %s', async (vendor, type, key, titles) => {
    const { status, body } = await find(vendor, type, key);
    expect(status).toBe(200);
    expect(body).toEqual(titles.map((title) => expect.objectContaining({ title, state: 'active' })));
  });

  it("refuses a wrong key with the vendor's reason", async () =>
    expect(await find('chatpush', 'whatsapp', 'wrong')).toMatchObject({
      status: 409,
      body: { detail: 'The vendor refused: Not authorized!' },
    }));

  it('asks again for a masked key', async () => expect((await find('chatpush', 'whatsapp', '…oken')).status).toBe(409));

  it('reports that the vendor does not answer', async () => {
    await world.control.setFaults([{ kind: 'chatpush.fail_before', status: 503 }]);
    expect((await find('chatpush', 'whatsapp', CHATPUSH_TOKEN)).status).toBe(409);
  });
});

describe('the webhook', () => {
  const register = (id: number, replace = false) => admin.call(registerHook, { params: { id }, query: { replace } });

  it("registers ChatPush's webhook beside another program's without replacing it", async () => {
    expect(await register(chatpush.telegram.id)).toMatchObject({
      status: 208,
      body: { message: 'Already registered' },
    });
    await world.control.putChatpush('a-second-token', { customerId: 777 });
    const created = await admin.call(channels.create, {
      body: {
        name: 'Second',
        vendor: 'chatpush',
        channel_type: 'whatsapp',
        credentials: { api_key: 'a-second-token', channel_id: '777:whatsapp' },
      },
    });
    const { id } = channels.create.replies[201].parse(created.body);
    expect(await register(id)).toMatchObject({ status: 201, body: { message: 'Success' } });
    expect((await register(id)).status).toBe(208);
    const account = (await world.control.chatpushAccounts()).find(({ token }) => token === 'a-second-token');
    expect(account?.webhooks).toHaveLength(1);
  });
});

describe('a session', () => {
  it.each([
    ['whatsapp', { whatsapp: 0 }, 'unauthorized'],
    ['telegram', { tdlib: 2 }, 'waitforpassword'],
    ['telegram', { subscription: 'expired' }, 'notenoughmoney'],
    ['telegram', { tdlib: null }, 'gone'],
  ] as const)('reports the session of %s with %j on request', async (messenger, change, state) => {
    const { id } = chatpush[messenger];
    expect((await sessionOf(id)).body).toEqual({ is_session_active: true, state: 'active', qr: null });
    // Telegram changes send no hook; the WhatsApp hook is dropped.
    await world.control.setFaults([{ kind: 'hooks.drop' }]);
    await world.control.putChatpush(CHATPUSH_TOKEN, { customerId: CUSTOMER, bot: true, ...change });
    expect((await sessionOf(id)).body).toEqual({ is_session_active: false, state, qr: null });
  });

  it('learns from the webhook that a session ended and that it is back', async () => {
    const { id } = chatpush.whatsapp;
    const state = async () =>
      (await world.pool.query<{ state: string }>('select state from channels where id = $1', [id])).rows[0]?.state;
    await sessionOf(id);
    await world.control.putChatpush(CHATPUSH_TOKEN, { customerId: CUSTOMER, bot: true, whatsapp: 0 });
    await world.waitUntil(async () => (await state()) === 'unauthorized', 'the sign-out is noticed');
    await world.control.putChatpush(CHATPUSH_TOKEN, { customerId: CUSTOMER, bot: true });
    await world.waitUntil(async () => (await state()) === 'active', 'the sign-in is noticed');
  });

  it("shows Wazzup24's QR code until the session is connected", async () => {
    await world.control.changeChannel(world.telegram.ref, { state: 'qr' });
    await world.drain();
    expect((await sessionOf(world.telegram.id)).body).toMatchObject({
      is_session_active: false,
      state: 'qr',
      qr: expect.stringMatching(/^data:image\/png;base64,/),
    });
    await world.control.changeChannel(world.telegram.ref, { state: 'active' });
    await world.drain();
    expect((await sessionOf(world.telegram.id)).body).toEqual({ is_session_active: true, state: 'active', qr: null });
  });

  it('offers no pairing link with either vendor, and says where to pair', async () => {
    for (const [id, name] of [
      [world.whatsapp.id, 'Wazzup24'],
      [chatpush.whatsapp.id, 'ChatPush'],
    ] as const)
      expect(await admin.call(pairingLink, { params: { id } })).toMatchObject({
        status: 409,
        body: { detail: expect.stringContaining(`${name} has no pairing link`) },
      });
  });

  it('hides sessions from members of other companies', async () => {
    const { rows } = await world.pool.query<{ id: string }>(
      "insert into companies (name) values ('Abroad') returning id",
    );
    const member = await world.operator('stranger', [Number(rows[0]?.id)]);
    expect((await member.call(checkSession, { params: { id: chatpush.whatsapp.id } })).status).toBe(404);
  });
});
