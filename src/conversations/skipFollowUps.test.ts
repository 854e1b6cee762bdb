/** Skipping follow-ups by hand, on the real engine with a moved clock. */
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { readLeadOutreach } from '../outreach/rehearsalContract.ts';
import type { Client } from '../testing/client.ts';
import { createOutreachWorld, DAY, HOUR, type OutreachWorld } from '../testing/outreachWorld.ts';
import type { TestLead } from '../testing/world.ts';
import { skipPings } from './skipFollowUpsContract.ts';

let world: OutreachWorld;
let admin: Client;
beforeAll(async () => {
  world = await createOutreachWorld();
  admin = await world.operator('vera');
});
afterAll(() => world.close());
beforeEach(() => world.reset());

/** Create a lead who has just got a first message; follow-ups are due an hour later and a day later. */
async function startSequence(): Promise<TestLead & { skip: (skip: boolean) => Promise<number> }> {
  await world.setFollowUps([
    { after_minutes: 60, prepared_message_id: await world.addPreparedMessage('One?') },
    { after_minutes: 1440, prepared_message_id: await world.addPreparedMessage('Two?') },
  ]);
  await world.setFirstMessages({ initial_message_send_at: '08:00' });
  await world.advanceClockTo('07:59');
  const lead = await world.createLead('Anna');
  await world.advanceClock(2 * 60);
  const id = await lead.dialogueId();
  const skip = async (value: boolean) =>
    (await admin.call(skipPings, { params: { id }, body: { skip: value } })).status;
  return { ...lead, skip };
}

const nextOutreach = async (lead: TestLead) => {
  const { body } = await admin.call(readLeadOutreach, { params: { lead_id: lead.leadId } });
  const { state, next, why } = readLeadOutreach.replies[200].parse(body);
  return [state, next, why.code];
};

it('skips follow-ups at once until they are resumed', async () => {
  const anna = await startSequence();
  expect(await nextOutreach(anna)).toEqual(['active', 'ping', 'step']);
  expect(await anna.skip(true)).toBe(200);
  // Effective at once, without waiting for the next run of the plan.
  expect(await nextOutreach(anna)).toEqual(['paused', null, 'skipped']);
  await world.advanceClock(2 * HOUR);
  expect(await anna.sees()).toEqual(['us: Good day!']);
  expect(await anna.skip(false)).toBe(200);
  await world.drain();
  expect(await anna.sees()).toEqual(['us: Good day!', 'us: One?']);
  const { rows } = await world.pool.query(
    `select action, operator from audit where noun = 'dialogue' and action like 'follow-ups%' order by id`,
  );
  expect(rows).toEqual([
    { action: 'follow-ups skipped', operator: 'vera' },
    { action: 'follow-ups resumed', operator: 'vera' },
  ]);
});

it('cancels a queued follow-up without a replacement', async () => {
  const anna = await startSequence();
  const delay = (seconds: number | null) =>
    world.pool.query('update product_channels set delay_messages_seconds = $1', [seconds]);
  await delay(3600);
  await world.advanceClock(61 * 60);
  const waiting = async () =>
    (await world.pool.query(`select status, reason from messages where ping_step_number is not null order by id`)).rows;
  expect(await waiting()).toEqual([{ status: 'scheduled', reason: null }]);
  expect(await nextOutreach(anna)).toEqual(['active', null, 'outgoing']);
  expect(await anna.skip(true)).toBe(200);
  expect(await waiting()).toEqual([{ status: 'cancelled', reason: 'Skipped by vera' }]);
  await world.advanceClock(3 * DAY);
  await delay(null);
  expect(await anna.sees()).toEqual(['us: Good day!']);
  expect(await waiting()).toHaveLength(1);
});

it('refuses to skip where the lead wrote last', async () => {
  const anna = await startSequence();
  await world.pool.query(`update dialogues set owner = 'human'`);
  await anna.writes('How much?');
  await world.drain();
  expect(await anna.skip(true)).toBe(409);
  const { rows } = await world.pool.query('select skip_ping_for_msg_id from dialogues');
  expect(rows).toEqual([{ skip_ping_for_msg_id: null }]);
});
