/** The rehearsal against the engine: what it foretells is what is sent, message by message. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createOutreachWorld, DAY, type OutreachWorld } from '../testing/outreach.ts';
import { compare, play, proposed, setStage } from './rehearsal.ts';

let world: OutreachWorld;
beforeAll(async () => {
  world = await createOutreachWorld();
});
afterAll(() => world.close());

const ZONES = ['Europe/Moscow', 'America/New_York', 'Asia/Tokyo', 'Pacific/Chatham', 'Europe/London'];

async function stage() {
  const set = world.house && (await setStage(world.house.ground.reader, world.productId));
  if (!set) throw new Error('no product');
  return set;
}

it('foretells each message of ten days, in its place and to the minute', { timeout: 120_000 }, async () => {
  await world.firsts({
    add_interval_seconds: 1800,
    whatsapp_daily_limit: 7,
    tg_daily_limit: 4,
    initial_message_send_at: '05:00',
  });
  await world.hours('09:00', '17:00', 'Europe/Moscow');
  const [one, two] = [await world.prepared('Still there, {{ lead.name }}?'), await world.prepared('Last call')];
  await world.pings([
    { after_minutes: 600, prepared_message_id: one },
    { after_minutes: 2000, prepared_message_id: two },
  ]);
  await world.moveTo('03:00');
  for (let index = 0; index < 25; index++)
    await world.fresh(`Lead ${index}`, {
      messenger: index % 3 === 0 ? 'telegram' : 'whatsapp',
      ...(index % 6 === 5 ? {} : { zone: ZONES[index % ZONES.length] ?? 'UTC' }),
    });
  await world.drain();
  const set = await stage();
  const names = new Map(set.leads.map((lead, index) => [lead.id, `Lead ${index}`]));
  const foretold = play(set, set.settings, 10).messages;
  expect(foretold.length).toBeGreaterThan(60);
  await world.move(10 * DAY);
  const sent = await world.sent();
  const line = (lead: string | undefined, step: number | null) => `${lead} ${step ?? 'first'}`;
  expect(sent.map((message) => line(message.lead, message.step)).toSorted()).toEqual(
    foretold.map((message) => line(names.get(message.leadId), message.step || null)).toSorted(),
  );
  const late = sent.map((message) => {
    const told = foretold.find(
      (other) => names.get(other.leadId) === message.lead && (other.step || null) === message.step,
    );
    return Date.parse(message.at) - (told?.at ?? 0);
  });
  // The engine takes a moment for each, and the next one counts from it.
  expect(Math.min(...late)).toBeGreaterThan(-1000);
  expect(Math.max(...late)).toBeLessThan(120_000);
});

it('says what a change would move, add and drop', async () => {
  await world.clear();
  await world.firsts({ initial_message_send_at: '08:00' });
  await world.pings([{ after_minutes: 60, prepared_message_id: await world.prepared('Hello?') }]);
  await world.moveTo('07:00');
  for (let index = 0; index < 10; index++) await world.fresh(`Lead ${index}`);
  await world.drain();
  const set = await stage();
  const before = play(set, set.settings, 7);
  const told = (proposal: Parameters<typeof proposed>[1]) =>
    compare(before, play(set, proposed(set.stored, proposal, set.from), 7), set.from);
  expect(told({})).toMatchObject({ before: 20, after: 20, moved: 0, added: 0, dropped: 0 });
  expect(told({ pings: null })).toMatchObject({ after: 10, dropped: 10, moved: 0 });
  const { messaging_config: firsts } = set.stored.config;
  if (!firsts) throw new Error('no first messages');
  expect(told({ messaging_config: { ...firsts, whatsapp_daily_limit: 6 } })).toMatchObject({
    moved: 8,
    limits: [{ type: 'whatsapp' }],
  });
  expect(told({ messaging_config: { ...firsts, initial_message_send_at: '12:00' } })).toMatchObject({
    moved: 20,
    at_once: 0,
  });
});

it('knows that several leads may be one person', async () => {
  await world.clear();
  await world.firsts({ initial_message_send_at: '08:00' });
  await world.moveTo('07:00');
  const anna = await world.fresh('Anna');
  const twin = await world.fresh('Twin');
  await world.pool.query('update contacts set contact = $2, address = $2 where id = $1', [
    twin.contactId,
    anna.address,
  ]);
  await world.drain();
  const set = await stage();
  const told = play(set, set.settings, 3);
  expect(told.messages.map((one) => one.leadId)).toEqual([anna.leadId]);
  expect(told.silent).toEqual([{ code: 'person_known', lead: anna.leadId }]);
});

it('says which leads a shorter expiry takes, also those that nobody would have written to', async () => {
  await world.clear();
  const anna = await world.lead('Anna');
  await anna.writes('Hello');
  await world.drain();
  await world.move(2 * DAY);
  const set = await stage();
  const before = play(set, set.settings, 7);
  const told = (hours: number) =>
    compare(before, play(set, proposed(set.stored, { lead_expires_in_hours: hours }, set.from), 7), set.from);
  expect(told(24)).toMatchObject({ dropped: 0, expired_before: 0, expired_after: 1, expired_at_once: 1 });
  expect(told(24 * 5)).toMatchObject({ expired_after: 1, expired_at_once: 0 });
  expect(told(24 * 30)).toMatchObject({ expired_after: 0 });
});
