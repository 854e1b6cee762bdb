/** Which inbound messages are a turn, which are not, and how they affect scheduled messages. */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { editMessage, messages } from '../conversations/contract.ts';
import { changeLeadStage } from '../leads/contract.ts';
import { sendNew } from '../outbox/sendContract.ts';
import type { Client } from '../testing/client.ts';
import { dialogueOf, hookUrl, inboundItem, messagesOf, postHook } from '../testing/messageRows.ts';
import { createOutreachWorld, DAY, HOUR, type OutreachWorld } from '../testing/outreachWorld.ts';
import type { TestLead } from '../testing/world.ts';

const QUESTION = 'How long does delivery take?';
/** Seconds after the lead's last message. */
const DEBOUNCE = 600;

let world: OutreachWorld;
let olga: Client;
beforeAll(async () => {
  world = await createOutreachWorld({ env: { RAPPORT_REPLY_DEBOUNCE_SECONDS: String(DEBOUNCE) } });
  olga = await world.operator('olga');
});
afterAll(() => world.close());
beforeEach(() => world.reset());

/** Receive an inbound message from a lead's chat. */
async function receive(
  from: TestLead,
  text: string,
  more: { daysOld?: number; [field: string]: unknown } = {},
): Promise<void> {
  const { daysOld = 0, ...rest } = more;
  const { rows } = await world.pool.query<{ at: Date }>('select domain_now() - make_interval(days => $1) as at', [
    daysOld,
  ]);
  const dateTime = rows[0]?.at.toISOString();
  await postHook(await hookUrl(world), { messages: [inboundItem(world, from.address, text, { dateTime, ...rest })] });
  await waitUntilProcessed();
}

/** Wait until the inbound items are processed; turns become due only later. */
async function waitUntilProcessed(): Promise<void> {
  await world.waitUntil(async () => {
    const { rows } = await world.pool.query("select 1 from inbox where state = 'new'");
    return rows.length === 0;
  }, 'what came in is worked on');
}

const answers = async (lead: TestLead) => (await lead.sees()).filter((line) => line.startsWith('us: '));
const inHours = async (hours: number): Promise<string> => {
  const { rows } = await world.pool.query<{ at: Date }>('select domain_now() + make_interval(hours => $1) as at', [
    hours,
  ]);
  return rows[0]?.at.toISOString() ?? '';
};

/** Messages that are not a turn: the bot has nothing to answer. */
const NOT_A_TURN = [
  ['a missed call', { type: 'missing_call', text: null }],
  ['a notice of the messenger', { type: 'system', text: null }],
  ['something that cannot be shown', { type: 'unsupported', text: null }],
  ['words that are a day old', { daysOld: 2 }],
] as const;

describe.each(NOT_A_TURN)('%s after a question', (_name, more) => {
  it('leaves the due answer to the bot, and needs no person', async () => {
    const anna = await world.lead('Anna');
    await receive(anna, QUESTION);
    await receive(anna, 'old words', more);
    expect(await dialogueOf(world, anna)).toMatchObject({ owner: 'bot', turn_is_due: true, no_answer: null });
    await world.advanceClock(2 * DEBOUNCE);
    expect(await answers(anna)).toHaveLength(1);
  });

  it('does not cancel an answer that waits for working hours', async () => {
    await world.setWorkingHours('09:00', '18:00');
    await world.advanceClockTo('20:00');
    const boris = await world.lead('Boris');
    await receive(boris, QUESTION);
    await world.advanceClock(2 * DEBOUNCE);
    expect((await messagesOf(world, boris, 'bot')).map(({ status }) => status)).toEqual(['scheduled']);
    await receive(boris, 'old words', more);
    await world.advanceClockTo('10:00');
    expect(await answers(boris)).toHaveLength(1);
  });
});

it("changes neither stage nor owner on a messenger's notice", async () => {
  for (const stage of ['started', 'refused']) {
    const anna = await world.lead('Anna', { stage });
    await receive(anna, '', { type: 'system', text: null });
    expect([await world.stageOf(anna.leadId), (await dialogueOf(world, anna)).owner]).toEqual([stage, 'bot']);
  }
});

it('does not hand over on an outgoing notice', async () => {
  const anna = await world.lead('Anna');
  await receive(anna, '', { type: 'system', text: null, isEcho: true, status: 'sent' });
  expect((await dialogueOf(world, anna)).owner).toBe('bot');
});

it('keeps follow-ups on a notice, and stops them on a call', async () => {
  await world.setFollowUps([
    { after_minutes: 60, prepared_message_id: await world.addPreparedMessage('Still there?') },
  ]);
  const [anna, boris] = [await world.lead('Anna'), await world.lead('Boris')];
  for (const lead of [anna, boris]) await receive(lead, QUESTION);
  await world.advanceClock(2 * DEBOUNCE);
  await receive(anna, '', { type: 'system', text: null });
  await receive(boris, '', { type: 'missing_call', text: null });
  await world.advanceClock(3 * HOUR);
  expect((await anna.sees()).at(-1)).toBe('us: Still there?');
  expect(await answers(boris)).toHaveLength(1);
});

it('cancels every queued message on an opt-out', async () => {
  const anna = await world.lead('Anna');
  const body = {
    contact_id: anna.contactId,
    channel_id: world.whatsapp.id,
    prepared_message_id: await world.addPreparedMessage('Our offer', 'initial'),
    send_not_before: await inHours(5),
  };
  expect((await olga.call(sendNew, { body })).status).toBe(201);
  await receive(anna, 'Unsubscribe me');
  await world.advanceClock(6 * HOUR);
  expect((await messagesOf(world, anna, 'bot')).map(({ status, reason }) => [status, reason])).toEqual([
    ['cancelled', 'The lead opted out'],
  ]);
  expect(await answers(anna)).toEqual([]);
});

it("hands over on success and cancels the bot's queued messages", async () => {
  await world.setWorkingHours('09:00', '18:00');
  await world.advanceClockTo('20:00');
  const anna = await world.lead('Anna', { stage: 'ongoing' });
  await receive(anna, QUESTION);
  await world.advanceClock(2 * DEBOUNCE);
  const moved = await olga.call(changeLeadStage, { params: { id: anna.leadId }, query: { new_stage: 'success' } });
  expect(moved.status).toBe(200);
  expect(await dialogueOf(world, anna)).toMatchObject({ owner: 'human', owner_reason: 'qualified' });
  await world.advanceClockTo('10:00');
  expect(await answers(anna)).toEqual([]);
});

describe("an operator's message", () => {
  const write = (lead: TestLead, message: string, more: object = {}) =>
    olga.call(messages.create, {
      body: { product_id: world.productId, contact_id: lead.contactId, message, schedule_enabled: false, ...more },
    });

  it('does not go between the parts of a text being sent', async () => {
    await world.pool.query('update product_channels set delay_messages_seconds = 600 where channel_id = $1', [
      world.whatsapp.id,
    ]);
    const anna = await world.lead('Anna');
    await write(anna, 'one\n\ntwo');
    await world.advanceClock(700);
    expect(await answers(anna)).toEqual(['us: one']);
    await write(anna, 'between', { delay_enabled: false });
    await world.advanceClock(700);
    expect(await answers(anna)).toEqual(['us: one', 'us: two', 'us: between']);
    await world.pool.query('update product_channels set delay_messages_seconds = null');
  });

  it('keeps its new time when working hours change later', async () => {
    await world.setWorkingHours('09:00', '18:00');
    await world.advanceClockTo('20:00');
    const anna = await world.lead('Anna');
    await write(anna, 'later', { schedule_enabled: true, delay_enabled: false });
    await world.drain();
    const [row] = await messagesOf(world, anna, 'bot');
    if (!row) throw new Error('a message');
    const at = await inHours(40);
    expect((await olga.call(editMessage, { params: { id: row.id }, body: { scheduled_at: at } })).status).toBe(200);
    await world.setWorkingHours('08:00', '18:00');
    await world.advanceClockTo('12:00');
    expect(await answers(anna)).toEqual([]);
    await world.advanceClock(DAY + 600);
    expect(await answers(anna)).toEqual(['us: later']);
  });

  it("keeps its prompt, and refuses another product's prompt", async () => {
    const anna = await world.lead('Anna');
    const id = await world.addPrompt('Ask about the size.');
    expect((await write(anna, 'How large is it?', { prompt_id: id })).status).toBe(201);
    const { rows } = await world.pool.query(
      'select prompt_id::int as id, prompt_name as name from messages where side = $1',
      ['bot'],
    );
    expect(rows).toEqual([{ id, name: 'Nudge' }]);
    await world.pool.query(
      `with other as (insert into products (company_id, name) select company_id, 'Other' from products where id = $2 returning id)
       update prompts set product_id = other.id from other where prompts.id = $1`,
      [id, world.productId],
    );
    expect((await write(anna, 'How large?', { prompt_id: id })).status).toBe(409);
  });

  it("is refused on another messenger than the contact's", async () => {
    const anna = await world.lead('Anna', { messenger: 'telegram', dialogue: false });
    const body = { contact_id: anna.contactId, channel_id: world.whatsapp.id, text: 'Hello' };
    expect(await olga.call(sendNew, { body })).toMatchObject({
      status: 409,
      body: { detail: 'This contact uses telegram; the channel is for another messenger.' },
    });
  });
});
