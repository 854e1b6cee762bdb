/**
 * Operators who were let in and have since lost access; and sockets that receive what no proper client sends. Generated
 * from the routes.
 */
import { once } from 'node:events';
import { connect } from 'node:net';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { WebSocket } from 'ws';
import { changePassword, disableOperator } from '../../access/operator.ts';
import type { Client } from '../../testing/client.ts';
import { type CompanyRowIds, createCompanyWithEveryResource, tableFingerprints } from '../../testing/everyResource.ts';
import { endpointTitle, idPlaces, sampleOf, sendSample, urlOf, withId } from '../../testing/sampleRequests.ts';
import { rejectionStatus } from '../../testing/testSocket.ts';
import { createWorld, type World } from '../../testing/world.ts';
import type { Endpoint } from '../contract.ts';

let world: World;
let endpoints: readonly Endpoint[];
let rows: CompanyRowIds;
let foreign: CompanyRowIds;
let admin: Client;
beforeAll(async () => {
  world = await createWorld({ env: { RAPPORT_ROLES: 'web' } });
  endpoints = world.app?.routes.map((one) => one.endpoint) ?? [];
  rows = await createCompanyWithEveryResource(world.pool, 'Amber');
  foreign = await createCompanyWithEveryResource(world.pool, 'Basalt');
  admin = await world.operator('root');
});
afterAll(() => world.close());

const idIn = (ofCompany: CompanyRowIds) => (resource: string) => ofCompany[resource] ?? 1;
const sockets = () => endpoints.filter((one) => one.socket);
/** Return the URL of a socket with all its parameters. */
const socketAddress = (one: Endpoint, ofCompany: CompanyRowIds): string => {
  const sample = sampleOf(one, idIn(ofCompany));
  return urlOf(
    one,
    idPlaces(one).reduce(
      (withIds, place) => withId(one, withIds, place, ofCompany[place.resource] ?? 1, idIn(ofCompany)),
      sample,
    ),
  );
};

async function member(login: string): Promise<Client> {
  return world.operator(login, [rows['company'] ?? 0]);
}

/** The ways in which a session ends. */
const ENDS: readonly [string, (client: Client, login: string) => Promise<unknown>][] = [
  ['its operator has signed out', (client) => client.fetch('/v1/auth/logout', { method: 'POST' })],
  [
    'its operator was shut out',
    (_client, login) => world.app?.context.transact((tx) => disableOperator(tx, login)) ?? Promise.reject(),
  ],
  [
    'it was not used for 12 hours',
    (_client, login) =>
      world.pool.query(
        `update sessions set last_seen_at = clock_timestamp() - interval '12 hours 1 second'
          where operator_id = (select id from operators where login = $1)`,
        [login],
      ),
  ],
];

describe('a session that has ended', () => {
  it.each(ENDS)('refuses an ended session at every endpoint and socket: %s', async (name, end) => {
    const login = `ended ${name}`;
    const client = await world.operator(login);
    await end(client, login);
    const headers = { cookie: client.cookie, origin: world.url };
    await world.waitUntil(
      async () => (await client.fetch('/v1/auth/validate')).status === 401,
      'the session to end',
      5000,
    );
    const before = await tableFingerprints(world.pool);
    const wrong: string[] = [];
    for (const one of endpoints.filter((each) => ['session', 'admin', 'session-or-hook'].includes(each.access))) {
      const status = one.socket
        ? await rejectionStatus(world, socketAddress(one, rows), headers)
        : (await sendSample(world.url, one, sampleOf(one, idIn(rows)), headers)).status;
      if (status !== 401) wrong.push(`${endpointTitle(one)}: ${status}`);
    }
    expect(wrong).toEqual([]);
    expect(await tableFingerprints(world.pool)).toEqual(before);
  });
});

describe('a socket', () => {
  it("checks a socket's session, then its Origin, then access to its rows", async () => {
    const anonymous = await member('of sockets');
    const port = new URL(world.url).port;
    const origins = [
      'null',
      'https://evil.example',
      `http://127.0.0.1.evil.example:${port}`,
      `http://localhost:1${port}`,
    ];
    origins.push(`https://127.0.0.1:${port}`, `${world.url}/`, `http://user@127.0.0.1:${port}`);
    expect(sockets().length).toBeGreaterThan(1);
    for (const one of sockets()) {
      const address = socketAddress(one, rows);
      expect([endpointTitle(one), await rejectionStatus(world, address, { origin: world.url })]).toEqual([
        endpointTitle(one),
        401,
      ]);
      expect([endpointTitle(one), await rejectionStatus(world, address, { cookie: admin.cookie })]).toEqual([
        endpointTitle(one),
        403,
      ]);
      for (const origin of origins)
        expect([origin, await rejectionStatus(world, address, { cookie: admin.cookie, origin })]).toEqual([
          origin,
          403,
        ]);
      const own = { cookie: anonymous.cookie, origin: world.url };
      for (const place of idPlaces(one)) {
        const sample = sampleOf(one, idIn(rows));
        for (const id of [foreign[place.resource] ?? 1, 9_000_000_000]) {
          const elsewhere = urlOf(one, withId(one, sample, place, id, idIn(rows)));
          expect([elsewhere, await rejectionStatus(world, elsewhere, own)]).toEqual([elsewhere, 404]);
        }
        for (const id of ['0', '', 'null', '-1', '1,2']) {
          const empty = address.replace(new RegExp(`${place.path[0]}=\\d+`), `${place.path[0]}=${id}`);
          expect([empty, await rejectionStatus(world, empty, own)]).toEqual([empty, 422]);
        }
      }
      const unknown = `${address}${address.includes('?') ? '&' : '?'}surprise=1`;
      expect([unknown, await rejectionStatus(world, unknown, own)]).toEqual([unknown, 422]);
    }
  });

  it('upgrades socket addresses only, and answers others without authentication', async () => {
    const before = await tableFingerprints(world.pool);
    const others = [
      ...new Set(
        endpoints
          .filter((one) => !one.socket && one.method === 'GET')
          .map((one) => urlOf(one, sampleOf(one, idIn(rows)))),
      ),
    ];
    others.push('/', '/auth/login', '/assets/none.js', '/nowhere', '/sandbox');
    for (const address of others) {
      const status = await rejectionStatus(world, address, { cookie: admin.cookie, origin: world.url });
      expect([address, status]).toEqual([address, 404]);
    }
    expect(await tableFingerprints(world.pool)).toEqual(before);
  });

  /** What a broken or malicious client sends once it is in, byte by byte. */
  const FRAMES: readonly [string, Buffer][] = [
    [
      'a frame of 300 KB',
      Buffer.concat([Buffer.from([0x81, 0xff, 0, 0, 0, 0, 0, 4, 0x93, 0xe0, 0, 0, 0, 0]), Buffer.alloc(300_000, 'x')]),
    ],
    [
      'a frame that says it has 8 exabytes',
      Buffer.from([0x81, 0xff, 0x7f, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0, 0, 0, 0]),
    ],
    ['a compressed frame, which nobody agreed to', Buffer.from([0xc1, 0x85, 0, 0, 0, 0, 1, 2, 3, 4, 5])],
    ['a frame without a mask', Buffer.from([0x81, 0x02, 0x7b, 0x7d])],
    ['an unknown kind of frame', Buffer.from([0x83, 0x80, 0, 0, 0, 0])],
    ['a text that is no UTF-8', Buffer.from([0x81, 0x82, 0, 0, 0, 0, 0xff, 0xfe])],
    [
      'a ping longer than pings are',
      Buffer.concat([Buffer.from([0x89, 0xfe, 0x01, 0x00, 0, 0, 0, 0]), Buffer.alloc(256)]),
    ],
    ['a continuation of nothing', Buffer.from([0x80, 0x80, 0, 0, 0, 0])],
    ['no frame at all', Buffer.from('GET / HTTP/1.1\r\nHost: x\r\n\r\n')],
  ];
  it.each(FRAMES)('closes a socket on %s and keeps running', async (_name, bytes) => {
    for (const one of sockets()) {
      const socket = connect(world.port, '127.0.0.1');
      socket.on('error', () => undefined);
      socket.write(
        `GET ${socketAddress(one, rows)} HTTP/1.1\r\nHost: 127.0.0.1:${world.port}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Extensions: permessage-deflate\r\nOrigin: ${world.url}\r\nCookie: ${admin.cookie}\r\n\r\n`,
      );
      const [head] = (await once(socket, 'data')) as [Buffer];
      expect(String(head)).toMatch(/^HTTP\/1\.1 101 /);
      // Compression is off: a decompression bomb would expand in our memory.
      expect(String(head)).not.toMatch(/permessage-deflate/i);
      socket.resume();
      // A reset counts as an end too.
      const closed = new Promise((resolve) => socket.once('close', resolve));
      socket.write(bytes);
      await closed;
    }
    expect((await fetch(`${world.url}/healthz`)).status).toBe(200);
  });
});

/** Open a console's live stream. `ended` resolves when the server ends it. */
async function listen(client: Client): Promise<{ ended: Promise<void>; leave: () => void }> {
  const leaving = new AbortController();
  const answer = await client.fetch(`/v1/live?product_id=${rows['product']}`, { signal: leaving.signal });
  expect(answer.status).toBe(200);
  const ended = (async () => {
    for await (const _chunk of answer.body ?? []);
  })();
  ended.catch(() => undefined);
  return { ended, leave: () => leaving.abort() };
}

const LEAVE_COMPANY = 'delete from operator_companies where operator_id = (select id from operators where login = $1)';
/** The ways in which an operator loses the access they had when they opened a socket. */
const LOSSES: readonly [string, (client: Client, login: string) => Promise<unknown>][] = [
  ...ENDS.slice(0, 2),
  [
    'its operator has a new password',
    (_client, login) =>
      world.app?.context.transact((tx) =>
        changePassword(tx, { operatorRef: login, password: 'three herons at dawn' }),
      ) ?? Promise.reject(),
  ],
  [
    'its operator is an admin no more',
    async (_client, login) => {
      await world.pool.query("update operators set role = 'member' where login = $1", [login]);
    },
  ],
  ['its operator has lost the company', (_client, login) => world.pool.query(LEAVE_COMPANY, [login])],
];

describe('the live stream', () => {
  it.each(LOSSES)('ends the live stream: %s', async (name, lose) => {
    const login = `stream ${name}`;
    const client = name.includes('admin') ? await world.operator(login) : await member(login);
    const { ended } = await listen(client);
    await lose(client, login);
    await ended;
  });

  it.each([
    ['signs out', (client: Client) => client.fetch('/v1/auth/logout', { method: 'POST' })],
    [
      'is no member of the company any more',
      (_client: Client, login: string) =>
        world.pool.query(
          'delete from operator_companies where operator_id = (select id from operators where login = $1)',
          [login],
        ),
    ],
    [
      'is of another company than the product has gone to',
      async () => {
        // A product with links cannot change its company.
        await world.pool.query('delete from product_channels where product_id = $1', [rows['product']]);
        await world.pool.query('update products set company_id = $1 where id = $2', [
          foreign['company'],
          rows['product'],
        ]);
      },
    ],
  ] as const)('ends the live stream only for an operator who %s', async (name, happen) => {
    const login = `listener who ${name}`;
    const client = await member(login);
    const stays = await listen(admin);
    const { ended } = await listen(client);
    let over = false;
    void stays.ended.then(
      () => {
        over = true;
      },
      () => undefined,
    );
    await happen(client, login);
    await ended;
    expect(over).toBe(false);
    stays.leave();
    await world.pool.query('update products set company_id = $1 where id = $2', [rows['company'], rows['product']]);
  });
});

describe('an idle socket', () => {
  it.each(LOSSES)('closes only the idle socket of the operator concerned: %s', async (name, lose) => {
    const login = `idle ${name}`;
    const enter = () => (name.includes('admin') ? world.operator(login) : member(login));
    const client = await enter();
    for (const one of sockets()) {
      const open = async (cookie: string): Promise<WebSocket> => {
        const socket = new WebSocket(`${world.url.replace('http', 'ws')}${socketAddress(one, rows)}`, {
          headers: { cookie, origin: world.url },
        });
        await once(socket, 'open');
        return socket;
      };
      const stays = await open(admin.cookie);
      const socket = await open(client.cookie);
      const closed = once(socket, 'close');
      await lose(client, login);
      const [code] = (await closed) as [number];
      expect([endpointTitle(one), code, stays.readyState]).toEqual([endpointTitle(one), 1008, WebSocket.OPEN]);
      stays.terminate();
      // For the next socket the operator regains access.
      if (one === sockets().at(-1)) break;
      await world.pool.query('delete from operators where login = $1', [login]);
      Object.assign(client, await enter());
    }
  });
});

describe('the playground', () => {
  it('stops answering an operator who lost the company meanwhile', async () => {
    const client = await member('player');
    const socket = new WebSocket(`${world.url.replace('http', 'ws')}/v1/llm/ws/chat/simple`, {
      headers: { cookie: client.cookie, origin: world.url },
    });
    await once(socket, 'open');
    const closed = once(socket, 'close');
    const say = async (): Promise<string> => {
      socket.send(JSON.stringify({ content: 'Hello', prompt_id: rows['prompt'] }));
      // The server closes the socket once it notices the loss: between two questions or while it answers one.
      const [reply] = (await Promise.race([once(socket, 'message'), closed])) as [Buffer | number];
      return String(reply);
    };
    // The company has no key for a model, so this is as far as the call gets.
    expect(await say()).toMatch(/No active key/);
    await world.pool.query(LEAVE_COMPANY, ['player']);
    await world.waitUntil(
      async () => /Unknown prompt_id|^1008$/.test(await say()),
      'the company to be out of reach',
      5000,
    );
    socket.terminate();
  });
});

describe('the log', () => {
  it('logs who was refused what and why, never the content', async () => {
    const log = world.app?.context.log;
    if (!log) throw new Error('no server');
    const logged = vi.spyOn(log, 'info');
    const member = await world.operator('refused', [rows.company ?? 0]);
    const { id } = (await member.fetch('/v1/auth/validate').then((answer) => answer.json())) as { id: number };
    const refused = async (path: string, init: RequestInit = {}) => {
      const headers = { 'content-type': 'application/json' };
      const answer = await member.fetch(path, { ...init, headers });
      const requestId = answer.headers.get('x-request-id');
      await world.waitUntil(
        () => logged.mock.calls.some(([facts]) => (facts as { requestId?: unknown }).requestId === requestId),
        path,
      );
      const [facts] = logged.mock.calls.find(([one]) => (one as { requestId?: unknown }).requestId === requestId) ?? [];
      return facts;
    };
    const who = { operator: id, network: expect.any(String), requestId: expect.any(String) };
    expect(await refused('/v1/operators/?search=hush')).toEqual({
      ...who,
      code: 'forbidden',
      status: 403,
      method: 'GET',
      route: '/v1/operators/',
    });
    expect(await refused(`/v1/leads/${foreign.lead}`)).toEqual({
      ...who,
      code: 'not_found',
      status: 404,
      method: 'GET',
      route: '/v1/leads/:id',
    });
    const body = JSON.stringify({ current: 'hush', hush: 'hush' });
    expect(await refused('/v1/auth/password', { method: 'POST', body })).toEqual({
      ...who,
      code: 'invalid',
      status: 422,
      method: 'POST',
      route: '/v1/auth/password',
    });
    logged.mockRestore();
  });
});
