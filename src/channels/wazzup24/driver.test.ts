import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createOutbound } from '../../platform/outbound.ts';
import type { SendOutcome, SendRequest } from '../driver.ts';
import { wazzup24 } from './driver.ts';

type Answer = (request: IncomingMessage, response: ServerResponse) => void;

let server: Server;
let baseUrl = '';
let answer: Answer;
let lastRequest: { path: string; authorization: string | undefined; body: unknown };
const outbound = createOutbound({ loopback: true, hosts: [], ports: [443] });
beforeAll(async () => {
  server = createServer((request, response) => {
    let text = '';
    request.on('data', (chunk: Buffer) => (text += chunk.toString('utf8')));
    request.on('end', () => {
      lastRequest = {
        path: request.url ?? '',
        authorization: request.headers.authorization,
        body: text ? JSON.parse(text) : null,
      };
      answer(request, response);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(async () => {
  server.closeAllConnections();
  server.close();
  await outbound.close();
});

const request: SendRequest = {
  channelRef: 'the-channel',
  channelType: 'whatsapp',
  chatId: null,
  address: '79990000001',
  text: 'Hello',
  key: 'the-key',
  callbackUrl: null,
  timeoutMs: 300,
};

function send(more: Partial<SendRequest> = {}, url = baseUrl): Promise<SendOutcome> {
  return wazzup24.send({ outbound, baseUrl: url, apiKey: 'secret-key' }, { ...request, ...more });
}

const respondWith =
  (status: number, body: unknown, headers: Record<string, string> = {}): Answer =>
  (_request, response) => {
    response.writeHead(status, headers);
    response.end(typeof body === 'string' ? body : JSON.stringify(body));
  };

describe('a request to send', () => {
  it.each([
    [{}, { chatId: '79990000001' }],
    [{ chatId: '7999' }, { chatId: '7999' }],
    [{ channelType: 'telegram' }, { phone: '79990000001' }],
    [{ channelType: 'telegram', address: 'anna_k' }, { username: 'anna_k' }],
    [{ channelType: 'telegram', address: 'anna_k', chatId: 'opaque' }, { chatId: 'opaque' }],
  ] as const)('addresses %j as %j', async (more, to) => {
    answer = respondWith(201, { messageId: 'm-1', chatId: 'c-1' });
    expect(await send(more)).toEqual({ kind: 'accepted', messageId: 'm-1', chatId: 'c-1' });
    const chatType = 'channelType' in more ? more.channelType : 'whatsapp';
    expect(lastRequest).toEqual({
      path: '/v3/message',
      authorization: 'Bearer secret-key',
      body: {
        channelId: 'the-channel',
        chatType,
        ...to,
        text: 'Hello',
        crmMessageId: 'the-key',
        clearUnanswered: false,
      },
    });
  });
});

describe("a vendor's response", () => {
  const rejected = (about: string) => expect.objectContaining({ kind: 'rejected', about });
  const unknown = expect.objectContaining({ kind: 'unknown' });
  const cases: [string, Answer, unknown][] = [
    ['201 with an id', respondWith(201, { messageId: 'm' }), { kind: 'accepted', messageId: 'm', chatId: null }],
    [
      '200 with an id',
      respondWith(200, { messageId: 'm', chatId: 'c', more: 1 }),
      { kind: 'accepted', messageId: 'm', chatId: 'c' },
    ],
    ['201 without an id', respondWith(201, {}), unknown],
    ['201 that is no JSON', respondWith(201, '<html>'), unknown],
    ['500', respondWith(500, 'oops'), unknown],
    ['503', respondWith(503, { error: 'x' }), unknown],
    ['a cut connection', (_request, response) => response.destroy(), unknown],
    ['silence', () => undefined, unknown],
    ['half an answer', (_request, response) => void response.writeHead(201).write('{"mess'), unknown],
    ['a redirect', respondWith(302, '', { location: 'http://127.0.0.1:1/' }), unknown],
    ['401', respondWith(401, ''), rejected('account')],
    ['403 of a sidecar key', respondWith(403, { error: 'FORBIDDEN' }), rejected('account')],
    ['429', respondWith(429, ''), rejected('passing')],
    [
      'a used key',
      respondWith(400, { error: 'REPEATED_CRM_MESSAGE_ID' }),
      { kind: 'accepted', messageId: null, chatId: null },
    ],
    [
      'a used key, as documented',
      respondWith(400, { error: 'repeatedCrmMessageId' }),
      { kind: 'accepted', messageId: null, chatId: null },
    ],
    ['BAD_CONTACT', respondWith(400, { error: 'BAD_CONTACT', description: 'No such user' }), rejected('recipient')],
    ['badContact', respondWith(400, { error: 'badContact' }), rejected('recipient')],
    ['CHANNEL_NO_MONEY', respondWith(400, { error: 'CHANNEL_NO_MONEY' }), rejected('channel')],
    ['WRONG_TRANSPORT', respondWith(400, { error: 'WRONG_TRANSPORT' }), rejected('channel')],
    ['MESSAGES_TOO_LONG_TELEGRAM', respondWith(400, { error: 'MESSAGES_TOO_LONG_TELEGRAM' }), rejected('message')],
    ['MESSAGES_CAN_NOT_ADD', respondWith(400, { error: 'MESSAGES_CAN_NOT_ADD' }), rejected('passing')],
    ['a code nobody knows', respondWith(400, { error: 'BRAND_NEW' }), rejected('message')],
    ['400 without a body', respondWith(400, ''), rejected('message')],
    ['404', respondWith(404, 'not here'), rejected('message')],
  ];
  it.each(cases)('%s', async (_name, reply, expected) => {
    answer = reply;
    const outcome = await send();
    if (typeof expected === 'object' && expected !== null && 'asymmetricMatch' in expected)
      expect(outcome).toEqual(expected);
    else expect(outcome).toMatchObject(expected as object);
  });

  it('reads the wait from Retry-After of a 429', async () => {
    answer = respondWith(429, '');
    expect(await send()).toMatchObject({ about: 'passing', retryAfterSeconds: null });
    answer = respondWith(429, '', { 'retry-after': '7' });
    expect(await send()).toMatchObject({ about: 'passing', retryAfterSeconds: 7 });
  });

  it('reports that nothing was sent when the connection is refused', async () => {
    const closed = createServer();
    await new Promise<void>((resolve) => closed.listen(0, '127.0.0.1', resolve));
    const { port } = closed.address() as AddressInfo;
    await new Promise((resolve) => closed.close(resolve));
    expect(await send({}, `http://127.0.0.1:${port}`)).toMatchObject({
      kind: 'rejected',
      about: 'passing',
      code: 'NOT_CONNECTED',
    });
  });

  it('never logs or returns the key', async () => {
    for (const reply of [respondWith(401, { description: 'bad key' }), respondWith(500, ''), respondWith(201, 'x')]) {
      answer = reply;
      expect(JSON.stringify(await send())).not.toContain('secret-key');
    }
  });
});
