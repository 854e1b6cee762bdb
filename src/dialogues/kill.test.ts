/**
 * The server is killed at every named point of a message's path, as by a power cut, and the next life finishes what was
 * begun. Each life dies at its own point with a new lead's message under way, so it also inherits what the last one left.
 */
import { readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { expectInvariants } from '../testing/invariants.ts';
import { connectHooks, type ServerProcess, startServer } from '../testing/process.ts';
import { createWorld, type Person, type World } from '../testing/world.ts';

let world: World;
let server: ServerProcess;
/** How often a single conversation passes each point. */
let passes: Map<string, number>;

/** Points that a single question and its answer pass, in the order of the path. */
const POINTS = [
  'hook.afterStore',
  'receive.afterInsert',
  'receive.afterCommit',
  'reply.beforeModel',
  'reply.afterModel',
  'reply.beforeCommit',
  'reply.afterCommit',
  'send.afterClaim',
  'send.beforeVendor',
  'send.afterVendorAnswer',
  'send.beforeSettleCommit',
  'send.afterSettle',
  'db.beforeCommit',
  'db.afterCommit',
];
const SETTINGS = { RAPPORT_REPLY_DEBOUNCE_SECONDS: '0.05' };

beforeAll(async () => {
  world = await createWorld({ serve: false });
  const log = join(tmpdir(), `rapport-passes-${process.pid}.log`);
  server = startServer(world, SETTINGS);
  await server.ready();
  await connectHooks(world);
  await server.stop();
  // Once with the log on, to learn the names and how often each is passed.
  server = startServer(world, { ...SETTINGS, RAPPORT_FAILPOINT_LOG: log });
  await server.ready();
  const scout = await world.lead('Scout');
  await scout.writes('How long does delivery take?');
  await world.drain();
  await server.stop();
  passes = new Map();
  for (const name of readFileSync(log, 'utf8').trim().split('\n')) passes.set(name, (passes.get(name) ?? 0) + 1);
}, 60_000);
afterEach(() => server.kill());
afterAll(async () => {
  await server.kill();
  await world.close();
});

/** Every point with each of its first `hits` passes. */
function stops(names: readonly string[], hits: number): string[] {
  return names.flatMap((name) =>
    Array.from({ length: Math.min(passes.get(name) ?? 0, hits) }, (_, hit) => `${name}:${hit + 1}`),
  );
}

/** Dies at each stop with a new lead's message under way; then a life without a stop brings all to their end. */
async function dieAt(list: readonly string[], settings: Record<string, string> = {}): Promise<Person[]> {
  const leads: Person[] = [];
  for (const stop of list) {
    const lead = await world.lead(stop);
    leads.push(lead);
    await lead.writes('How long does delivery take?');
    server = startServer(world, { ...SETTINGS, ...settings, RAPPORT_FAILPOINT: stop });
    expect(await server.ended(), stop).toBe('SIGKILL');
  }
  server = startServer(world, { ...SETTINGS, ...settings });
  await server.ready();
  await world.drain();
  return leads;
}

async function expectOneAnswerEach(leads: readonly Person[]): Promise<void> {
  for (const lead of leads) {
    const seen = await lead.sees();
    expect(seen, lead.name).toEqual(['lead: How long does delivery take?', expect.stringMatching(/^us: .*six weeks/)]);
    expect((await lead.thread()).at(-1)?.status, lead.name).toBe('read');
  }
  const { rows } = await world.pool.query(
    "select l.name, m.status, m.reason from messages m join contacts c on c.id = m.contact_id join leads l on l.id = c.lead_id where m.side = 'bot' and m.status <> 'read'",
  );
  expect(rows).toEqual([]);
  await expectInvariants(world);
}

describe('killed', () => {
  it('passes every point on its path', () => {
    expect([...passes.keys()].toSorted()).toEqual([...POINTS].toSorted());
  });

  it('between the hook and the stored answer', { timeout: 120_000 }, async () => {
    await expectOneAnswerEach(await dieAt(stops(POINTS.slice(0, 7), 2)));
  });

  it('between the claim and the last status', { timeout: 120_000 }, async () => {
    await expectOneAnswerEach(await dieAt(stops(POINTS.slice(7, 12), 1)));
  });

  it('before and after any commit', { timeout: 120_000 }, async () => {
    await expectOneAnswerEach(await dieAt(stops(POINTS.slice(12), 9)));
  });
});
