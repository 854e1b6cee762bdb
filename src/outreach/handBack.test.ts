/** Handing a dialogue back to the bot: what the preview says is what happens, and an operator may have it stay silent. */
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { setOwner } from '../conversations/contract.ts';
import type { Client } from '../testing/client.ts';
import { createOutreachWorld, DAY, HOUR, type OutreachWorld } from '../testing/outreachWorld.ts';
import type { TestLead } from '../testing/world.ts';
import { readHandBack } from './handBackContract.ts';

let world: OutreachWorld;
let operator: Client;
beforeAll(async () => {
  world = await createOutreachWorld();
  operator = await world.operator();
});
afterAll(() => world.close());
beforeEach(() => world.reset());

/** Create a lead whose dialogue people own, and who has written at a time of the day (UTC). */
async function waitingLead(time: string, options: { zone?: string } = {}): Promise<TestLead> {
  const anna = await world.lead('Anna', { stage: 'ongoing' });
  if (options.zone) await world.pool.query('update leads set timezone = $2 where id = $1', [anna.leadId, options.zone]);
  await world.advanceClockTo(time);
  await anna.writes('Hello');
  await world.drain();
  await change(anna, { owner: 'human' });
  await anna.writes('How much is a kitchen?');
  await world.drain();
  return anna;
}

const change = async (lead: TestLead, body: { owner: 'bot' | 'human'; stay_silent?: boolean }) => {
  const answer = await operator.call(setOwner, { params: { id: await lead.dialogueId() }, body });
  expect(answer.status).toBe(200);
  return answer.body as { attention: unknown; no_answer: string | null; owner: string };
};
const previewOf = async (lead: TestLead) =>
  (await operator.call(readHandBack, { params: { id: await lead.dialogueId() } })).body;
const sinceHandOver = async (lead: TestLead) => (await lead.sees()).slice(3);

it('says that the bot answers now, with the words and the time there, and it does', async () => {
  const anna = await waitingLead('22:56', { zone: 'Europe/Riga' });
  const preview = await previewOf(anna);
  expect(preview).toMatchObject({
    answer: 'now',
    message: 'How much is a kitchen?',
    why: null,
    zone: 'Europe/Riga',
    own_zone: true,
  });
  await change(anna, { owner: 'bot' });
  await world.drain();
  expect(await sinceHandOver(anna)).toHaveLength(1);
  expect(await previewOf(anna)).toMatchObject({ answer: 'none', why: 'nothing', message: null });
});

it('says when working hours begin, and the answer waits for them', async () => {
  await world.setWorkingHours('09:00', '18:00', 'UTC');
  const anna = await waitingLead('22:56');
  const preview = await previewOf(anna);
  expect(preview).toMatchObject({ answer: 'later', zone: 'UTC', own_zone: false });
  expect((preview as { at: string }).at.slice(11, 16)).toBe('09:00');
  await change(anna, { owner: 'bot' });
  await world.advanceClockTo('08:50');
  const written = ['lead: Hello', 'lead: How much is a kitchen?'];
  expect(await anna.sees()).toEqual(written);
  await world.advanceClockTo('09:10');
  expect((await anna.sees()).slice(written.length)).toHaveLength(1);
});

it('answers at any hour where the product does', async () => {
  await world.setWorkingHours('09:00', '18:00', 'UTC');
  await world.pool.query("update products set reply_hours = 'any'");
  const anna = await waitingLead('22:56');
  expect(await previewOf(anna)).toMatchObject({ answer: 'now' });
  await world.pool.query("update products set reply_hours = 'working'");
});

it('stays silent when told so, needs nobody, and answers the next message', async () => {
  const anna = await waitingLead('12:00');
  const after = await change(anna, { owner: 'bot', stay_silent: true });
  expect(after).toMatchObject({ owner: 'bot', attention: null, no_answer: null });
  await world.advanceClock(HOUR);
  expect(await sinceHandOver(anna)).toEqual([]);
  // Nothing is owed for what was closed, however often the dialogue changes hands.
  await change(anna, { owner: 'human' });
  expect(await previewOf(anna)).toMatchObject({ answer: 'none', why: 'nothing' });
  await change(anna, { owner: 'bot' });
  await world.advanceClock(HOUR);
  expect(await sinceHandOver(anna)).toEqual([]);
  await anna.writes('And when?');
  await world.drain();
  expect(await sinceHandOver(anna)).toHaveLength(2);
});

it('lets a lead expire after its hours of silence when it was closed without an answer', async () => {
  await world.setFirstMessages({}, { lead_expires_in_hours: 24 });
  const anna = await waitingLead('12:00');
  await world.advanceClock(20 * HOUR);
  await change(anna, { owner: 'bot', stay_silent: true });
  await world.advanceClock(23 * HOUR);
  expect(await world.stageOf(anna.leadId)).toBe('ongoing');
  await world.advanceClock(2 * HOUR);
  expect(await world.stageOf(anna.leadId)).toBe('ignore');
});

it('says why there is no answer', async () => {
  const anna = await waitingLead('12:00');
  await world.advanceClock(DAY + HOUR);
  expect(await previewOf(anna)).toMatchObject({ answer: 'none', why: 'late', message: 'How much is a kitchen?' });
  // Left to the bot, a person still has to see it; closed, nobody has.
  const left = await change(anna, { owner: 'bot' });
  expect(left).toMatchObject({ attention: { state: 'no_answer' } });
  await change(anna, { owner: 'human' });
  expect(await change(anna, { owner: 'bot', stay_silent: true })).toMatchObject({ attention: null });

  const boris = await waitingLead('12:00');
  await world.pool.query('update leads set is_active = false where id = $1', [boris.leadId]);
  expect(await previewOf(boris)).toMatchObject({ answer: 'none', why: 'inactive' });
});
