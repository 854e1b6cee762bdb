/**
 * Requests beyond the capacity of the node or the share of their party are refused at once, with Retry-After. Requests
 * that are inside complete, others are served, and nothing is lost.
 */
import { connect, type Socket } from 'node:net';
import type pg from 'pg';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import type { Client } from '../../testing/client.ts';
import { expectInvariants } from '../../testing/invariants.ts';
import { hookUrl, inboundItem } from '../../testing/messageRows.ts';
import { rejectionStatus } from '../../testing/testSocket.ts';
import { createWorld, type World } from '../../testing/world.ts';
import { createLog } from '../log.ts';
import { type AdmissionSlot, capacitiesOf, createAdmission, type Party, type RequestClass } from './admission.ts';

/** An account may use half of the hooks, an operator half of the calls, a company half of the streams. */
const LIMITS = { hooks: 6, calls: 4, streams: 4 };

let world: World;
let admin: Client;
let url: string;
beforeAll(async () => {
  world = await createWorld({
    env: {
      RAPPORT_MOST_HOOKS: String(LIMITS.hooks),
      RAPPORT_MOST_CALLS: String(LIMITS.calls),
      RAPPORT_MOST_STREAMS: String(LIMITS.streams),
      RAPPORT_MOST_STREAMS_OF_OPERATOR: '1',
      RAPPORT_MOST_LOGINS: '2',
      RAPPORT_DATABASE_WAIT_SECONDS: '0.4',
      RAPPORT_LOG_LEVEL: 'silent',
    },
  });
  admin = await world.operator();
  url = await hookUrl(world);
});
afterAll(() => world.close());

let refusedBefore = 0;
beforeEach(async () => {
  refusedBefore = await refused();
});

async function refused(): Promise<number> {
  const { values } = (await world.app?.context.metrics.refused.get()) ?? { values: [] };
  return values.reduce((sum, one) => sum + one.value, 0);
}

const health = async (path: string): Promise<[number, unknown]> => {
  const answer = await fetch(`${world.url}${path}`);
  return [answer.status, await answer.json()];
};

/** Lock the table until the returned function is called. */
async function lockTable(table: string): Promise<() => Promise<void>> {
  const holder: pg.PoolClient = await world.pool.connect();
  await holder.query('begin');
  await holder.query(`lock table ${table} in access exclusive mode`);
  return async () => {
    await holder.query('rollback');
    holder.release();
  };
}

const waitFor = (table: string, count: number): Promise<void> =>
  world.waitUntil(async () => {
    const { rows } = await world.pool.query<{ count: number }>(
      `select count(*)::int from pg_stat_activity
        where datname = current_database() and wait_event_type = 'Lock' and query like $1`,
      [`%${table}%`],
    );
    return (rows[0]?.count ?? 0) >= count;
  }, `${count} that wait for ${table}`);

const post = (address: string, text: string) =>
  fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ messages: [inboundItem(world, address, text)] }),
  });

describe('hooks', () => {
  it('loses no webhook that was refused under load: the vendor delivers it again and the lead is answered', async () => {
    const leads = await Promise.all(Array.from({ length: 12 }, (_, index) => world.lead(`Lead ${index}`)));
    const letGo = await lockTable('inbox');
    await Promise.all(leads.map((lead) => lead.writes('How long does delivery take?')));
    await world.waitUntil(async () => (await refused()) > refusedBefore, 'a hook without room');
    await letGo();
    await world.drain();
    for (const lead of leads)
      expect(await lead.sees(), lead.name).toEqual([
        'lead: How long does delivery take?',
        expect.stringMatching(/six weeks/),
      ]);
    await expectInvariants(world);
  });

  it("refuses webhooks beyond an account's share at once, and acknowledges those within it", async () => {
    const anna = await world.lead('Anna');
    const letGo = await lockTable('inbox');
    // The first insert runs alone; the others wait for it.
    const inside = [post(anna.address, 'one')];
    await waitFor('inbox', 1);
    const all = await Promise.all(Array.from({ length: 8 }, (_, index) => post(anna.address, `more ${index}`)));
    expect(all.map((one) => one.status).toSorted((a, b) => a - b)).toEqual([...Array(6).fill(429), 503, 503]);
    for (const one of all) expect(Number(one.headers.get('retry-after'))).toBeGreaterThan(0);
    // Two were admitted, waited until the timeout, and were dropped unwritten. The others were refused at once.
    expect((await refused()) - refusedBefore).toBe(6);
    expect(await health('/healthz')).toMatchObject([200, { status: 'alive' }]);
    await letGo();
    expect((await Promise.all(inside)).map((one) => one.status)).toEqual([200]);
    expect((await post(anna.address, 'again')).status).toBe(200);
    const { rows } = await world.pool.query<{ text: string }>(
      "select item->>'text' as text from inbox where kind = 'message' and status = 'inbound' order by id desc limit 2",
    );
    expect(rows.map((one) => one.text)).toEqual(['again', 'one']);
    await world.drain();
  });
});

/** A request of which only the head was sent, with what was answered so far. It is open until the server closes it. */
interface HalfSent {
  readonly socket: Socket;
  readonly answered: () => string;
  readonly closed: Promise<unknown>;
}
function halfSend(path: string, length: number, more = ''): HalfSent {
  const { hostname, port } = new URL(world.url);
  const socket = connect(Number(port), hostname);
  let text = '';
  socket.setEncoding('utf8').on('data', (chunk: string) => {
    text += chunk;
  });
  socket.on('error', () => undefined);
  socket.write(
    `POST ${path} HTTP/1.1\r\nhost: ${hostname}\r\ncontent-type: application/json\r\ncontent-length: ${length}\r\n${more}\r\n`,
  );
  return { socket, answered: () => text, closed: new Promise((resolve) => socket.once('close', resolve)) };
}

describe('a webhook with an unknown secret', () => {
  it('refuses a webhook with an unknown secret before reading its body, and stores good ones meanwhile', async () => {
    const before = await world.pool.query('select count(*) from inbox');
    const anna = await world.lead('Anna');
    // More than the capacity of the hooks class, each with a different secret.
    const invented = Array.from({ length: 40 }, (_, index) =>
      halfSend(`/hooks/wazzup24/${String(index).padStart(43, 'A')}`, 600_000),
    );
    expect((await post(anna.address, 'good')).status).toBe(200);
    await Promise.all(invented.map(({ closed }) => closed));
    for (const one of invented) {
      expect(one.answered()).toMatch(/^HTTP\/1\.1 404 /);
      expect(one.answered()).toMatch(/\{"detail":"There is no such address\."\}$/);
    }
    const after = await world.pool.query('select count(*) from inbox');
    expect(Number(after.rows[0].count) - Number(before.rows[0].count)).toBe(1);
    await world.drain();
  });

  it('runs no writing statement for a webhook with an unknown secret', async () => {
    const letGo = await lockTable('inbox');
    try {
      const forged = await fetch(url.replace(/[^/]+$/, 'B'.repeat(43)), {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ messages: [inboundItem(world, '79000000000', 'forged')] }),
      });
      expect(forged.status).toBe(404);
      // A valid secret does not make the path of another vendor valid.
      const crossed = await fetch(url.replace('/wazzup24/', '/chatpush/'), { method: 'POST' });
      expect(crossed.status).toBe(404);
    } finally {
      await letGo();
    }
  });
});

it('refuses a webhook with more than 500 items as a whole', async () => {
  const items = (count: number) =>
    Array.from({ length: count }, (_, index) => ({ messageId: `${index}`, status: 'read' }));
  const postHook = (body: object) =>
    fetch(url, { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) });
  const refusal = await postHook({ messages: items(250), statuses: items(251) });
  expect([refusal.status, await refusal.json()]).toEqual([413, { detail: 'A webhook may contain at most 500 items.' }]);
  expect((await postHook({ statuses: items(500) })).status).toBe(200);
});

describe('calls', () => {
  it("answers 429 beyond an operator's share and 503 beyond the node's capacity, and serves others and probes meanwhile", async () => {
    const [second, third] = [await world.operator(), await world.operator()];
    const letGo = await lockTable('lead_documents');
    const path = '/v1/lead-documents/?limit=1';
    const inside = [admin.fetch(path), admin.fetch(path)];
    await waitFor('lead_documents', 2);
    const refusedOne = await admin.fetch('/v1/companies/');
    expect([refusedOne.status, await refusedOne.json(), refusedOne.headers.get('x-refusal')]).toEqual([
      429,
      { detail: 'Too many of your requests are in progress. Please try again in a moment.' },
      'too_many_requests',
    ]);
    expect(Number(refusedOne.headers.get('retry-after'))).toBeGreaterThan(0);
    expect((await second.fetch('/v1/companies/')).status).toBe(200);
    // Session lookups have a class of their own.
    expect((await admin.fetch('/v1/auth/validate')).status).toBe(200);

    inside.push(second.fetch(path), second.fetch(path));
    await waitFor('lead_documents', 4);
    const full = await third.fetch('/v1/companies/');
    expect([full.status, await full.json(), full.headers.get('x-refusal')]).toEqual([
      503,
      { detail: 'The server is overloaded. Please try again in a moment.' },
      'overloaded',
    ]);
    expect(await health('/healthz')).toMatchObject([200, { status: 'alive' }]);
    expect(await health('/readyz')).toMatchObject([
      200,
      { status: expect.stringMatching(/^overloaded: (calls|the database)$/) },
    ]);
    // Other classes have their own capacity.
    expect((await post('79000000001', 'meanwhile')).status).toBe(200);
    await letGo();
    expect((await Promise.all(inside)).map((one) => one.status)).toEqual([200, 200, 200, 200]);
    expect((await admin.fetch(path)).status).toBe(200);
    await world.waitUntil(
      async () => JSON.stringify(await health('/readyz')).includes('ready'),
      'the node to be ready',
    );
  });
});

describe('a stream or socket', () => {
  it("counts streams and sockets until they close, and limits each operator's share", async () => {
    const path = `/v1/live?product_id=${world.productId}`;
    const socket = `/v1/llm/ws/chat/simple?product_id=${world.productId}`;
    const missing = '/v1/llm/ws/chat/simple?product_id=999999999';
    const headers = { cookie: admin.cookie, origin: world.url };
    const leaving = new AbortController();
    const first = await admin.fetch(path, { signal: leaving.signal });
    expect(first.status).toBe(200);
    expect((await admin.fetch(path)).status).toBe(429);
    expect(await rejectionStatus(world, socket, headers)).toBe(429);
    const [second, third] = [await world.operator(), await world.operator()];
    const others = await second.fetch(path, { signal: leaving.signal });
    expect(others.status).toBe(200);
    expect((await third.fetch(path)).status, 'the share of the company').toBe(429);
    leaving.abort();
    for (const one of [first, others]) await one.text().catch(() => undefined);
    const again = new AbortController();
    await world.waitUntil(async () => (await admin.fetch(path, { signal: again.signal })).status === 200, 'room again');
    again.abort();
    // A refused upgrade releases its slot too.
    await world.waitUntil(
      async () => (await rejectionStatus(world, missing, headers)) === 404,
      'the stream to be gone',
    );
    await world.waitUntil(
      async () => (await rejectionStatus(world, missing, headers)) === 404,
      'the refused one to be gone',
    );
  });
});

describe('a slow client', () => {
  it('takes no login slot while a slow client sends its body', async () => {
    // By asking for the body the server signals that it has started the request.
    const slow = Array.from({ length: 6 }, () =>
      halfSend('/v1/auth/login', 100, `origin: ${world.url}\r\nexpect: 100-continue\r\n`),
    );
    for (const one of slow)
      await world.waitUntil(() => one.answered().includes('100 Continue'), 'a slow login to be inside');
    await world.operator();
    for (const one of slow) expect(one.answered()).not.toMatch(/HTTP\/1\.1 [45]/);
    for (const { socket } of slow) socket.destroy();
  });
});

describe('the slots of a request class', () => {
  const CAPACITIES = capacitiesOf({
    limits: { hooks: 8, calls: 16, outside: 16, logins: 4, streams: 4, streamsOfOperator: 2 },
    databaseConnections: 4,
  });
  const [anna, boris, ours]: Party[] = ['operator:1', 'operator:2', 'company:1'];
  const closed: AdmissionSlot[] = [];
  const open = () => {
    const admission = createAdmission(CAPACITIES, {
      log: createLog('silent'),
      timeoutMs: 1000,
      onRefused: () => undefined,
    });
    const order: string[] = [];
    /** Enter and run; record when it runs, or how it was refused. */
    const start = (name: string, parties: readonly (Party | undefined)[], requestClass: RequestClass = 'calls') => {
      const slot = admission.admit(
        requestClass,
        parties.filter((one) => one !== undefined),
      );
      closed.push(slot);
      slot.waitToRun().then(
        () => order.push(name),
        (error: { code: string }) => order.push(`${name} ${error.code}`),
      );
      return slot;
    };
    return { admission, order, start };
  };
  beforeEach(() => {
    vi.useFakeTimers();
  });
  afterEach(() => {
    for (const one of closed.splice(0)) one.release();
    vi.useRealTimers();
  });
  const settle = () => vi.advanceTimersByTimeAsync(0);

  it('shares slots fairly: the caller with the fewest running requests is next, and none takes all', async () => {
    const { order, start } = open();
    const first = [1, 2, 3, 4, 5].map((n) => start(`anna ${n}`, [anna]));
    start('boris 1', [boris]);
    start('boris 2', [boris]);
    await settle();
    expect(order).toEqual(['anna 1', 'anna 2', 'anna 3', 'boris 1']);
    first[0]?.release();
    await settle();
    expect(order.slice(4)).toEqual(['boris 2']);
  });

  it("queues requests briefly and boundedly, then answers 429 beyond the caller's share, else 503", async () => {
    const { admission, order, start } = open();
    for (let n = 1; n <= 8; n++) start(`anna ${n}`, [anna]);
    expect(() => admission.admit('calls', [anna as Party])).toThrow(/your requests/);
    start('boris 1', [boris]);
    start('boris 2', [boris]);
    await vi.advanceTimersByTimeAsync(1000);
    expect(order.slice(4)).toEqual([
      ...[4, 5, 6, 7, 8].map((n) => `anna ${n} too_many_requests`),
      'boris 2 overloaded',
    ]);
  });

  it("applies a company's share too: a call for a busy company queues again", async () => {
    const { order, start } = open();
    for (let n = 1; n <= 3; n++) await start(`ours ${n}`, [`operator:${n}`, ours]).waitToRun();
    const late = start('late', [boris]);
    await late.waitToRun();
    let joined = false;
    void late.addParty(ours as Party).then(() => {
      joined = true;
    });
    await settle();
    expect(joined).toBe(false);
    // Meanwhile its slot is free for others.
    start('another', ['operator:9']);
    await settle();
    expect(order).toContain('another');
    closed[0]?.release();
    await settle();
    expect(joined).toBe(true);
  });

  it('removes a request from the queue when its client disconnects', async () => {
    const { order, start } = open();
    const all = [1, 2, 3, 4].map((n) => start(`anna ${n}`, [anna]));
    all[3]?.release();
    all[0]?.release();
    await settle();
    expect(order).toEqual(['anna 1', 'anna 2', 'anna 3', 'anna 4 overloaded']);
    const next = start('anna 5', [anna]);
    await next.waitToRun();
    next.finish();
    next.release();
    next.release();
  });
});
