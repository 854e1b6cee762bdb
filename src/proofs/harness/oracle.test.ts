import { expect, it } from 'vitest';
import { createWorld } from '../../testing/world.ts';
import { verifyMessages } from './oracle.ts';

it('does not take a job that is about to run for one that is left', async () => {
  const world = await createWorld();
  try {
    await world.drain();
    const { rows } = await world.pool.query<{ id: number }>('select id::int from vendor_accounts limit 1');
    await world.pool.query(
      "select graphile_worker.add_job('sessions.poll', json_build_object('account', $1::int), run_at := now() + interval '1 second')",
      [rows[0]?.id],
    );
    expect((await verifyMessages(world, [])).faults['otherwise']).toEqual([]);
  } finally {
    await world.close();
  }
});
