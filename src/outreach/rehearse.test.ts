/** The rehearsal against the engine: what it predicts is what is sent, message by message. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createOutreachWorld, DAY, type OutreachWorld } from '../testing/outreachWorld.ts';
import { applyProposal, compareRehearsals, loadRehearsalInput, runRehearsal } from './rehearsal.ts';

let world: OutreachWorld;
beforeAll(async () => {
  world = await createOutreachWorld();
});
afterAll(() => world.close());

const ZONES = ['Europe/Moscow', 'America/New_York', 'Asia/Tokyo', 'Pacific/Chatham', 'Europe/London'];

async function loadInput() {
  const input =
    world.app &&
    (await loadRehearsalInput({ reader: world.app.context.reader, hasher: world.app.context.cipher }, world.productId));
  if (!input) throw new Error('no product');
  return input;
}

it('predicts each message of ten days in order and to the minute', async () => {
  await world.setFirstMessages({
    add_interval_seconds: 1800,
    whatsapp_daily_limit: 7,
    tg_daily_limit: 4,
    initial_message_send_at: '05:00',
  });
  await world.setWorkingHours('09:00', '17:00', 'Europe/Moscow');
  const [one, two] = [
    await world.addPreparedMessage('Still there, {{ lead.name }}?'),
    await world.addPreparedMessage('Last call'),
  ];
  await world.setFollowUps([
    { after_minutes: 600, prepared_message_id: one },
    { after_minutes: 2000, prepared_message_id: two },
  ]);
  await world.advanceClockTo('03:00');
  for (let index = 0; index < 25; index++)
    await world.createLead(`Lead ${index}`, {
      messenger: index % 3 === 0 ? 'telegram' : 'whatsapp',
      ...(index % 6 === 5 ? {} : { zone: ZONES[index % ZONES.length] ?? 'UTC' }),
    });
  await world.drain();
  const input = await loadInput();
  const names = new Map(input.leads.map((lead, index) => [lead.id, `Lead ${index}`]));
  const plannedMessages = runRehearsal(input, input.settings, 10).messages;
  expect(plannedMessages.length).toBeGreaterThan(60);
  await world.advanceClock(10 * DAY);
  const sent = await world.sentMessages();
  const describeMessage = (lead: string | undefined, step: number | null) => `${lead} ${step ?? 'first'}`;
  expect(sent.map((message) => describeMessage(message.lead, message.step)).toSorted()).toEqual(
    plannedMessages.map((message) => describeMessage(names.get(message.leadId), message.step || null)).toSorted(),
  );
  const late = sent.map((message) => {
    const result = plannedMessages.find(
      (other) => names.get(other.leadId) === message.lead && (other.step || null) === message.step,
    );
    return Date.parse(message.at) - (result?.at ?? 0);
  });
  // The engine takes a moment for each message, and the next one counts from it.
  expect(Math.min(...late)).toBeGreaterThan(-1000);
  expect(Math.max(...late)).toBeLessThan(120_000);
});

it('reports what a change would move, add and drop', async () => {
  await world.reset();
  await world.setFirstMessages({ initial_message_send_at: '08:00' });
  await world.setFollowUps([{ after_minutes: 60, prepared_message_id: await world.addPreparedMessage('Hello?') }]);
  await world.advanceClockTo('07:00');
  for (let index = 0; index < 10; index++) await world.createLead(`Lead ${index}`);
  await world.drain();
  const input = await loadInput();
  const before = runRehearsal(input, input.settings, 7);
  const result = (proposal: Parameters<typeof applyProposal>[1]) =>
    compareRehearsals(before, runRehearsal(input, applyProposal(input.stored, proposal, input.from), 7), input.from);
  expect(result({})).toMatchObject({ before: 20, after: 20, moved: 0, added: 0, dropped: 0 });
  expect(result({ pings: null })).toMatchObject({ after: 10, dropped: 10, moved: 0 });
  const { messaging_config: firsts } = input.stored.config;
  if (!firsts) throw new Error('no first messages');
  expect(result({ messaging_config: { ...firsts, whatsapp_daily_limit: 6 } })).toMatchObject({
    moved: 8,
    limits: [{ type: 'whatsapp' }],
  });
  expect(result({ messaging_config: { ...firsts, initial_message_send_at: '12:00' } })).toMatchObject({
    moved: 20,
    after_hours: 0,
    at_once: 0,
  });
});

it('treats leads with one address as one contact', async () => {
  await world.reset();
  await world.setFirstMessages({ initial_message_send_at: '08:00' });
  await world.advanceClockTo('07:00');
  const anna = await world.createLead('Anna');
  const twin = await world.createLead('Twin');
  await world.pool.query('update contacts set contact = $2, address = $2 where id = $1', [
    twin.contactId,
    anna.address,
  ]);
  await world.drain();
  const input = await loadInput();
  const result = runRehearsal(input, input.settings, 3);
  expect(result.messages.map((one) => one.leadId)).toEqual([anna.leadId]);
  expect(result.silent).toEqual([{ code: 'person_known', lead: anna.leadId }]);
});

it('reports which leads a shorter expiry ends, also those without planned messages', async () => {
  await world.reset();
  const anna = await world.lead('Anna');
  await anna.writes('Hello');
  await world.drain();
  await world.advanceClock(2 * DAY);
  const input = await loadInput();
  const before = runRehearsal(input, input.settings, 7);
  const result = (hours: number) =>
    compareRehearsals(
      before,
      runRehearsal(input, applyProposal(input.stored, { lead_expires_in_hours: hours }, input.from), 7),
      input.from,
    );
  expect(result(24)).toMatchObject({ dropped: 0, expired_before: 0, expired_after: 1, expired_at_once: 1 });
  expect(result(24 * 5)).toMatchObject({ expired_after: 1, expired_at_once: 0 });
  expect(result(24 * 30)).toMatchObject({ expired_after: 0 });
});
