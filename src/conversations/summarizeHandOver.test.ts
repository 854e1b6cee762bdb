import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { writeBudget } from '../llm/budgetContract.ts';
import { INVENTED } from '../sandbox/emulators/model/summarize.ts';
import type { Client } from '../testing/client.ts';
import { handOver, readHandOver } from '../testing/handOvers.ts';
import { createWorld, type TestLead, type World } from '../testing/world.ts';
import { viewDialogue } from './contract.ts';
import { retryHandOver, summarizeDialogue } from './handOverContract.ts';
import { summarizeHandOver } from './summarizeHandOver.ts';

const LINES = ['A kitchen for five.', 'Nothing was agreed.', 'Name a price.'];
let world: World;
let admin: Client;

beforeAll(async () => {
  world = await createWorld();
  admin = await world.operator();
});
afterEach(() => world.control.setFaults([]));
afterAll(() => world.close());

/** Create a lead whose messages nobody answers, so that the only calls of a model are those of summaries. */
async function leadWithMessages(name: string, ...texts: string[]): Promise<{ lead: TestLead; messages: number[] }> {
  const lead = await world.lead(name);
  await world.pool.query("update dialogues set owner = 'human' where contact_id = $1", [lead.contactId]);
  await lead.writes(...texts);
  await world.drain();
  const { rows } = await world.pool.query<{ id: string }>(
    'select id from messages where dialogue_id = $1 order by id',
    [await lead.dialogueId()],
  );
  return { lead, messages: rows.map(({ id }) => Number(id)) };
}

/** Have the model answer with this text whatever it is asked. */
const answerWith = (says: string, times?: number) =>
  world.control.setFaults([{ kind: 'openai.says', says, ...(times === undefined ? {} : { times }) }]);

async function summaryRuns(lead: TestLead): Promise<unknown[]> {
  const { rows } = await world.pool.query(
    "select purpose, error from llm_runs where dialogue_id = $1 and purpose = 'summary' order by id",
    [await lead.dialogueId()],
  );
  return rows;
}

it('stores lines and quotations of the lead, and leaves out what the lead has not written', async () => {
  const { lead, messages } = await leadWithMessages('Anna', 'How much is  a kitchen?', 'We are five');
  const [first = 0, second = 0] = messages;
  await answerWith(
    JSON.stringify({
      lines: [...LINES.slice(0, 1), 'Agrees to "any price".', 'Asks "how much is a kitchen?"'],
      quotes: [
        { message_id: first, text: 'how much is a kitchen?' },
        { message_id: first, text: 'We are five' },
        { message_id: second, text: 'We are five' },
      ],
    }),
  );
  const id = await handOver(world, lead);
  await world.drain();
  expect(await readHandOver(world, id)).toMatchObject({
    summary_state: 'done',
    summary: {
      lines: [LINES[0], 'Asks "how much is a kitchen?"'],
      quotes: [
        { message_id: first, text: 'how much is a kitchen?' },
        { message_id: second, text: 'We are five' },
      ],
    },
    crm_state: 'none',
  });
  expect(await summaryRuns(lead)).toEqual([{ purpose: 'summary', error: null }]);
  const view = await admin.call(viewDialogue, { params: { id: await lead.dialogueId() } });
  expect(view.body).toMatchObject({ hand_over: { id, reason: 'qualified', summary_state: 'done', crm_state: 'none' } });
});

it('asks once more for an answer that cannot be read, and gives up after that', async () => {
  const { lead } = await leadWithMessages('Boris', 'How much is a kitchen?');
  await answerWith(JSON.stringify({ lines: LINES, quotes: [] }));
  await world.control.setFaults([
    { kind: 'openai.half_json', times: 1 },
    { kind: 'openai.says', says: JSON.stringify({ lines: LINES, quotes: [] }) },
  ]);
  const repaired = await handOver(world, lead);
  await world.drain();
  expect(await readHandOver(world, repaired)).toMatchObject({ summary_state: 'done', summary: { lines: LINES } });
  expect(await summaryRuns(lead)).toHaveLength(2);

  const { lead: other } = await leadWithMessages('Clara', 'How much is a kitchen?');
  await answerWith(JSON.stringify({ lines: [...LINES, 'A fourth line.'], quotes: [] }));
  const unreadable = await handOver(world, other);
  await world.drain();
  expect(await readHandOver(world, unreadable)).toMatchObject({ summary_state: 'failed', summary: null });
});

it('fails, and stores nothing, when all it says was never written', async () => {
  const { lead, messages } = await leadWithMessages('Dora', 'How much is a kitchen?');
  const quotes = [{ message_id: messages[0], text: INVENTED }];
  await answerWith(JSON.stringify({ lines: [`Says "${INVENTED}".`], quotes }));
  const id = await handOver(world, lead);
  await world.drain();
  expect(await readHandOver(world, id)).toMatchObject({
    summary_state: 'failed',
    summary: null,
    summary_error: 'The summary only quotes what nobody wrote',
  });
  await world.control.setFaults([]);
  const retried = await admin.call(retryHandOver, { params: { id: await lead.dialogueId() } });
  expect(retried).toMatchObject({ status: 200, body: { id, summary_state: 'pending', summary_error: null } });
  await world.drain();
  expect(await readHandOver(world, id)).toMatchObject({ summary_state: 'done' });
  expect(await admin.call(retryHandOver, { params: { id: await lead.dialogueId() } })).toMatchObject({ status: 409 });
});

it('tries again while the model fails, and gives up after a quarter of an hour', async () => {
  const { lead } = await leadWithMessages('Elena', 'How much is a kitchen?');
  await world.control.setFaults([{ kind: 'openai.server_error' }]);
  const id = await handOver(world, lead);
  await world.waitUntil(async () => (await readHandOver(world, id)).summary_error !== null, 'the first failure');
  expect(await readHandOver(world, id)).toMatchObject({ summary_state: 'pending' });
  await world.pool.query(
    "update hand_overs set summary_failed_at = summary_failed_at - interval '15 minutes', summary_retry_at = null where id = $1",
    [id],
  );
  await world.waitUntil(async () => (await readHandOver(world, id)).summary_state === 'failed', 'the end of retries');
});

it('is off without a key or a budget, and calls no model then', async () => {
  const { lead } = await leadWithMessages('Fedor', 'How much is a kitchen?');
  const { companyId } = world;
  await admin.call(writeBudget, { params: { id: companyId }, body: { usd_per_day: 0 } });
  const withoutBudget = await handOver(world, lead);
  await world.drain();
  expect(await readHandOver(world, withoutBudget)).toMatchObject({ summary_state: 'off', crm_state: 'none' });
  await admin.call(writeBudget, { params: { id: companyId }, body: { usd_per_day: null } });

  const { lead: other } = await leadWithMessages('Galina', 'How much is a kitchen?');
  await world.pool.query('update company_llms set is_active = false');
  const withoutKey = await handOver(world, other);
  await world.drain();
  await world.pool.query('update company_llms set is_active = true');
  expect(await readHandOver(world, withoutKey)).toMatchObject({
    summary_state: 'off',
    summary_error: 'No active key for chatgpt',
  });
  expect([await summaryRuns(lead), await summaryRuns(other)]).toEqual([[], []]);
});

it('is made once while another instance has claimed it', async () => {
  const { lead } = await leadWithMessages('Hugo', 'How much is a kitchen?');
  await world.control.setFaults([{ kind: 'openai.slow', ms: 100 }]);
  const id = await handOver(world, lead);
  const { app } = world;
  if (!app) throw new Error('The world does not serve');
  await Promise.all([1, 2, 3].map(() => summarizeHandOver(app.context, id)));
  await world.drain();
  expect(await readHandOver(world, id)).toMatchObject({ summary_state: 'done' });
  expect(await summaryRuns(lead)).toHaveLength(1);
});

it('summarizes any dialogue on request, and keeps the summary with the newest hand-over', async () => {
  const { lead, messages } = await leadWithMessages('Inna', 'How much is a kitchen?');
  const params = { id: await lead.dialogueId() };
  await answerWith(JSON.stringify({ lines: LINES, quotes: [{ message_id: messages[0], text: INVENTED }] }));
  const summary = { lines: LINES, quotes: [] };
  expect(await admin.call(summarizeDialogue, { params })).toMatchObject({
    status: 200,
    body: { summary, hand_over_id: null },
  });
  await answerWith(JSON.stringify({ lines: [`"${INVENTED}"`], quotes: [] }));
  const id = await handOver(world, lead);
  await world.drain();
  expect(await readHandOver(world, id)).toMatchObject({ summary_state: 'failed' });
  expect(await admin.call(summarizeDialogue, { params })).toMatchObject({ status: 503 });
  await answerWith(JSON.stringify(summary));
  expect(await admin.call(summarizeDialogue, { params })).toMatchObject({ status: 200, body: { hand_over_id: id } });
  expect(await readHandOver(world, id)).toMatchObject({ summary_state: 'done', summary });

  const silent = await world.lead('Jana');
  const nothing = await admin.call(summarizeDialogue, { params: { id: await silent.dialogueId() } });
  expect(nothing).toMatchObject({ status: 409 });
});
