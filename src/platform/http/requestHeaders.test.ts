/** Requests with headers that contradict each other, as raw bytes on a connection: clients would not send them. */
import { connect } from 'node:net';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { hookUrl, inboundItem } from '../../testing/messageRows.ts';
import { createWorld, type World } from '../../testing/world.ts';

let world: World;
let cookie: string;
beforeAll(async () => {
  world = await createWorld({ env: { RAPPORT_ROLES: 'web' } });
  cookie = (await world.operator('sender')).cookie;
});
afterAll(() => world.close());

interface RawAnswer {
  readonly status: number;
  readonly head: string;
  readonly body: string;
}

/** Send lines and a body on a connection of their own. */
function sendRaw(lines: readonly string[], body: string | Buffer = ''): Promise<RawAnswer> {
  const { hostname, port } = new URL(world.url);
  return new Promise((resolve, reject) => {
    const socket = connect(Number(port), hostname);
    const chunks: Buffer[] = [];
    socket.on('data', (chunk) => chunks.push(chunk));
    socket.on('error', reject);
    socket.on('close', () => {
      const [head = '', ...rest] = Buffer.concat(chunks).toString().split('\r\n\r\n');
      resolve({ status: Number(/^HTTP\/1\.1 (\d+)/.exec(head)?.[1]), head: head.toLowerCase(), body: rest.join() });
    });
    socket.write(
      Buffer.concat([Buffer.from(`${[...lines, 'Connection: close'].join('\r\n')}\r\n\r\n`), Buffer.from(body)]),
    );
  });
}

const host = () => `Host: ${new URL(world.url).host}`;
const get = (path: string, ...more: string[]) => sendRaw([`GET ${path} HTTP/1.1`, ...more]);

describe('a header that decides something', () => {
  it.each<[string, () => string[]]>([
    ['a second host', () => [host(), 'Host: evil.example']],
    ['the same host twice', () => [host(), host()]],
    ['a second host in other letters', () => [host(), 'hOST: evil.example']],
    ['two tokens', () => [host(), 'Authorization: Bearer one', 'Authorization: Bearer two']],
    ['two origins', () => [host(), `Origin: ${world.url}`, 'Origin: https://evil.example']],
    ['two types of a body', () => [host(), 'Content-Type: application/json', 'Content-Type: text/plain']],
    ['two encodings', () => [host(), 'Content-Encoding: identity', 'Content-Encoding: gzip']],
  ])('is refused with two values: %s', async (_what, lines) => {
    for (const path of ['/v1/installation', '/v1/companies/', '/', '/no/such/page']) {
      const { status, head, body } = await get(path, ...lines(), `Cookie: ${cookie}`);
      expect([path, status, head.includes('connection: close')]).toEqual([path, 400, true]);
      expect(body).toMatch(/The header (host|authorization|origin|content-type|content-encoding) has to be sent once/);
    }
  });

  it.each<[string, string[]]>([
    ['no host', []],
    ['two lengths', ['Content-Length: 2', 'Content-Length: 3']],
    ['two lengths in one line', ['Content-Length: 2, 3']],
    ['a length beside chunks', ['Content-Length: 2', 'Transfer-Encoding: chunked']],
    ['chunks that are not the last encoding', ['Transfer-Encoding: chunked, identity']],
    ['a space before the colon', ['Transfer-Encoding : chunked']],
    ['a length with a sign', ['Content-Length: +2']],
  ])('is refused by the parser: %s', async (what, lines) => {
    const all = what === 'no host' ? lines : [host(), 'Content-Type: application/json', ...lines];
    const { status } = await sendRaw(['POST /v1/auth/login HTTP/1.1', `Origin: ${world.url}`, ...all], '{}');
    expect(status).toBe(400);
  });

  it('may be repeated where it is a list, or says the same', async () => {
    const json = 'Content-Type: application/json';
    expect((await get('/v1/companies/', host(), json, json, `Cookie: ${cookie}`)).status).toBe(200);
    expect((await get('/v1/companies/', host(), 'Cookie: other=1', `Cookie: ${cookie}`)).status).toBe(200);
    // Each proxy may add a line of its own.
    const forwarded = ['X-Forwarded-For: 203.0.113.7', 'X-Forwarded-For: 203.0.113.8'];
    expect((await get('/v1/companies/', host(), ...forwarded, `Cookie: ${cookie}`)).status).toBe(200);
  });

  it('is not replaced by the host of an absolute address', async () => {
    const { status, body } = await get('http://evil.example/v1/companies/', host(), `Cookie: ${cookie}`);
    expect([status, body.includes('evil.example')]).toEqual([expect.any(Number), false]);
    expect([200, 400, 404]).toContain(status);
  });

  it('is the first session cookie if there are two', async () => {
    const [name] = cookie.split('=');
    const two = (...values: string[]) => get('/v1/companies/', host(), `Cookie: ${values.join('; ')}`);
    expect((await two(cookie, `${name}=another`)).status).toBe(200);
    expect((await two(`${name}=another`, cookie)).status).toBe(401);
  });
});

describe('a compressed body', () => {
  const post = (path: string, body: Buffer, ...more: string[]) =>
    sendRaw(
      [
        `POST ${path} HTTP/1.1`,
        host(),
        `Origin: ${world.url}`,
        'Content-Type: application/json',
        `Content-Length: ${body.length}`,
        ...more,
      ],
      body,
    );
  const zipped = gzipSync(JSON.stringify({ name: 'Zipped' }));

  it.each(['gzip', 'GZIP', 'br', 'deflate, gzip', 'identity, gzip'])(
    'is refused with a reason: %s',
    async (encoding) => {
      const answer = await post('/v1/companies/', zipped, `Cookie: ${cookie}`, `Content-Encoding: ${encoding}`);
      expect([answer.status, answer.head.includes('accept-encoding: identity')]).toEqual([415, true]);
      expect(answer.body).toContain(`Send the body without compression: Content-Encoding ${encoding} is not accepted`);
      const { rows } = await world.pool.query("select from companies where name = 'Zipped'");
      expect(rows).toEqual([]);
    },
  );

  it('says nothing to a caller without rights', async () => {
    const encoded = 'Content-Encoding: gzip';
    expect((await post('/v1/companies/', zipped, encoded)).status).toBe(401);
    expect((await post(`/hooks/wazzup24/${'A'.repeat(43)}`, zipped, encoded)).status).toBe(404);
  });

  it('is refused from a vendor too, whose plain one is stored', async () => {
    const { pathname } = new URL(await hookUrl(world));
    const lead = await world.lead('Anna');
    const hook = Buffer.from(JSON.stringify({ messages: [inboundItem(world, lead.address, 'Hello')] }));
    expect((await post(pathname, gzipSync(hook), 'Content-Encoding: gzip')).status).toBe(415);
    expect((await post(pathname, hook, 'Content-Encoding: identity')).status).toBe(200);
  });
});

describe('HEAD', () => {
  it('is answered 405 with what is allowed and without a body, and like GET for monitors', async () => {
    for (const path of ['/v1/companies/', '/v1/companies/1', '/v1/auth/login', '/v1/live']) {
      const { status, head, body } = await sendRaw([`HEAD ${path} HTTP/1.1`, host(), `Cookie: ${cookie}`]);
      expect([path, status, /^allow: (get|post)/m.test(head), body]).toEqual([path, 405, true, '']);
    }
    const { status, body } = await sendRaw(['HEAD /healthz HTTP/1.1', host()]);
    expect([status, body]).toEqual([200, '']);
  });
});
