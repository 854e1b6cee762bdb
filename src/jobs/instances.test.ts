import { afterAll, beforeAll, expect, it } from 'vitest';
import { countModelCalls } from '../testing/messageRows.ts';
import { createWorld, type World } from '../testing/world.ts';
import { reapDeadInstances } from './store/instances.ts';

let world: World;
beforeAll(async () => {
  world = await createWorld({ env: { RAPPORT_HEARTBEAT_SECONDS: '0.2', RAPPORT_LEASE_SECONDS: '0.8' } });
});
afterAll(() => world.close());

it('keeps a turn claimed longer than its lease while its instance lives', async () => {
  await world.control.setFaults([{ kind: 'openai.slow', ms: 250, times: 1 }]);
  const anna = await world.lead('Anna');
  await anna.writes('How long does delivery take?');
  await until(
    "select exists (select 1 from dialogues where claimed_until > turn_due_at + interval '2 seconds') as long",
    'a turn has been in hand for longer than the lease',
  );
  if (!world.app) throw new Error('no server');
  await reapDeadInstances(world.app.context);
  await world.drain();
  expect(await countModelCalls(world)).toBe(1);
});

it('ends an instance without a heartbeat', async () => {
  if (!world.app) throw new Error('no server');
  await world.pool.query(
    "insert into nodes (instance_id, name, roles, pid, heartbeat_at) values (gen_random_uuid(), 'other', '{worker}', 1, now() - interval '1 minute')",
  );
  await reapDeadInstances(world.app.context);
  const { rows } = await world.pool.query('select name from nodes where ended_at is null order by name');
  expect(rows).toEqual([{ name: world.app.context.config.nodeName }]);
});

async function until(statement: string, what: string): Promise<void> {
  await world.waitUntil(
    async () => (await world.pool.query<{ long: boolean }>(statement)).rows[0]?.long === true,
    what,
  );
}
