/** Leads whom nobody would answer: people must see them. */
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { answerAgain } from '../conversations/answerContract.ts';
import { messages, setOwner } from '../conversations/contract.ts';
import { sendNew } from '../outbox/sendContract.ts';
import type { Client } from '../testing/client.ts';
import { dialogueOf, hookUrl, inboundItem, messagesOf, postHook } from '../testing/messageRows.ts';
import { createWorld, type TestLead, type World } from '../testing/world.ts';
import { type InboxRow, listInbox, markDone, setReturn, snoozeDialogue } from './contract.ts';

const QUESTION = 'How long does delivery take?';
const HOUR_MS = 3_600_000;
let world: World;
let anna: Client;
beforeAll(async () => {
  world = await createWorld();
  anna = await world.operator('anna', [world.companyId]);
});
afterEach(() => world.control.setFaults([]));
afterAll(() => world.close());

async function needsMe(lead: TestLead): Promise<InboxRow | undefined> {
  const { body } = await anna.call(listInbox, { query: { view: 'needs_me' } });
  return (body as { items: InboxRow[] }).items.find((row) => row.lead_name === lead.name);
}

const appears = (lead: TestLead): Promise<void> =>
  world.waitUntil(async () => (await needsMe(lead)) !== undefined, `${lead.name} needs a person`);

const paramsOf = async (lead: TestLead) => ({ params: { id: await lead.dialogueId() } });

const give = async (lead: TestLead, owner: 'bot' | 'human') =>
  anna.call(setOwner, { ...(await paramsOf(lead)), body: { owner } });

/** Receive something from a lead that the emulated phone cannot write. */
async function receive(from: TestLead, text: string, more: { hoursOld?: number; type?: string }): Promise<void> {
  const { hoursOld = 0, ...rest } = more;
  const dateTime = new Date(Date.now() - hoursOld * HOUR_MS).toISOString();
  const item = inboundItem(world, from.address, text, { dateTime, ...rest });
  await postHook(await hookUrl(world), { messages: [item] });
}

const send = async (lead: TestLead, text: string, more: object = {}) =>
  anna.call(messages.create, {
    body: {
      product_id: world.productId,
      contact_id: lead.contactId,
      dialogue_id: await lead.dialogueId(),
      message: text,
      delay_enabled: false,
      schedule_enabled: false,
      ...more,
    },
  });

const remove = (id: number | undefined) => anna.fetch(`/v1/messages/${id}`, { method: 'DELETE' });
const inHours = (hours: number): string => new Date(Date.now() + hours * HOUR_MS).toISOString();

const SILENT = [
  ['words that are more than a day old', { hoursOld: 25 }, 'the message is more than a day old'],
  ['a call', { type: 'missing_call' }, 'the lead called'],
  ['what cannot be shown', { type: 'unsupported' }, 'the message cannot be shown here. Look at the phone'],
] as const;

describe.each(SILENT)('%s in a dialogue of the bot', (name, more, reason) => {
  it('needs a person until the bot answers a later message', async () => {
    const lead = await world.lead(`Silent ${name}`);
    await lead.writes(QUESTION);
    await world.drain();
    await receive(lead, 'old words', more);
    await appears(lead);
    expect(await needsMe(lead)).toMatchObject({
      owner: 'bot',
      attention: { state: 'no_answer' },
      no_answer: `No answer: ${reason}`,
    });
    await lead.writes('And what does it cost?');
    await world.drain();
    expect(await needsMe(lead)).toBeUndefined();
  });

  it('needs nobody when a person has the dialogue in hand, or has seen it', async () => {
    const lead = await world.lead(`Seen ${name}`);
    await receive(lead, 'old words', more);
    await appears(lead);
    await anna.call(markDone, await paramsOf(lead));
    expect(await needsMe(lead)).toBeUndefined();
    expect(await dialogueOf(world, lead)).toMatchObject({ no_answer: null });
  });
});

describe('a dialogue that the bot gets back', () => {
  it('still needs a person if the lead has waited for longer than the bot answers, and the bot can be asked', async () => {
    const lead = await world.lead('Returned too late');
    await give(lead, 'human');
    await receive(lead, QUESTION, { hoursOld: 30 });
    await appears(lead);
    const target = await paramsOf(lead);
    await anna.call(setReturn, { ...target, body: { hours: 24 } });
    await world.pool.query("update dialogues set human_at = human_at - interval '24 hours' where id = $1", [
      target.params.id,
    ]);
    await world.waitUntil(async () => (await dialogueOf(world, lead)).owner === 'bot', 'the bot has it');
    await world.drain();
    expect(await needsMe(lead)).toMatchObject({ no_answer: 'No answer: the message is more than a day old' });
    expect(await messagesOf(world, lead, 'bot')).toEqual([]);
    await anna.call(answerAgain, target);
    await world.drain();
    expect(await needsMe(lead)).toBeUndefined();
    expect((await lead.sees()).at(-1)).toContain('six weeks');
  });

  it('needs nobody if the lead was answered', async () => {
    const lead = await world.lead('Answered in between');
    await give(lead, 'human');
    await receive(lead, QUESTION, { hoursOld: 30 });
    await appears(lead);
    await send(lead, 'Six weeks.');
    await give(lead, 'bot');
    await world.drain();
    expect(await needsMe(lead)).toBeUndefined();
  });
});

describe('a message that the lead does not get', () => {
  it('ends a snooze when it fails', async () => {
    const lead = await world.lead('Snoozed too early');
    await give(lead, 'human');
    await world.control.setFaults([{ kind: 'wazzup24.refuse', times: 1 }]);
    await send(lead, 'Six weeks.', { send_not_before: inHours(1) });
    await anna.call(snoozeDialogue, { ...(await paramsOf(lead)), body: {} });
    await world.pool.query('update messages set scheduled_at = now() where contact_id = $1', [lead.contactId]);
    await appears(lead);
    expect(await needsMe(lead)).toMatchObject({ attention: { state: 'send_failed' }, snoozed_until_reply: false });
  });

  it('leaves the lead waiting when it is removed', async () => {
    const lead = await world.lead('Removed');
    await give(lead, 'human');
    await lead.writes(QUESTION);
    await appears(lead);
    await world.control.setFaults([{ kind: 'wazzup24.refuse', times: 1 }]);
    await send(lead, 'Six weeks.');
    await world.waitUntil(async () => (await needsMe(lead))?.attention?.state === 'send_failed', 'it fails');
    await remove((await messagesOf(world, lead, 'bot'))[0]?.id);
    expect(await needsMe(lead)).toMatchObject({ attention: { state: 'waiting_for_human' } });
  });

  it('leaves the lead waiting when it is cancelled after the sentence of a hand-over', async () => {
    await world.pool.query(
      "update products set hand_over = true, hand_over_text = 'One moment, a colleague will answer you here.'",
    );
    const lead = await world.lead('Promised');
    await lead.writes('Can I talk to a manager?');
    await world.drain();
    expect((await lead.sees()).at(-1)).toContain('a colleague');
    expect(await needsMe(lead)).toMatchObject({ attention: { state: 'asked_for_human' } });
    await send(lead, 'Tomorrow.', { send_not_before: inHours(1) });
    expect(await needsMe(lead)).toBeUndefined();
    await remove((await messagesOf(world, lead, 'bot')).at(-1)?.id);
    expect(await needsMe(lead)).toMatchObject({ attention: { state: 'waiting_for_human' } });
    await world.pool.query("update products set hand_over = false, hand_over_text = ''");
  });

  it('is answered by the bot when it was to leave the bot in charge', async () => {
    const lead = await world.lead('Kept by the bot');
    await world.control.setFaults([{ kind: 'openai.slow', ms: 60, times: 1 }]);
    await lead.writes(QUESTION);
    await world.waitUntil(async () => (await world.control.quiet()).streams > 0, 'the model is asked');
    await send(lead, 'Tomorrow.', { keep_bot: true, send_not_before: inHours(1) });
    await world.drain();
    expect(await lead.sees()).toEqual([`lead: ${QUESTION}`]);
    await remove((await messagesOf(world, lead, 'bot'))[0]?.id);
    await world.drain();
    expect((await lead.sees()).at(-1)).toContain('six weeks');
  });
});

it('needs nobody once a person has sent what the team has prepared', async () => {
  const lead = await world.lead('Prepared');
  await world.control.setFaults([{ kind: 'openai.unauthorized', times: 1 }]);
  await lead.writes(QUESTION);
  await appears(lead);
  await world.control.setFaults([]);
  const { rows } = await world.pool.query<{ id: string }>(
    "insert into prepared_messages (product_id, name, type, message) values ($1, 'Delivery', 'ping', 'Six weeks.') returning id",
    [world.productId],
  );
  const body = { contact_id: lead.contactId, channel_id: world.whatsapp.id, prepared_message_id: Number(rows[0]?.id) };
  expect((await anna.call(sendNew, { body })).status).toBe(201);
  expect(await needsMe(lead)).toBeUndefined();
  expect(await dialogueOf(world, lead)).toMatchObject({ owner: 'bot', no_answer: null });
});
