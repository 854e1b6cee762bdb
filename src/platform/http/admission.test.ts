/** More than the node has room for: refused at once, with Retry-After; whoever is inside ends well, and nothing is lost. */
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import type pg from 'pg';
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import type { Client } from '../../testing/client.ts';
import { expectInvariants } from '../../testing/invariants.ts';
import { hookUrl, inboundItem } from '../../testing/rows.ts';
import { refusedWith } from '../../testing/socket.ts';
import { createWorld, type World } from '../../testing/world.ts';
import { createLog } from '../log.ts';
import { createAdmission } from './admission.ts';

const ROOM = { hooks: 3, calls: 2, streams: 1 };

let world: World;
let admin: Client;
let url: string;
beforeAll(async () => {
  world = await createWorld({
    env: {
      RAPPORT_MOST_HOOKS: String(ROOM.hooks),
      RAPPORT_MOST_CALLS: String(ROOM.calls),
      RAPPORT_MOST_STREAMS: String(ROOM.streams),
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
  const { values } = (await world.house?.ground.metrics.refused.get()) ?? { values: [] };
  return values.reduce((sum, one) => sum + one.value, 0);
}

const health = async (path: string): Promise<[number, unknown]> => {
  const answer = await fetch(`${world.url}${path}`);
  return [answer.status, await answer.json()];
};

/** Nobody gets at the table until it is let go. */
async function hold(table: string): Promise<() => Promise<void>> {
  const holder: pg.PoolClient = await world.pool.connect();
  await holder.query('begin');
  await holder.query(`lock table ${table} in access exclusive mode`);
  return async () => {
    await holder.query('rollback');
    holder.release();
  };
}

const waitFor = (table: string, count: number): Promise<void> =>
  world.until(async () => {
    const { rows } = await world.pool.query<{ count: number }>(
      `select count(*)::int from pg_stat_activity
        where datname = current_database() and wait_event_type = 'Lock' and query like $1`,
      [`%${table}%`],
    );
    return (rows[0]?.count ?? 0) >= count;
  }, `${count} that wait for ${table}`);

describe('hooks', () => {
  const post = (address: string, text: string) =>
    fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ messages: [inboundItem(world, address, text)] }),
    });

  it('refused by the crowd are brought again by the vendor, and nobody stays without an answer', async () => {
    const leads = await Promise.all(Array.from({ length: 12 }, (_, index) => world.lead(`Lead ${index}`)));
    const letGo = await hold('inbox');
    await Promise.all(leads.map((lead) => lead.writes('How long does delivery take?')));
    await world.until(async () => (await refused()) > refusedBefore, 'a hook without room');
    await letGo();
    await world.drain();
    for (const lead of leads)
      expect(await lead.sees(), lead.name).toEqual([
        'lead: How long does delivery take?',
        expect.stringMatching(/six weeks/),
      ]);
    await expectInvariants(world);
  });

  it('beyond the room are refused at once; those inside are stored and told so', async () => {
    const anna = await world.lead('Anna');
    const letGo = await hold('inbox');
    // The first is written alone; the others wait for it.
    const inside = [post(anna.address, 'one')];
    await waitFor('inbox', 1);
    const all = await Promise.all(Array.from({ length: 8 }, (_, index) => post(anna.address, `more ${index}`)));
    expect(all.map((one) => one.status)).toEqual(Array(8).fill(503));
    for (const one of all) expect(Number(one.headers.get('retry-after'))).toBeGreaterThan(0);
    // Two had room, waited for as long as somebody may, and were given up unwritten; the others were refused at once.
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

describe('calls', () => {
  it('beyond the room are refused at once, probes never; there is room again when the first have left', async () => {
    const letGo = await hold('lead_documents');
    const path = '/v1/lead-documents/?limit=1';
    const inside = [admin.fetch(path), admin.fetch(path)];
    await waitFor('lead_documents', 2);
    const third = await admin.fetch('/v1/companies/');
    expect([third.status, await third.json()]).toEqual([
      503,
      { detail: 'The server has more to do than it can. Please try again in a moment.' },
    ]);
    expect(Number(third.headers.get('retry-after'))).toBeGreaterThan(0);
    expect(third.headers.get('x-refusal')).toBe('overloaded');
    expect(await health('/healthz')).toMatchObject([200, { status: 'alive' }]);
    expect(await health('/readyz')).toMatchObject([200, { status: 'overloaded: calls' }]);
    // Other crowds have room of their own.
    expect(
      (await fetch(url, { method: 'POST', body: '{}', headers: { 'content-type': 'application/json' } })).status,
    ).toBe(200);
    await letGo();
    expect((await Promise.all(inside)).map((one) => one.status)).toEqual([200, 200]);
    expect((await admin.fetch(path)).status).toBe(200);
    expect(await health('/readyz')).toMatchObject([200, { status: 'ready' }]);
  });
});

describe('what stays open', () => {
  it('counts until it is closed, whether it is a stream or a socket', async () => {
    const path = `/v1/live?product_id=${world.productId}`;
    const socket = `/v1/llm/ws/chat/simple?product_id=${world.productId}`;
    const headers = { cookie: admin.cookie, origin: world.url };
    const leaving = new AbortController();
    const first = await admin.fetch(path, { signal: leaving.signal });
    expect(first.status).toBe(200);
    expect((await admin.fetch(path)).status).toBe(503);
    expect(await refusedWith(world, socket, headers)).toBe(503);
    leaving.abort();
    await first.text().catch(() => undefined);
    const again = new AbortController();
    await world.until(async () => (await admin.fetch(path, { signal: again.signal })).status === 200, 'room again');
    again.abort();
    await world.until(async () => (await health('/readyz'))[1] !== null && !(await isFull()), 'the stream to be gone');
    // A refused upgrade leaves its place too.
    expect(await refusedWith(world, socket, { cookie: admin.cookie, origin: 'http://elsewhere' })).toBe(403);
    await world.until(async () => !(await isFull()), 'the refused one to be gone');
  });

  const isFull = async (): Promise<boolean> => JSON.stringify(await health('/readyz')).includes('streams');
});

describe('who dawdles', () => {
  it('over a body is cut off for others', async () => {
    const { hostname, port } = new URL(world.url);
    const status = async () => (await admin.fetch('/v1/companies/')).status;
    const slow: Socket[] = [];
    let isCut = false;
    const dawdle = async () => {
      const one = connect(Number(port), hostname);
      slow.push(one);
      one.on('error', () => undefined);
      // Who found no room is told so, and stays connected.
      one.on('close', () => {
        isCut = true;
      });
      await once(one, 'connect');
      one.write(
        `POST /v1/auth/login HTTP/1.1\r\nhost: ${hostname}\r\ncontent-type: application/json\r\ncontent-length: 100\r\n\r\n{"login":`,
      );
    };
    await world.until(async () => {
      await dawdle();
      return (await status()) === 200 && isCut;
    }, 'room for those who do not');
    for (const one of slow) one.destroy();
  });

  it('is cut off in turn; whoever is at work, or has just come, is not', () => {
    vi.useFakeTimers({ toFake: ['performance'] });
    try {
      const admission = createAdmission({ hooks: 1, calls: 3, streams: 1 }, createLog('silent'), () => undefined);
      const cut: string[] = [];
      const enter = (name: string) => admission.enter('calls', () => cut.push(name));
      const [works, reads] = [enter('works'), enter('reads')];
      works?.works();
      reads?.works();
      vi.advanceTimersByTime(2000);
      enter('sends');
      reads?.waits();
      vi.advanceTimersByTime(499);
      expect(enter('too early')).toBeNull();
      expect(admission.full()).toEqual(['calls']);
      vi.advanceTimersByTime(1);
      expect(admission.full()).toEqual([]);
      expect([enter('one'), enter('two'), enter('three')].map((one) => one === null)).toEqual([false, false, true]);
      expect(cut).toEqual(['sends', 'reads']);
    } finally {
      vi.useRealTimers();
    }
  });
});
