/** Leads whom the bot may not write to, and who write: people must see them. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { answerAgain } from '../conversations/answerContract.ts';
import { dialogues, setOwner } from '../conversations/contract.ts';
import { deactivateLead } from '../leads/contract.ts';
import type { Client } from '../testing/client.ts';
import { countModelCalls, dialogueOf, messagesOf } from '../testing/messageRows.ts';
import { createWorld, type TestLead, type World } from '../testing/world.ts';
import { type InboxRow, listInbox } from './contract.ts';

const QUESTION = 'How long does delivery take?';
let world: World;
let admin: Client;
beforeAll(async () => {
  world = await createWorld();
  admin = await world.operator('olga');
});
afterAll(() => world.close());

async function needsMe(lead: TestLead): Promise<InboxRow | undefined> {
  const { body } = await admin.call(listInbox, { query: { view: 'needs_me' } });
  return (body as { items: InboxRow[] }).items.find((row) => row.lead_name === lead.name);
}

const deactivate = (lead: TestLead) => admin.call(deactivateLead, { params: { id: lead.leadId } });

/** Set a column of the lead's product or of the lead, as an operator would. */
const setActive = (table: 'leads' | 'products', id: number, isActive: boolean) =>
  world.pool.query(`update ${table} set is_active = $2 where id = $1`, [id, isActive]);

it('shows a deactivated lead who writes, and the bot stays silent', async () => {
  const lead = await world.lead('Deactivated');
  await deactivate(lead);
  const calls = await countModelCalls(world);
  await lead.writes(QUESTION);
  await world.waitUntil(async () => (await needsMe(lead)) !== undefined, 'people see it');
  await world.drain();
  expect(await needsMe(lead)).toMatchObject({
    owner: 'bot',
    attention: { state: 'no_answer' },
    no_answer: 'No answer: the lead was deactivated',
  });
  expect(await countModelCalls(world)).toBe(calls);
  expect(await messagesOf(world, lead, 'bot')).toEqual([]);
  // It is no failure of the bot that could be retried with the others.
  const { body } = await admin.call(dialogues.list, { query: { unanswered: [true] } });
  expect((body as { items: { lead_name: string }[] }).items).toEqual([]);

  // The bot cannot answer it on request either, until the lead is active again.
  const params = { id: await lead.dialogueId() };
  await admin.call(answerAgain, { params });
  await world.drain();
  expect(await needsMe(lead)).toMatchObject({ no_answer: 'No answer: the lead was deactivated' });
  await setActive('leads', lead.leadId, true);
  await admin.call(answerAgain, { params });
  await world.drain();
  expect(await needsMe(lead)).toBeUndefined();
  expect((await lead.sees()).at(-1)).toContain('six weeks');
});

it('shows a lead who had opted out and writes again, but not one who repeats it', async () => {
  const lead = await world.lead('Opted out');
  await lead.writes('Stop writing to me');
  await world.drain();
  expect(await needsMe(lead)).toBeUndefined();
  await lead.writes('Stop writing to me!');
  await world.drain();
  expect(await needsMe(lead)).toBeUndefined();
  await lead.writes(QUESTION);
  await world.waitUntil(async () => (await needsMe(lead)) !== undefined, 'people see it');
  expect(await needsMe(lead)).toMatchObject({ no_answer: 'No answer: the lead had opted out' });
});

it('shows a lead who writes while the product is switched off', async () => {
  const lead = await world.lead('Of a product that is off');
  await setActive('products', world.productId, false);
  await lead.writes(QUESTION);
  await world.waitUntil(async () => (await needsMe(lead)) !== undefined, 'people see it');
  expect(await needsMe(lead)).toMatchObject({ no_answer: 'No answer: the product was switched off' });
  await setActive('products', world.productId, true);
});

it('shows a deactivated lead whose dialogue is given back to the bot while the lead waits', async () => {
  const lead = await world.lead('Given back');
  const params = { id: await lead.dialogueId() };
  await admin.call(setOwner, { params, body: { owner: 'human' } });
  await deactivate(lead);
  await lead.writes(QUESTION);
  await world.waitUntil(async () => (await needsMe(lead)) !== undefined, 'people see it');
  await admin.call(setOwner, { params, body: { owner: 'bot' } });
  await world.waitUntil(async () => (await dialogueOf(world, lead)).no_answer !== null, 'the turn is decided');
  expect(await needsMe(lead)).toMatchObject({ no_answer: 'No answer: the lead was deactivated' });
});

it('needs nobody when a lead is deactivated whom the bot could not answer', async () => {
  const lead = await world.lead('Not answered');
  await world.control.setFaults([{ kind: 'openai.unauthorized', times: 1 }]);
  await lead.writes(QUESTION);
  await world.waitUntil(async () => (await needsMe(lead)) !== undefined, 'people see it');
  await world.control.setFaults([]);
  await deactivate(lead);
  expect(await needsMe(lead)).toBeUndefined();
});
