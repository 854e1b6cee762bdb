import { afterAll, beforeAll, expect, it } from 'vitest';
import { expectInvariants } from '../testing/invariants.ts';
import { connectHooks, type ServerProcess, startServer } from '../testing/serverProcess.ts';
import { createWorld, freePort, type TestLead, type World } from '../testing/world.ts';

const LEADS = 50;
const TEXTS = ['Hello', 'I have seen your kitchens', 'How long does delivery take?', 'Anna told me about you'];

let world: World;
const servers: ServerProcess[] = [];
beforeAll(async () => {
  // The long debounce keeps the bot from replying before every lead has written all messages, however busy the
  // machine is.
  world = await createWorld({
    serve: false,
    // A server that is merely slow must not count as dead: another one would ask the model again.
    env: { RAPPORT_REPLY_DEBOUNCE_SECONDS: '60', RAPPORT_LEASE_SECONDS: '600' },
  });
  servers.push(startServer(world));
  await servers[0]?.waitUntilReady();
  const port = String(await freePort());
  servers.push(startServer(world, { PORT: port, RAPPORT_PUBLIC_URL: world.url }));
  await servers[1]?.waitUntilReady();
  await connectHooks(world);
});
afterAll(async () => {
  await Promise.all(servers.map((one) => one.stop()));
  await world.close();
});

async function areAllReceived(leads: readonly TestLead[]): Promise<boolean> {
  const { rows } = await world.pool.query<{ count: number }>("select count(*)::int from messages where side = 'user'");
  return rows[0]?.count === leads.length * TEXTS.length;
}

it('answers 200 messages of 50 leads on two servers once a burst, in order', async () => {
  const leads: TestLead[] = [];
  for (let index = 0; index < LEADS; index++) leads.push(await world.lead(`Lead ${index}`));
  await Promise.all(leads.map((lead) => lead.writes(...TEXTS)));
  await world.waitUntil(() => areAllReceived(leads), 'every message is received');
  await world.pool.query('update dialogues set turn_due_at = domain_now() where turn_due_at is not null');
  await world.drain();
  const wrong: string[] = [];
  for (const lead of leads) {
    const seen = await lead.sees();
    const expected = TEXTS.map((text) => `lead: ${text}`);
    if (seen.slice(0, 4).join('|') !== expected.join('|') || seen.length !== 5 || !seen[4]?.startsWith('us: '))
      wrong.push(`${lead.name}: ${seen.join(' | ')}`);
  }
  expect(wrong).toEqual([]);
  const { rows } = await world.pool.query<{ dialogue_id: string; said: string }>(
    "select dialogue_id, string_agg(message, '|' order by thread_at, id) as said from messages where side = 'user' group by dialogue_id",
  );
  expect(new Set(rows.map((row) => row.said))).toEqual(new Set([TEXTS.join('|')]));
  expect(rows).toHaveLength(LEADS);
  const { rows: asked } = await world.pool.query<{ count: number }>('select count(*)::int from llm_runs');
  expect(asked[0]?.count).toBe(LEADS);
  // Both servers took part.
  const { rows: nodes } = await world.pool.query('select count(*)::int as count from nodes where ended_at is null');
  expect(nodes).toEqual([{ count: 2 }]);
  await expectInvariants(world);
});
