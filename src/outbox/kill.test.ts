/**
 * Kills the server at every failpoint of a message's path, as in a power cut; the next instance finishes what was
 * begun. Each instance dies at its own point while a new lead's message is in progress, so it also reclaims what the
 * last one left.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { expectInvariants } from '../testing/invariants.ts';
import { connectHooks, type ServerProcess, startServer } from '../testing/serverProcess.ts';
import { createWorld, type TestLead, type World } from '../testing/world.ts';

let world: World;
let server: ServerProcess;
/** How often a single conversation passes each point. */
let passCounts: Map<string, number>;

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
/** `npm test` kills at some of the points, `npm run test:all` at each. */
const ALL = process.env['RAPPORT_TESTS'] === 'all';
const selectPoints = (list: readonly string[], ...names: readonly string[]) =>
  ALL ? list : list.filter((name) => names.includes(name));
const SETTINGS = { RAPPORT_REPLY_DEBOUNCE_SECONDS: '0.05' };

beforeAll(async () => {
  world = await createWorld({ serve: false });
  const log = join(tmpdir(), `rapport-passes-${process.pid}.log`);
  // Run once with the failpoint log on, to learn the names and how often each is passed.
  server = startServer(world, { ...SETTINGS, RAPPORT_FAILPOINT_LOG: log });
  await server.waitUntilReady();
  await connectHooks(world);
  writeFileSync(log, '');
  const scout = await world.lead('Scout');
  await scout.writes('How long does delivery take?');
  await world.drain();
  await server.stop();
  passCounts = new Map();
  for (const name of readFileSync(log, 'utf8').trim().split('\n'))
    passCounts.set(name, (passCounts.get(name) ?? 0) + 1);
});
afterEach(() => server.kill());
afterAll(async () => {
  await server.kill();
  await world.close();
});

/**
 * Kill the server at each stop with a new lead's message in progress; then run an instance without a stop until all
 * are finished.
 */
async function killAt(list: readonly string[], settings: Record<string, string> = {}): Promise<TestLead[]> {
  const leads: TestLead[] = [];
  for (const stop of list) {
    const lead = await world.lead(stop);
    leads.push(lead);
    await lead.writes('How long does delivery take?');
    server = startServer(world, { ...SETTINGS, ...settings, RAPPORT_FAILPOINT: stop });
    expect(await server.waitForExit(), `${stop} ${server.output()}`).toBe('SIGKILL');
  }
  server = startServer(world, { ...SETTINGS, ...settings });
  await server.waitUntilReady();
  await world.drain();
  return leads;
}

async function expectOneAnswerEach(leads: readonly TestLead[], status = 'read'): Promise<void> {
  for (const lead of leads) {
    const seen = await lead.sees();
    expect(seen, lead.name).toEqual(['lead: How long does delivery take?', expect.stringMatching(/^us: .*six weeks/)]);
    expect((await lead.thread()).at(-1)?.status, lead.name).toBe('read');
  }
  const { rows } = await world.pool.query(
    'select distinct status, reason from messages where side = $1 and contact_id = any($2)',
    ['bot', leads.map((lead) => lead.contactId)],
  );
  expect(rows).toEqual([{ status, reason: null }]);
  await expectInvariants(world);
}

describe('killed', () => {
  it('passes every failpoint', () => {
    expect([...passCounts.keys()].toSorted()).toEqual([...POINTS].toSorted());
  });

  it('loses and doubles nothing between the webhook and the stored answer', async () => {
    const twice = ALL ? ['hook.afterStore:2', 'receive.afterCommit:2'] : [];
    const points = selectPoints(POINTS.slice(0, 7), 'receive.afterCommit', 'reply.afterModel');
    await expectOneAnswerEach(await killAt([...points.map((name) => `${name}:1`), ...twice]));
  });

  it('loses and doubles nothing between the claim and the last status', async () => {
    const points = selectPoints(POINTS.slice(7, 12), 'send.beforeVendor', 'send.afterSettle');
    await expectOneAnswerEach(await killAt(points.map((name) => `${name}:1`)));
  });

  it('loses and doubles nothing before or after any commit', async () => {
    // Every other pass of each; `npm test` runs only the first. The points in between have names of their own.
    const hits = ALL ? [1, 3, 5] : [1];
    const stops = hits.flatMap((hit) => [`db.beforeCommit:${hit}`, `db.afterCommit:${hit + 1}`]);
    for (const name of POINTS.slice(12)) expect(passCounts.get(name), name).toBeGreaterThanOrEqual(6);
    await expectOneAnswerEach(await killAt(stops));
  });

  it('sends once after acceptance, with echoes', async () => {
    await world.control.changeSettings({ echo: 'plain' });
    const leads = await killAt(['send.afterVendorAnswer:1', 'send.beforeSettleCommit:1']);
    await expectOneAnswerEach(leads);
  });

  it('sends once after acceptance, without echoes', async () => {
    await world.control.changeSettings({ echo: 'off' });
    // The vendor confirms the message without its id, so no status matches it.
    await expectOneAnswerEach(await killAt(['send.afterVendorAnswer:1']), 'sent');
  });

  it("does not resend after the vendor's window without echoes, and shows it to an operator", async () => {
    const lead = await world.lead('Late');
    await lead.writes('How long does delivery take?');
    server = startServer(world, { ...SETTINGS, RAPPORT_FAILPOINT: 'send.afterVendorAnswer:1' });
    expect(await server.waitForExit()).toBe('SIGKILL');
    await world.pool.query(
      "update messages set send_key_used_at = send_key_used_at - interval '1 minute' where contact_id = $1",
      [lead.contactId],
    );
    server = startServer(world, SETTINGS);
    await server.waitUntilReady();
    await world.drain();
    expect(await lead.sees()).toHaveLength(2);
    const { rows } = await world.pool.query(
      "select status, reason from messages where contact_id = $1 and side = 'bot'",
      [lead.contactId],
    );
    expect(rows).toEqual([{ status: 'unconfirmed', reason: expect.stringContaining('interrupted while sending') }]);
    await expectInvariants(world);
  });
});
