import { afterAll, beforeAll, expect, it } from 'vitest';
import { createOutreachWorld, HOUR, type OutreachWorld } from '../testing/outreachWorld.ts';

let world: OutreachWorld;
beforeAll(async () => {
  world = await createOutreachWorld({ env: { RAPPORT_CONCURRENCY: '1' } });
  await world.setChannels(world.whatsapp.id);
  await world.setFirstMessages({ initial_message_send_at: '08:00' });
  await world.advanceClockTo('07:00');
});
afterAll(() => world.close());

const refusedCount = async () => (await world.control.entriesOf('refused')).length;

it('withholds what was claimed together with a message that is refused for the whole channel', async () => {
  const leads = [await world.createLead('Anna'), await world.createLead('Boris'), await world.createLead('Clara')];
  await world.control.setFaults([
    { kind: 'wazzup24.delay', ms: 500, times: 1 },
    { kind: 'wazzup24.refuse', code: 'CHANNEL_BLOCKED' },
  ]);
  await world.advanceClock(2 * HOUR);
  const { rows } = await world.pool.query<{ status: string; attempts: number; reason: string }>(
    'select status, attempts, reason from messages order by id',
  );
  // One is with the vendor, and one waits behind it.
  expect(rows).toMatchObject([
    { status: 'scheduled', attempts: 0 },
    { status: 'scheduled', attempts: 0 },
  ]);
  expect(rows[1]?.reason).toBe(rows[0]?.reason);
  expect(await refusedCount()).toBe(1);
  await world.control.setFaults([]);
  await world.pool.query(
    `update channels set paused_until = null, pause_reason = null, first_messages_stopped_at = null, first_messages_stopped_reason = null`,
  );
  await world.advanceClock(HOUR);
  for (const lead of leads) expect(await lead.sees()).toEqual(['us: Good day!']);
});
