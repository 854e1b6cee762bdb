/** What the API returns for the coming days, and for one lead. */
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { deactivateLead, leads } from '../leads/contract.ts';
import type { Client } from '../testing/client.ts';
import { createOutreachWorld, type OutreachWorld } from '../testing/outreachWorld.ts';
import { leadsOfReason } from './reason.ts';
import { type LeadOutreach, type Rehearsal, readLeadOutreach, readRehearsal } from './rehearsalContract.ts';

let world: OutreachWorld;
let admin: Client;
beforeAll(async () => {
  world = await createOutreachWorld();
  admin = await world.operator();
});
afterAll(() => world.close());
beforeEach(() => world.reset());

async function readRehearsalOf(query: object = {}): Promise<Rehearsal> {
  const { body } = await admin.call(readRehearsal, { query: { product_id: world.productId, ...query } });
  return readRehearsal.replies[200].parse(body);
}

async function readOutreachOf(leadId: number): Promise<LeadOutreach> {
  const { body } = await admin.call(readLeadOutreach, { params: { lead_id: leadId } });
  return readLeadOutreach.replies[200].parse(body);
}

it('counts queued leads as one reason, and filters only the list by day, kind and lead', async () => {
  await world.setFirstMessages({ initial_message_send_at: '08:00', add_interval_seconds: 86_400 });
  await world.advanceClockTo('07:00');
  const leads = [];
  for (let index = 0; index < 8; index++) leads.push(await world.createLead(`Lead ${index}`));
  await world.drain();
  const week = await readRehearsalOf({ days: 3 });
  expect([week.leads, week.total, week.days.map((day) => day.first)]).toEqual([8, 3, [1, 1, 1, 0]]);
  expect(week.silent.reduce((sum, one) => sum + one.leads, 0)).toBe(5);
  expect(week.silent.filter(({ why }) => why.code === 'line').length).toBe(1);
  const [first] = week.items;
  const day = first?.at.slice(0, 10);
  expect(await readRehearsalOf({ days: 3, day })).toMatchObject({ total: 1, days: week.days });
  expect(await readRehearsalOf({ days: 3, kind: ['ping'] })).toMatchObject({ total: 0, days: week.days });
  expect(await readRehearsalOf({ days: 3, lead_id: [first?.lead_id] })).toMatchObject({ total: 1, days: week.days });
});

it('counts as many leads for a lasting reason as its link lists', async () => {
  await world.setFollowUps([
    { after_minutes: 60, prepared_message_id: await world.addPreparedMessage('Still there?') },
  ]);
  const [anna, boris] = [await world.lead('Anna'), await world.lead('Boris')];
  for (const name of ['Clara', 'Daria', 'Emma']) await world.lead(name, { stage: 'ongoing' });
  // Neither counted nor listed.
  await admin.call(deactivateLead, { params: { id: (await world.lead('Left', { stage: 'ongoing' })).leadId } });
  for (const { leadId } of [anna, boris])
    await world.pool.query(
      `update dialogues set owner = 'human' where id in (select d.id from dialogues d join contacts c on c.id = d.contact_id where c.lead_id = $1)`,
      [leadId],
    );
  await world.drain();
  const counted = new Map<string, number>();
  for (const { why, leads: count } of (await readRehearsalOf()).silent) {
    const filters = leadsOfReason(why);
    if (filters === null) continue;
    const query = { product_id: [world.productId], next_reason: [filters.next_reason], is_active: [filters.is_active] };
    const { body } = await admin.call(leads.list, { query });
    expect([why.code, (body as { total: number }).total]).toEqual([why.code, count]);
    counted.set(why.code, count);
  }
  expect(Object.fromEntries(counted)).toEqual({ human: 2, no_dialogue: 3 });
});

it('shows scheduled messages unchanged on their channel', async () => {
  const anna = await world.lead('Anna', { stage: 'ongoing' });
  await world.pool.query(
    `insert into messages (product_id, contact_id, dialogue_id, channel_id, message, side, author, status, scheduled_at)
     select product_id, contact_id, id, channel_id, 'See you on Friday.', 'bot', 'bot', 'scheduled', domain_now() + interval '1 day'
       from dialogues where id = $1`,
    [await anna.dialogueId()],
  );
  expect((await readRehearsalOf()).items).toMatchObject([
    { kind: 'scheduled', channel: 'whatsapp', text: { kind: 'text', text: 'See you on Friday.' } },
  ]);
  expect(await readOutreachOf(anna.leadId)).toMatchObject({ next: null, why: { code: 'no_pings' } });
});

it("explains a lead by current facts and the worker's last result", async () => {
  await world.setFirstMessages({ initial_message_send_at: '08:00', add_interval_seconds: 3 * 86_400 });
  await world.advanceClockTo('07:00');
  const [anna, boris] = [await world.createLead('Anna'), await world.createLead('Boris')];
  await world.drain();
  expect(await readOutreachOf(anna.leadId)).toMatchObject({
    state: 'waiting',
    next: 'first',
    why: { code: 'send_at' },
  });
  await world.advanceClock(2 * 3600);
  expect(await anna.sees()).toEqual(['us: Good day!']);
  expect(await readOutreachOf(boris.leadId)).toMatchObject({
    state: 'waiting',
    next: 'first',
    why: { code: 'interval' },
  });
  expect(await readOutreachOf(anna.leadId)).toMatchObject({ state: 'finished, no reply', next: null });
  // The plan has not been evaluated again: its row is older than this.
  await world.pool.query(`update outreach set reason = '{"code": "pings_off"}', next_action = null, next_at = null`);
  await world.pool.query(`update leads set timezone = 'Asia/Tokyo' where id = $1`, [boris.leadId]);
  expect(await readOutreachOf(anna.leadId)).toMatchObject({ why: { code: 'no_pings' }, zone: null });
  expect(await readOutreachOf(boris.leadId)).toMatchObject({ next: 'first', zone: 'Asia/Tokyo' });
  await world.setFollowUps([
    { after_minutes: 5 * 1440, prepared_message_id: await world.addPreparedMessage('Still there?') },
  ]);
  const { state, next, at } = await readOutreachOf(anna.leadId);
  expect([state, next]).toEqual(['active', 'ping']);
  // Counted from the creation of the dialogue, a moment before its first message was sent.
  const after = Date.parse(at ?? '') - Date.parse((await world.sentMessages())[0]?.at ?? '');
  expect(Math.round(after / 60_000)).toBe(5 * 1440);
});

it("explains the day's limit to a queued lead once it is reached", async () => {
  await world.setFirstMessages({
    initial_message_send_at: '08:00',
    whatsapp_daily_limit: 2,
    add_interval_seconds: 600,
  });
  await world.advanceClockTo('07:00');
  const leads = [];
  for (let index = 0; index < 5; index++) leads.push(await world.createLead(`Lead ${index}`));
  await world.drain();
  await world.advanceClock(3 * 3600);
  expect(await world.sentMessages()).toHaveLength(2);
  const last = await readOutreachOf(leads.at(-1)?.leadId ?? 0);
  expect(last).toMatchObject({ next: 'first', why: { code: 'limit', type: 'whatsapp', limit: 2 } });
  expect(Date.parse(last.at ?? '')).toBeGreaterThan(Date.parse((await world.sentMessages()).at(-1)?.at ?? ''));
});
