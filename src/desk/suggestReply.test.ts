import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { type AcceptedMessages, messages, setOwner } from '../conversations/contract.ts';
import type { Client } from '../testing/client.ts';
import { countModelCalls, messagesOf } from '../testing/messageRows.ts';
import { createWorld, type TestLead, type World } from '../testing/world.ts';
import { suggestReply } from './contract.ts';

const QUESTION = 'How long does delivery take?';
let world: World;
let anna: Client;
beforeAll(async () => {
  world = await createWorld();
  anna = await world.operator('anna', [world.companyId]);
});
afterAll(() => world.close());
afterEach(async () => {
  await world.control.setFaults([]);
  await world.control.changeSettings({ llm: { msPerToken: 0 } });
  await world.pool.query('update companies set llm_daily_budget = null');
});

/** A lead who has written in a dialogue that a person has. */
async function waitingLead(name: string): Promise<TestLead> {
  const lead = await world.lead(name);
  await anna.call(setOwner, { params: { id: await lead.dialogueId() }, body: { owner: 'human' } });
  await lead.writes(QUESTION);
  await world.waitUntil(async () => (await messagesOf(world, lead)).length === 1, `${name} has written`);
  return lead;
}

const suggest = async (lead: TestLead, client = anna) =>
  client.call(suggestReply, { params: { id: await lead.dialogueId() } });

async function send(lead: TestLead, more: object) {
  return anna.call(messages.create, {
    body: {
      product_id: world.productId,
      contact_id: lead.contactId,
      dialogue_id: await lead.dialogueId(),
      message: 'Four weeks, as a rule.',
      delay_enabled: false,
      schedule_enabled: false,
      ...more,
    },
  });
}

async function runsOf(lead: TestLead) {
  const { rows } = await world.pool.query<{ id: number; message_id: number | null; cost: string | null }>(
    'select id::int, message_id::int, cost from llm_runs where dialogue_id = $1 order by id',
    [await lead.dialogueId()],
  );
  return rows;
}

it('drafts a reply and sends nothing; the message that is sent names the prompt and model of its draft', async () => {
  const lead = await waitingLead('Drafted');
  const { status, body } = await suggest(lead);
  expect(status).toBe(200);
  const draft = body as { text: string; run_id: number };
  expect(draft.text).not.toBe('');
  expect(await messagesOf(world, lead, 'bot')).toEqual([]);
  expect(await runsOf(lead)).toMatchObject([{ id: draft.run_id, message_id: null, cost: expect.any(String) }]);

  const sent = await send(lead, { draft_run_id: draft.run_id });
  expect(sent.status).toBe(201);
  const [message] = (sent.body as AcceptedMessages).messages;
  expect(message).toMatchObject({
    author: 'operator',
    operator: 'anna',
    prompt_id: expect.any(Number),
    prompt_version: 1,
    model_name: expect.any(String),
  });
  expect(await runsOf(lead)).toMatchObject([{ message_id: message?.id }]);
});

it('belongs to the first message that is sent with it, and to no other', async () => {
  const lead = await waitingLead('Sent twice');
  const { run_id: runId } = (await suggest(lead)).body as { run_id: number };
  const sent = await Promise.all([send(lead, { draft_run_id: runId }), send(lead, { draft_run_id: runId })]);
  expect(sent.map(({ status }) => status)).toEqual([201, 201]);
  const ours = sent.flatMap(({ body }) => (body as AcceptedMessages).messages).sort((a, b) => a.id - b.id);
  expect(ours.map(({ model_name: model }) => model !== null)).toEqual([true, false]);
  expect(await runsOf(lead)).toMatchObject([{ message_id: ours[0]?.id }]);
});

it('refuses a draft of another dialogue, and queues nothing', async () => {
  const [one, other] = [await waitingLead('One'), await waitingLead('Other')];
  const { body } = await suggest(one);
  const refused = await send(other, { draft_run_id: (body as { run_id: number }).run_id });
  expect(refused.status).toBe(409);
  expect(await messagesOf(world, other, 'bot')).toEqual([]);
});

it('asks no model where we wrote last, or with a spent budget', async () => {
  const [answered, waiting] = [await waitingLead('Answered'), await waitingLead('Waiting')];
  await send(answered, {});
  await world.waitUntil(
    async () => /sent|delivered|read/.test((await messagesOf(world, answered, 'bot'))[0]?.status ?? ''),
    'the answer is sent',
  );
  const before = await countModelCalls(world);
  expect((await suggest(answered)).status).toBe(409);
  await world.pool.query('update companies set llm_daily_budget = 0');
  const refused = await suggest(waiting);
  expect(refused.status).toBe(503);
  expect(refused.body).toMatchObject({ detail: expect.stringMatching(/budget/) });
  expect(await countModelCalls(world)).toBe(before);
});

it('gives nothing to an operator who lost access while the model wrote, and counts the cost', async () => {
  const lead = await waitingLead('Revoked');
  const boris = await world.operator('boris', [world.companyId]);
  await world.control.setFaults([{ kind: 'openai.says', says: 'Delivery takes four weeks.' }]);
  await world.control.changeSettings({ llm: { msPerToken: 120 } });
  const asked = suggest(lead, boris);
  await world.waitUntil(async () => (await world.control.quiet()).streams === 1, 'the model writes');
  await world.pool.query(
    "delete from operator_companies where operator_id = (select id from operators where login = 'boris')",
  );
  expect((await asked).status).toBe(404);
  expect(await runsOf(lead)).toHaveLength(1);
});
