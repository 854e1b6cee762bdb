/** A channel whose messages are not acknowledged stops first messages, and resumes when something arrives. */
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { resumeFirstMessages } from '../channels/contract.ts';
import { createOutreachWorld, HOUR, type OutreachWorld } from '../testing/outreachWorld.ts';

let world: OutreachWorld;
beforeAll(async () => {
  // As in production, the sweep runs less often than first messages are sent: each claim checks the channel itself.
  world = await createOutreachWorld({ env: { RAPPORT_SWEEP_SECONDS: '0.6' } });
});
afterAll(() => world.close());
beforeEach(async () => {
  await world.reset();
  await world.pool.query('update channels set first_messages_stopped_at = null, first_messages_stopped_reason = null');
});

async function readStopReason(): Promise<string | null> {
  const { rows } = await world.pool.query<{ reason: string | null }>(
    'select first_messages_stopped_reason as reason from channels where id = $1',
    [world.whatsapp.id],
  );
  return rows[0]?.reason ?? null;
}

/** The vendor accepts messages but delivers none. */
const deadChannelFaults = [{ kind: 'wazzup24.dead_channel' as const }];

it('stops first messages after ten unacknowledged ones until a status arrives', async () => {
  await world.setFirstMessages({ initial_message_send_at: '08:00', add_interval_seconds: 60 });
  await world.advanceClockTo('07:00');
  await world.control.setFaults(deadChannelFaults);
  const leads = [];
  for (let index = 0; index < 14; index++) leads.push(await world.createLead(`Lead ${index}`));
  await world.advanceClock(70 * 60);
  await world.waitUntil(async () => (await readStopReason()) !== null, 'the channel has stopped');
  expect(await readStopReason()).toBe('10 messages in a row were not acknowledged');
  await world.advanceClock(3 * HOUR);
  expect(await world.sentMessages()).toHaveLength(10);

  await world.control.setFaults([]);
  await leads[0]?.writes('Hello, who is this?');
  await world.waitUntil(async () => (await readStopReason()) === null, 'the channel was heard of');
  await world.advanceClock(HOUR);
  expect(await world.sentMessages()).toHaveLength(14);
});

it('stops first messages after half an hour without any status, and lets an operator resume', async () => {
  await world.setFirstMessages({ initial_message_send_at: '08:00', whatsapp_daily_limit: 4 });
  await world.advanceClockTo('07:00');
  await world.control.setFaults(deadChannelFaults);
  for (let index = 0; index < 4; index++) await world.createLead(`Lead ${index}`);
  await world.advanceClock(80 * 60);
  expect(await readStopReason()).toBeNull();
  await world.advanceClock(20 * 60);
  await world.waitUntil(async () => (await readStopReason()) !== null, 'the channel has stopped');
  expect(await readStopReason()).toMatch(/^Nothing was acknowledged for \d+ minutes$/);
  await world.control.setFaults([]);
  const operator = await world.operator();
  const params = { id: world.whatsapp.id };
  expect(await operator.call(resumeFirstMessages, { params })).toMatchObject({
    status: 200,
    body: { firsts_stopped_reason: null },
  });
  // Messages that were unacknowledged before no longer count.
  await world.drain();
  expect(await readStopReason()).toBeNull();
  expect((await operator.call(resumeFirstMessages, { params })).status).toBe(409);
});

it('stops first messages on a blocked channel with the reason', async () => {
  await world.setFirstMessages({ initial_message_send_at: '08:00', add_interval_seconds: 60 });
  await world.advanceClockTo('07:00');
  const anna = await world.createLead('Anna');
  await world.control.setFaults([
    { kind: 'wazzup24.refuse', code: 'CHANNEL_BLOCKED', description: 'Blocked by the messenger', times: 1 },
  ]);
  await world.drain();
  const { rows } = await world.pool.query<{ due: Date }>(`select next_at as due from outreach where lead_id = $1`, [
    anna.leadId,
  ]);
  await world.pool.query(
    "update installation set clock_offset = clock_offset + ($1::timestamptz - domain_now()) + interval '1 second'",
    [rows[0]?.due],
  );
  await world.waitUntil(async () => (await readStopReason()) !== null, 'the channel has stopped');
  expect(await readStopReason()).toContain('Blocked');
  // The message was requeued and waits: its quota slot is free again.
  const { rows: slots } = await world.pool.query('select count(*)::int as taken from first_message_quota');
  expect(slots).toEqual([{ taken: 0 }]);
  await world.pool.query('update channels set paused_until = null, pause_reason = null');
});
