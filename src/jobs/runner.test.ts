/** The job runner when the database refuses its writes. */
import { afterAll, beforeAll, it } from 'vitest';
import { createWorld, type World } from '../testing/world.ts';

let world: World;
beforeAll(async () => {
  world = await createWorld({ env: { RAPPORT_LOG_LEVEL: 'silent' } });
});
afterAll(() => world.close());

/** Add jobs that have nothing to do, or that fail. */
const addJobs = (count: number, payload: object = { message: 0 }) =>
  world.pool.query(
    `select graphile_worker.add_job('recipient.not_found', $2::json, max_attempts := 3) from generate_series(1, $1::int)`,
    [count, JSON.stringify(payload)],
  );

const countClaimedJobs = async (): Promise<number> => {
  const { rows } = await world.pool.query<{ count: number }>(
    'select count(*)::int from graphile_worker._private_jobs where locked_at is not null',
  );
  return rows[0]?.count ?? 0;
};

const newestWorkerId = async (): Promise<string | null> => {
  const { rows } = await world.pool.query<{ worker_id: string | null }>(
    'select worker_id from nodes where ended_at is null order by started_at desc limit 1',
  );
  return rows[0]?.worker_id ?? null;
};

it('replaces a job runner whose failures cannot be stored, even if it never ends by itself', async () => {
  const before = await newestWorkerId();
  // Simulate a full disk. With two refusals in flight at once, the runner's shutdown waits for itself and never ends.
  await world.pool.query(`
    create function refuse_slowly() returns trigger language plpgsql as $$
      begin
        perform pg_sleep(0.3);
        raise exception 'could not extend file' using errcode = 'disk_full';
      end $$`);
  await world.pool.query(
    `create trigger refuse_slowly before update on graphile_worker._private_jobs for each row
       when (new.last_error is distinct from old.last_error) execute function refuse_slowly()`,
  );
  // Keep one job running longer than the refusals of two others take.
  const holder = await world.pool.connect();
  await holder.query('begin');
  await holder.query('lock table messages in access exclusive mode');
  await addJobs(1, { message: 1 });
  await addJobs(1, { nothing: 'of use' });
  await world.waitUntil(async () => (await countClaimedJobs()) >= 2, 'both to be taken');
  await addJobs(1, { nothing: 'of use' });
  await world
    .waitUntil(async () => (await newestWorkerId()) !== before, 'another runner')
    .finally(async () => {
      await holder.query('rollback');
      holder.release();
    });
  await world.pool.query('drop trigger refuse_slowly on graphile_worker._private_jobs');
  await addJobs(10);
  await world.waitUntil(async () => {
    const { rows } = await world.pool.query(
      'select 1 from graphile_worker._private_jobs where locked_at is not null or attempts < max_attempts limit 1',
    );
    return rows.length === 0;
  }, 'every job to be done, also those of the former runner');
});
