/** Finding dialogues and messages, and who may submit messages. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { receiveWebhook } from '../inbox/chatbotContract.ts';
import { prompts } from '../prompts/contract.ts';
import type { Client } from '../testing/client.ts';
import { type CompanyRowIds, createCompanyWithEveryResource } from '../testing/everyResource.ts';
import { createWorld, type World } from '../testing/world.ts';
import { type Dialogue, dialogues, type Message, messages } from './contract.ts';
import { runsOfMessage } from './runsContract.ts';

let world: World;
let admin: Client;
let member: Client;
let foreign: CompanyRowIds;
beforeAll(async () => {
  world = await createWorld({ env: { RAPPORT_ROLES: 'web' } });
  admin = await world.operator('root');
  member = await world.operator('mary', [world.companyId]);
  foreign = await createCompanyWithEveryResource(world.pool, 'Amber');
});
afterAll(() => world.close());

/** Add two messages of the bot to a lead: a first message, and one that quotes it. */
async function addAnswers(
  name: string,
  promptId: number | null,
): Promise<{ dialogueId: number; ids: [number, number] }> {
  const lead = await world.lead(name, { stage: 'pending' });
  const dialogueId = await lead.dialogueId();
  const insert = async (origin: string | null, quoted: number | null) => {
    const { rows } = await world.pool.query<{ id: string }>(
      `insert into messages (product_id, contact_id, dialogue_id, channel_id, message, side, author, status, origin, reply_on_msg_id, prompt_id)
       values ($1, $2, $3, $4, 'Hello', 'bot', 'bot', 'sent', $5, $6, $7) returning id`,
      [world.productId, lead.contactId, dialogueId, world.whatsapp.id, origin, quoted, promptId],
    );
    return Number(rows[0]?.id);
  };
  const first = await insert('first', null);
  return { dialogueId, ids: [first, await insert(null, first)] };
}

const idsOf = (answer: { body: unknown }): number[] =>
  (answer.body as { items: (Message | Dialogue)[] }).items.map((item) => item.id);
const find = (query: object, by = member) => by.call(messages.list, { query });

it("filters messages by origin and quoted message, and dialogues by the lead's stage", async () => {
  const { dialogueId, ids } = await addAnswers('Anna', null);
  expect(idsOf(await find({ dialogue_id: [dialogueId], origin: ['first'] }))).toEqual([ids[0]]);
  expect(idsOf(await find({ reply_on_msg_id: [ids[0]] }))).toEqual([ids[1]]);
  expect((await find({ reply_on_msg_id: [999_999] })).status).toBe(404);
  const pending = await member.call(dialogues.list, { query: { lead_stage: ['pending'] } });
  expect(idsOf(pending)).toEqual([dialogueId]);
  const none = await member.call(dialogues.list, { query: { lead_stage: ['success'] } });
  expect(idsOf(none)).toEqual([]);
});

it('filters messages by a deleted prompt, and answers 404 for an unknown or foreign one', async () => {
  const body = { product_id: world.productId, name: 'Short-lived', type: 'ping' as const, text: 'Hello' };
  const { id } = (await admin.call(prompts.create, { body })).body as { id: number };
  expect(idsOf(await find({ prompt_id: [id] }))).toEqual([]);
  const { ids } = await addAnswers('Boris', id);
  expect((await admin.call(prompts.remove, { params: { id } })).status).toBe(204);
  expect(idsOf(await find({ prompt_id: [id], order: 'asc' }))).toEqual(ids);
  for (const field of ['prompt_id', 'prepared_message_id', 'ping_config_id'])
    expect([field, (await find({ [field]: [999_999] })).status]).toEqual([field, 404]);
  expect((await find({ prompt_id: [id, 999_999] })).status).toBe(404);
  expect((await find({ prompt_id: [foreign['prompt'] ?? 0] })).status).toBe(404);
  expect((await find({ prompt_id: [foreign['prompt'] ?? 0] }, admin)).status).toBe(200);
});

it('lists the runs behind a message by page in either order', async () => {
  const { ids } = await addAnswers('Clara', null);
  for (const name of ['one', 'two', 'three'])
    await world.pool.query(
      `insert into llm_runs (product_id, message_id, name, purpose, model_name, model_vendor, execution_ms) values ($1, $2, $3, 'chatbot', 'm', 'chatgpt', 5)`,
      [world.productId, ids[0], name],
    );
  const names = async (query: object) => {
    const answer = await member.call(runsOfMessage, { params: { id: ids[0] }, query });
    return (answer.body as { items: { name: string }[] }).items.map((item) => item.name);
  };
  expect(await names({})).toEqual(['three', 'two', 'one']);
  expect(await names({ order: 'asc', limit: 2 })).toEqual(['one', 'two']);
  expect(await names({ order: 'asc', limit: 2, page: 2 })).toEqual(['three']);
  expect(await names({ created_to: '2020-01-01' })).toEqual([]);
});

it('refuses messages from a member where another company has a channel of the account', async () => {
  const lead = await world.lead('Dora');
  const submit = (by: Client, channel_id: number | string) => {
    const item = { chat_id: lead.address, message: 'Hello', message_id: `${channel_id}`, status: 'inbound' as const };
    return by.call(receiveWebhook, { body: { channel_id, messages: [item] } });
  };
  // Another company's channel of the same account: the account's ids refer to its messages too.
  for (const channel of [world.whatsapp.id, foreign['channel'] ?? 0, 999_999, world.whatsapp.ref])
    expect([channel, (await submit(member, channel)).status]).toEqual([channel, 404]);
  // Without the link, it still belongs to the other company.
  await world.pool.query('delete from product_channels where channel_id = $1', [foreign['channel']]);
  expect((await submit(member, world.whatsapp.id)).status).toBe(404);
  expect(await submit(admin, world.whatsapp.id)).toMatchObject({ status: 200, body: { accepted: 1 } });
  const { rows } = await world.pool.query('select channel_id::int from inbox where chat_id = $1', [lead.address]);
  expect(rows).toEqual([{ channel_id: world.whatsapp.id }]);
});

it('accepts numeric ids and times in seconds in a webhook', async () => {
  const submit = (more: object) => {
    const item = { chat_id: 79001112233, message: 'Hello', message_id: 4711, status: 'inbound' as const, ...more };
    return admin.call(receiveWebhook, { body: { channel_id: world.whatsapp.id, messages: [item] } });
  };
  expect(await submit({ sent_at: 1_790_000_000 })).toMatchObject({ status: 200, body: { accepted: 1 } });
  const { rows } = await world.pool.query(
    "select chat_id, item ->> 'occurredAt' as at from inbox where ext_id = '4711'",
  );
  expect(rows).toEqual([{ chat_id: '79001112233', at: new Date(1_790_000_000_000).toISOString() }]);
  expect(await submit({ chat_id: 1.5 })).toMatchObject({ status: 422 });
});

it('searches dialogues by message text and returns the words around it', async () => {
  const addMessages = async (name: string, ...texts: string[]) => {
    const lead = await world.lead(name);
    for (const message of texts)
      await world.pool.query(
        `insert into messages (product_id, contact_id, dialogue_id, channel_id, message, side, author, status)
         values ($1, $2, $3, $4, $5, 'user', 'lead', 'inbound')`,
        [world.productId, lead.contactId, await lead.dialogueId(), world.whatsapp.id, message],
      );
  };
  await addMessages('Eva Search', 'Hello there', 'Do you deliver the larchwood cabinet to Tromsø?', 'Thank you');
  await addMessages('Otto Search', 'Nothing of the kind');
  const find = async (search: string) => {
    const { status, body } = await member.call(dialogues.list, { query: { search, product_id: [world.productId] } });
    expect(status).toBe(200);
    return body as { total: number; items: { lead_name: string; found?: string | null }[] };
  };
  const found = await find('LARCHWOOD  cab');
  expect(found).toMatchObject({ total: 1, items: [{ lead_name: 'Eva Search' }] });
  expect(found.items[0]?.found).toContain('deliver the larchwood cabinet to Tromsø');
  // A match by name, and searches without a match.
  expect(await find('otto')).toMatchObject({ total: 1, items: [{ lead_name: 'Otto Search', found: null }] });
  expect((await find('larchwood otto')).total).toBe(0);
  expect((await find('?!')).total).toBe(0);
  expect((await find('')).items[0]).not.toHaveProperty('found');
});
