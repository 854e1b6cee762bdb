/**
 * Kills the server at every failpoint of a classification; each turn still has one result, and each lead changes
 * stage once.
 */
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { connectHooks, type ServerProcess, startServer } from '../testing/serverProcess.ts';
import { createWorld, type TestLead, type World } from '../testing/world.ts';

const POINTS = ['classify.beforeModel', 'classify.afterModel', 'classify.beforeCommit', 'classify.afterCommit'];
const SETTINGS = { RAPPORT_REPLY_DEBOUNCE_SECONDS: '0.05' };
let world: World;
let server: ServerProcess;

beforeAll(async () => {
  world = await createWorld({ serve: false });
  const { rows } = await world.pool.query<{ id: string }>(
    `insert into prompts (product_id, name, type, text, live_version, live_text, live_since)
     values ($1, 'Judge', 'classification', 'Judge it.', 1, 'Judge it.', now()) returning id`,
    [world.productId],
  );
  await world.pool.query(
    `insert into classification_configs (product_id, config, created_at)
     values ($1, jsonb_build_object('interval_minutes', 10, 'prompt_id', $2::bigint), now() - interval '1 day')`,
    [world.productId, rows[0]?.id],
  );
});
afterEach(() => server.kill());
afterAll(() => world.close());

it('stores one result a turn and one move a lead when killed anywhere', async () => {
  const [first, ...others] = POINTS;
  server = startServer(world, { ...SETTINGS, RAPPORT_FAILPOINT: `${first}:1` });
  await server.waitUntilReady();
  await connectHooks(world);
  const leads: TestLead[] = [];
  for (const name of ['Anna', 'Boris', 'Clara', 'Dora', 'Elena', 'Fedor']) {
    const lead = await world.lead(name);
    await lead.writes("Great, let's do it, sign me up");
    leads.push(lead);
  }
  await world.drain();
  // Make it due, so that the first instance dies.
  await world.pool.query("update dialogues set last_user_msg_at = last_user_msg_at - interval '10 minutes'");
  expect(await server.waitForExit(), `${first} ${server.output()}`).toBe('SIGKILL');
  for (const point of others) {
    server = startServer(world, { ...SETTINGS, RAPPORT_FAILPOINT: `${point}:1` });
    expect(await server.waitForExit(), `${point} ${server.output()}`).toBe('SIGKILL');
  }
  server = startServer(world, SETTINGS);
  await server.waitUntilReady();
  await world.drain();
  for (const lead of leads) {
    const { rows } = await world.pool.query(
      `select l.stage, d.owner, d.owner_reason,
              (select count(*)::int from classification_results r where r.dialogue_id = d.id) as results,
              (select count(*)::int from lead_events e where e.lead_id = l.id and e.event_data->>'by' = 'classification') as moves,
              (select string_agg(c.state, ' ') from classifications c where c.dialogue_id = d.id) as states
         from leads l join contacts k on k.lead_id = l.id join dialogues d on d.contact_id = k.id where l.id = $1`,
      [lead.leadId],
    );
    expect(rows, lead.name).toEqual([
      { stage: 'success', owner: 'human', owner_reason: 'qualified', results: 1, moves: 1, states: 'done' },
    ]);
  }
});
