/** The driver against the emulated vendor: requests, outcomes, sessions and webhooks. */
import { createServer, type Server, type ServerResponse } from 'node:http';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { createOutbound } from '../../platform/outbound.ts';
import type { Fault } from '../../sandbox/emulators/contract.ts';
import { type ControlClient, controlClient } from '../../sandbox/emulators/control.ts';
import { startEmulators } from '../../sandbox/emulators/server.ts';
import { temporaryDirectory } from '../../sandbox/emulators/testEmulators.ts';
import type { SendOutcome, SendRequest, VendorCall } from '../driver.ts';
import { deliveryStateOf } from './codes.ts';
import { chatpush } from './driver.ts';

const TOKEN = 'token-of-the-account';
const outbound = createOutbound({ loopback: true, hosts: [], ports: [443] });
const folder = temporaryDirectory();
let emulators: Awaited<ReturnType<typeof startEmulators>>;
let control: ControlClient;
let vendor: VendorCall;
let oddServer: Server;
let respond = (response: ServerResponse): void => void response.end();
let oddVendor: VendorCall;
beforeAll(async () => {
  emulators = await startEmulators({ dir: folder.dir });
  control = controlClient(emulators.url, emulators.token);
  await control.changeSettings({ statuses: { sentMs: 1, deliveredMs: 2, readMs: 3 } });
  vendor = { outbound, baseUrl: `${emulators.url}/chatpush`, apiKey: TOKEN };
  oddServer = createServer((request, response) => {
    request.resume();
    request.on('end', () => respond(response));
  });
  await new Promise<void>((resolve) => oddServer.listen(0, '127.0.0.1', resolve));
  const { port } = z.object({ port: z.number() }).parse(oddServer.address());
  oddVendor = { outbound, baseUrl: `http://127.0.0.1:${port}`, apiKey: TOKEN };
});
afterEach(async () => {
  await control.setFaults([]);
  await control.putChatpush(TOKEN, { customerId: 10_001, bot: true });
});
afterAll(async () => {
  oddServer.closeAllConnections();
  oddServer.close();
  await emulators.stop();
  await outbound.close();
  folder.remove();
});
beforeAll(() => control.putChatpush(TOKEN, { customerId: 10_001, bot: true }));

const request: SendRequest = {
  channelRef: '10001:whatsapp',
  channelType: 'whatsapp',
  chatId: null,
  address: '79990000001',
  text: 'Hello & привет',
  key: 'the-key',
  callbackUrl: null,
  timeoutMs: 400,
};
const send = (more: Partial<SendRequest> = {}, to = vendor): Promise<SendOutcome> =>
  chatpush.send(to, { ...request, ...more });
const last = async () => (await control.entriesOf('reached')).at(-1);

describe('a request to send', () => {
  it.each([
    [{}, { channelId: '10001:whatsapp', to: '79990000001', chatId: '79990000001' }],
    [{ chatId: '79990000009' }, { to: '79990000009' }],
    [
      { channelType: 'telegram', channelRef: '10001:tdlib' },
      { channelId: '10001:tdlib', to: '79990000001' },
    ],
    [{ channelType: 'telegram', channelRef: '10001:tdlib', address: 'anna_k' }, { to: 'anna_k' }],
  ] as const)('sends %j to %j', async (more, reached) => {
    const outcome = await send({ ...more, key: crypto.randomUUID() });
    expect(outcome).toEqual({ kind: 'accepted', messageId: expect.stringMatching(/^3\d{8}$/), chatId: null });
    expect(await last()).toMatchObject({ ...reached, text: 'Hello & привет' });
  });

  it('prefers a known chat to the address, also where the number is hidden', async () => {
    await send({ channelType: 'telegram', channelRef: '10001:tdlib', address: 'boris_b' });
    const chatId = (await last())?.chatId ?? '';
    const hidden = { channelType: 'telegram', channelRef: '10001:tdlib' } as const;
    await send({ ...hidden, chatId, address: 'id:1' });
    expect(await last()).toMatchObject({ to: 'boris_b', chatId });
    await send({ ...hidden, address: `id:${chatId}` });
    expect(await last()).toMatchObject({ to: 'boris_b', chatId });
  });

  it('sends our idempotency key and the webhook address', async () => {
    await send({ callbackUrl: `${oddVendor.baseUrl}/told`, key: 'a-key' });
    expect(await last()).toMatchObject({ crmMessageId: 'a-key', callbackUrl: `${oddVendor.baseUrl}/told` });
  });
});

describe("a vendor's response", () => {
  const rejected = (about: string, more: object = {}) => ({ kind: 'rejected', about, ...more });
  const faults: [string, Fault, object][] = [
    ['an answer lost', { kind: 'chatpush.lose_answer' }, { kind: 'unknown' }],
    ['a fault before', { kind: 'chatpush.fail_before' }, { kind: 'unknown' }],
    ['a fault after', { kind: 'chatpush.fail_after', status: 503 }, { kind: 'unknown' }],
    ['rubbish', { kind: 'chatpush.rubbish', after: true }, { kind: 'unknown' }],
    ['silence', { kind: 'chatpush.hang', after: true }, { kind: 'unknown' }],
    [
      'too many',
      { kind: 'chatpush.rate_limited', retryAfterSeconds: 7 },
      rejected('passing', { retryAfterSeconds: 7 }),
    ],
    ['a wrong number', { kind: 'chatpush.refuse', code: 'phone' }, rejected('recipient', { code: 'wrong_phone' })],
    ['a wrong name', { kind: 'chatpush.refuse', code: 'username' }, rejected('recipient')],
    ['a wrong text', { kind: 'chatpush.refuse', code: 'text' }, rejected('message')],
    ['a wrong messenger', { kind: 'chatpush.refuse', code: 'dispatch_routing' }, rejected('channel')],
    ['something wrong', { kind: 'chatpush.refuse', code: 'brand_new' }, rejected('message')],
  ];
  it.each(faults)('%s', async (_name, fault, expected) => {
    await control.setFaults([fault]);
    expect(await send()).toMatchObject(expected);
  });

  it('treats a failure with HTTP 200 as a failure', async () => {
    await control.setFaults([{ kind: 'chatpush.refuse', code: 'phone' }, { kind: 'chatpush.fail_as_200' }]);
    expect(await send()).toMatchObject(rejected('recipient', { reason: 'Validation failed; phone: is invalid' }));
  });

  it('blames a wrong token on the account', async () => {
    const outcome = await send({}, { ...vendor, apiKey: 'another-token' });
    expect(outcome).toMatchObject(rejected('account', { reason: expect.stringContaining('Not authorized!') }));
    expect(JSON.stringify(outcome)).not.toContain('another-token');
  });

  const answers: [string, number, unknown, object][] = [
    ['accepted', 200, { delivery: { id: 5 } }, { kind: 'accepted', messageId: '5' }],
    ['without an id', 200, { meta: { status: 'success' }, delivery: {} }, { kind: 'unknown' }],
    ['failed, in the other word', 200, { meta: { status: 'failed', message: 'No' } }, rejected('message')],
    ['signed out at once', 200, { delivery: { id: 5, status_id: 45 } }, rejected('channel', { code: '45' })],
    ['no such person at once', 200, { delivery: { id: 5, status_id: 44 } }, rejected('recipient')],
    ['an unknown status', 200, { delivery: { id: 5, status_id: 4711 } }, { kind: 'accepted' }],
    ['no status', 200, { delivery: { id: 5, status_id: '' } }, { kind: 'accepted' }],
    ['no money', 402, { meta: { status: 'fail' } }, rejected('channel')],
    ['not there', 404, 'x', rejected('message', { code: 'HTTP_404' })],
    ['401 in the body of a 200', 200, { meta: { status: 'fail', code: 401 } }, rejected('account')],
  ];
  it.each(answers)('%s', async (_name, status, body, expected) => {
    respond = (response) => response.writeHead(status).end(JSON.stringify(body));
    expect(await send({}, oddVendor)).toMatchObject(expected);
  });

  it('reports that nothing was sent when the connection is refused', async () => {
    const closed = createServer();
    await new Promise<void>((resolve) => closed.listen(0, '127.0.0.1', resolve));
    const { port } = z.object({ port: z.number() }).parse(closed.address());
    await new Promise((resolve) => closed.close(resolve));
    const outcome = await send({}, { ...vendor, baseUrl: `http://127.0.0.1:${port}` });
    expect(outcome).toMatchObject(rejected('passing', { code: 'NOT_CONNECTED' }));
  });
});

describe("a message's status at the vendor", () => {
  it.each([
    [undefined, { status: 'read', errorCode: null }],
    ['58', { status: 'error', errorCode: '58', errorAbout: 'recipient' }],
    ['35', { status: 'error', errorCode: '35', errorAbout: 'passing' }],
    ['50', { status: 'error', errorCode: '50', errorAbout: 'channel' }],
    ['1293', { status: 'error', errorCode: '1293', errorAbout: 'message', errorReason: 'Status 1293' }],
  ])('maps the failure %s', async (code, deliveryStatus) => {
    if (code !== undefined) await control.setFaults([{ kind: 'chatpush.fail_later', code }]);
    const sent = await send({ key: crypto.randomUUID() });
    await control.untilQuiet();
    const id = sent.kind === 'accepted' ? (sent.messageId ?? '') : '';
    expect(await chatpush.fetchDeliveryStatus?.(vendor, id)).toMatchObject(deliveryStatus);
  });

  it('reports a message that the vendor does not know', async () =>
    expect(await chatpush.fetchDeliveryStatus?.(vendor, '1')).toBeNull());

  it.each([null, '', false])('knows nothing of a message with the status %j', async (status_id) => {
    respond = (response) => response.end(JSON.stringify({ delivery: { id: 5, status: { status_id } } }));
    expect(await chatpush.fetchDeliveryStatus?.(oddVendor, '5')).toBeNull();
  });

  it("maps every error id of the vendor's list", () => {
    const documentedIds = [
      0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 20, 21, 22, 25, 26, 27, 28, 31, 32, 33, 34, 35,
      36, 37, 38, 44, 45, 46, 47, 48, 49, 50, 51, 52, 53, 56, 57, 58, 69, 88, 257, 555, 1281, 1282, 1283, 1284, 1285,
      1286, 1287, 1288, 1293, 1299, 2291,
    ];
    expect(documentedIds.filter((id) => deliveryStateOf(id) === null)).toEqual([]);
    expect(deliveryStateOf(4711)).toBeNull();
  });
});

describe('the account', () => {
  const states = async () => (await chatpush.listChannels(vendor)).map(({ ref, state, type }) => [ref, state, type]);

  it("lists the account's messengers", async () =>
    expect(await states()).toEqual([
      ['10001:whatsapp', 'active', 'whatsapp'],
      ['10001:tdlib', 'active', 'telegram'],
      ['10001:telegram', 'active', 'telegram'],
    ]));

  it.each([
    [{ whatsapp: 0, tdlib: 0 }, ['unauthorized', 'waitforphone']],
    [{ whatsapp: 1, tdlib: 1 }, ['active', 'waitforcode']],
    [{ whatsapp: 1, tdlib: 2 }, ['active', 'waitforpassword']],
    [{ whatsapp: 7, tdlib: 4 }, ['session 7', 'qr']],
    [{ whatsapp: 1, tdlib: 5 }, ['active', 'blocked']],
    [{ whatsapp: null, tdlib: 3 }, ['active']],
    [{ whatsapp: 1, tdlib: 3, subscription: 'expired' }, ['notenoughmoney', 'notenoughmoney']],
  ])('%j', async (account, expected) => {
    await control.putChatpush(TOKEN, { customerId: 10_001, ...account });
    expect((await states()).map(([, state]) => state)).toEqual(expected);
  });

  it('gives the reason when the account refuses', async () =>
    await expect(chatpush.listChannels({ ...vendor, apiKey: 'wrong' })).rejects.toThrow('Not authorized!'));
});

describe('the webhook', () => {
  const ours = 'http://127.0.0.1:1/hooks/chatpush/our-secret';
  const registeredUrls = async () => (await control.chatpushAccounts())[0]?.webhooks.map(({ url }) => url);

  const isOurs = (address: string): boolean => address.endsWith('-secret');

  it('registers its webhook once beside others, and moves it with the server', async () => {
    const others = 'https://other.example/hook';
    await chatpush.registerHook(vendor, others, isOurs);
    expect(await chatpush.readHookAddress(vendor, ours)).toBeNull();
    await chatpush.registerHook(vendor, ours, isOurs);
    await chatpush.registerHook(vendor, ours, isOurs);
    expect(await chatpush.readHookAddress(vendor, ours)).toBe(ours);
    expect(await registeredUrls()).toEqual([others, ours]);
    const moved = 'http://127.0.0.2:1/hooks/chatpush/our-secret';
    await chatpush.registerHook(vendor, moved, isOurs);
    expect(await registeredUrls()).toEqual([others, moved]);
    // As left behind by a version that moved none, or by two calls at once.
    const renewed = 'http://127.0.0.2:1/hooks/chatpush/new-secret';
    await chatpush.registerHook(vendor, renewed, () => false);
    expect(await registeredUrls()).toEqual([others, moved, renewed]);
    await chatpush.registerHook(vendor, renewed, isOurs);
    expect(await registeredUrls()).toEqual([others, renewed]);
  });
});
