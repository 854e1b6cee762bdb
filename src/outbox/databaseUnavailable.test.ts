import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { dialogues } from '../conversations/contract.ts';
import { type Postgres, startPostgres } from '../platform/postgres/supervisor.ts';
import type { Client } from '../testing/client.ts';
import { expectInvariants } from '../testing/invariants.ts';
import { createWorld, type TestLead, type World } from '../testing/world.ts';

const silent = { info: () => undefined, warn: () => undefined, error: () => undefined };
const folder = mkdtempSync(join(tmpdir(), 'rapport-away-'));
let postgres: Postgres;
let world: World;
let admin: Client;
beforeAll(async () => {
  postgres = await startPostgres({ dataDir: folder, log: silent });
  world = await createWorld({
    database: { url: postgres.superuserUrl, drop: async () => undefined },
    env: { RAPPORT_LOG_LEVEL: 'silent' },
  });
  admin = await world.operator();
});
afterAll(async () => {
  await world.close();
  await postgres.stop();
  rmSync(folder, { recursive: true, force: true });
});

it('answers 503 while PostgreSQL is killed under traffic, recovers within 5 s, and loses or doubles nothing', async () => {
  const leads: TestLead[] = [];
  for (let index = 0; index < 12; index++) leads.push(await world.lead(`Lead ${index}`));
  const seen = new Set<number>();
  let watching = true;
  const watcher = (async () => {
    while (watching) {
      seen.add((await admin.call(dialogues.list)).status);
      await pause(10);
    }
  })();
  for (const [round, mode] of (['kill', 'fast', 'kill'] as const).entries()) {
    const writers = leads.slice(round * 4, round * 4 + 4).map((lead) => lead.writes('How long does delivery take?'));
    const restarted = postgres.restart(mode);
    await Promise.all(writers);
    await restarted;
    await world.waitUntil(async () => (await fetch(`${world.url}/readyz`)).status === 200, 'it serves again');
  }
  watching = false;
  await watcher;
  expect(seen).toEqual(new Set([200, 503]));
  await world.drain();
  for (const lead of leads)
    expect(await lead.sees(), lead.name).toEqual([
      'lead: How long does delivery take?',
      expect.stringMatching(/six weeks/),
    ]);
  await expectInvariants(world);
});
