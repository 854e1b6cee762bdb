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

it('keeps a job claimed longer than its lease while its instance lives', async () => {
  const other = await world.pool.connect();
  await other.query('begin');
  await other.query('lock table messages in access exclusive mode');
  await world.pool.query(`select graphile_worker.add_job('recipient.not_found', '{"message": 1}')`);
  await until(
    "select exists (select 1 from graphile_worker._private_jobs where locked_at < clock_timestamp() - interval '1.2 seconds') as long",
    'a job has taken longer than the lease',
  );
  if (!world.app) throw new Error('no server');
  await reapDeadInstances(world.app.context);
  const { rows } = await world.pool.query(
    `select distinct n.ended_at is null as living
       from graphile_worker._private_jobs j left join nodes n on n.worker_id = j.locked_by
      where j.locked_at < clock_timestamp() - interval '0.8 seconds'`,
  );
  await other.query('commit');
  other.release();
  expect(rows).toEqual([{ living: true }]);
  await world.drain();
});

it('frees the jobs of a dead instance at once', async () => {
  await world.pool.query(
    "select graphile_worker.add_job('reply', '{\"dialogue\": 1}', run_at := now() + interval '1 hour')",
  );
  await world.pool.query(
    "insert into nodes (instance_id, name, roles, pid, worker_id, ended_at) values (gen_random_uuid(), 'other', '{worker}', 1, 'gone', now())",
  );
  await world.pool.query(
    "update graphile_worker._private_jobs set locked_by = 'gone', locked_at = now() where run_at > now()",
  );
  if (!world.app) throw new Error('no server');
  await reapDeadInstances(world.app.context);
  const { rows } = await world.pool.query('select locked_by from graphile_worker._private_jobs where run_at > now()');
  expect(rows).toEqual([{ locked_by: null }]);
});

async function until(statement: string, what: string): Promise<void> {
  await world.waitUntil(
    async () => (await world.pool.query<{ long: boolean }>(statement)).rows[0]?.long === true,
    what,
  );
}
