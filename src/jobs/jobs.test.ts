import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Client } from '../testing/client.ts';
import { createWorld, type World } from '../testing/world.ts';
import { type Job, jobs, readJobQueues, removeJob, retryJob } from './contract.ts';
import { enqueueMany } from './store/enqueue.ts';

let world: World;
let admin: Client;
beforeAll(async () => {
  // Without a worker, no runner takes the jobs.
  world = await createWorld({ env: { RAPPORT_ROLES: 'web' } });
  admin = await world.operator('olga');
});
afterAll(() => world.close());

async function add(task: string, payload: object, more = ''): Promise<number> {
  const { rows } = await world.pool.query<{ id: string }>(
    `select (graphile_worker.add_job($1, $2, job_key := $1 || ':' || $3 ${more})).id`,
    [task, JSON.stringify(payload), JSON.stringify(payload).length],
  );
  return Number(rows[0]?.id);
}
async function list(query: object = {}): Promise<Job[]> {
  const answer = await admin.call(jobs.list, { query });
  expect(answer.status).toBe(200);
  return (answer.body as { items: Job[] }).items;
}

it("reports each job's state, and only the ids of its payload", async () => {
  const ready = await add('deliver', {
    dialogue: 7,
    ids: [1, 2],
    api_key: 'sk-secret',
    nested: { token: 'x' },
    none: null,
  });
  const later = await add('reply', { dialogue: 8 }, ", run_at := now() + interval '1 hour'");
  const failed = await add('classify', { classification: 9 }, ', max_attempts := 1');
  await world.pool.query(
    "update graphile_worker._private_jobs set attempts = 1, last_error = 'It broke' where id = $1",
    [failed],
  );
  const running = await add('reclaim', { message: 10 });
  await world.pool.query(
    "update graphile_worker._private_jobs set locked_at = now(), locked_by = 'someone' where id = $1",
    [running],
  );
  const seen = await list({ order_by: 'id', order: 'asc' });
  expect(seen.map(({ id, task, state, payload }) => [id, task, state, payload])).toEqual([
    [ready, 'deliver', 'ready', 'dialogue 7, ids [1,2]'],
    [later, 'reply', 'later', 'dialogue 8'],
    [failed, 'classify', 'failed', 'classification 9'],
    [running, 'reclaim', 'running', 'message 10'],
  ]);
  expect(JSON.stringify(seen)).not.toMatch(/secret|token/);
  expect((await list({ state: ['failed'] })).map(({ id, last_error }) => [id, last_error])).toEqual([
    [failed, 'It broke'],
  ]);
  expect((await list({ task: ['reply'] })).map(({ id }) => id)).toEqual([later]);
  expect((await list({ search: 'broke' })).map(({ id }) => id)).toEqual([failed]);
});

it('retries a job with all its attempts, and deletes one with a reason', async () => {
  const [failed] = await list({ state: ['failed'] });
  const id = failed?.id ?? 0;
  const again = await admin.call(retryJob, { params: { id } });
  expect([again.status, again.body]).toEqual([200, expect.objectContaining({ state: 'ready', attempts: 0 })]);
  expect((await admin.call(removeJob, { params: { id }, body: { reason: '  ' } })).status).toBe(422);
  expect((await admin.call(removeJob, { params: { id }, body: { reason: 'Its dialogue is gone' } })).status).toBe(204);
  expect((await admin.call(retryJob, { params: { id } })).status).toBe(404);
  const { rows } = await world.pool.query(
    "select operator, action, before->>'task' as task, after->>'reason' as reason from audit where noun = 'job' and row_id = $1 order by id",
    [id],
  );
  expect(rows).toEqual([
    { operator: 'olga', action: 'run again', task: 'classify', reason: null },
    { operator: 'olga', action: 'removed', task: 'classify', reason: 'Its dialogue is gone' },
  ]);
});

it('does not change a running job', async () => {
  const [running] = await list({ state: ['running'] });
  const params = { id: running?.id ?? 0 };
  expect((await admin.call(retryJob, { params })).status).toBe(409);
  expect((await admin.call(removeJob, { params, body: { reason: 'No' } })).status).toBe(409);
  expect(await list({ state: ['running'] })).toHaveLength(1);
});

it('shows members no jobs', async () => {
  const member = await world.operator('masha', [world.companyId]);
  for (const endpoint of [jobs.list, readJobQueues]) expect((await member.call(endpoint, {})).status).toBe(403);
  expect((await admin.call(readJobQueues, {})).body).toMatchObject({ lanes: [] });
});

it('enqueues no job again that a runner has locked, not even one that is gone', async () => {
  if (!world.app) throw new Error('There is no server');
  const due = { payload: { account: 11 }, key: 'delivery.poll:11' };
  await enqueueMany(world.app.context, 'delivery.poll', [due]);
  await world.pool.query(
    // In its last attempt: nothing but its lock tells that it is being done.
    "update graphile_worker._private_jobs set locked_at = now(), locked_by = 'gone', attempts = max_attempts where key = $1",
    [due.key],
  );
  await enqueueMany(world.app.context, 'delivery.poll', [due]);
  expect((await list({ task: ['delivery.poll'] })).map(({ key, state }) => [key, state])).toEqual([
    [due.key, 'running'],
  ]);
});
