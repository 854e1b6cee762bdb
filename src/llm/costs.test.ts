import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { dialogues, messages } from '../conversations/contract.ts';
import { leads } from '../leads/contract.ts';
import { type Dashboard, readDashboard } from '../outcomes/contract.ts';
import type { Client } from '../testing/client.ts';
import { createWorld, type World } from '../testing/world.ts';
import { type Price, readBudget, readPrices, writePrices } from './budgetContract.ts';
import { costOfDialogue, costOfLead, readSpending, type Spending, type Sums } from './costContract.ts';
import { type RunRow, storeRun } from './runs.ts';

let world: World;
let admin: Client;
beforeAll(async () => {
  world = await createWorld();
  admin = await world.operator('root');
});
afterAll(() => world.close());

/** Store a run of gpt-4o, which costs 10 dollars per million output tokens. */
async function run(more: Partial<RunRow> = {}): Promise<number> {
  const app = world.app;
  if (!app) throw new Error('No server here');
  const { id } = await storeRun(app.context, {
    product_id: world.productId,
    dialogue_id: null,
    message_id: null,
    purpose: 'chatbot',
    name: 'Run',
    model_vendor: 'chatgpt',
    model_name: 'gpt-4o',
    execution_ms: 1,
    token_input_usage: 0,
    token_output_usage: 100_000,
    metadata: {},
    error: null,
    ...more,
  });
  return id;
}

const listed = async (address: string) =>
  ((await (await admin.fetch(address)).json()) as { items: { id: number; cost?: number }[] }).items;
const ofLead = async (id: number) => (await admin.call(costOfLead, { params: { id } })).body as Sums;
const ofDialogue = async (id: number) => (await admin.call(costOfDialogue, { params: { id } })).body as Sums;
const spending = async (client = admin) =>
  (await client.call(readSpending, { params: { id: world.companyId } })).body as Spending;

describe('the cost of a conversation', () => {
  it('sums the same runs for the message, the dialogue and the lead', async () => {
    const anna = await world.lead('Anna');
    await anna.writes('How long does delivery take?');
    await world.drain();
    const dialogueId = await anna.dialogueId();
    const { rows } = await world.pool.query<{ message_id: string; cost: string }>(
      'select message_id, cost from llm_runs where dialogue_id = $1',
      [dialogueId],
    );
    const [firstRun] = rows;
    const cost = Number(firstRun?.cost);
    expect(rows).toHaveLength(1);
    expect(cost).toBeGreaterThan(0);
    expect(await ofDialogue(dialogueId)).toMatchObject({ runs: 1, unpriced: 0, cost });
    expect(await ofLead(anna.leadId)).toMatchObject({ runs: 1, cost });

    const listedMessages = await listed(`${messages.list.path}?dialogue_id=${dialogueId}&order=asc&with_cost=true`);
    expect(listedMessages).toMatchObject([{ cost: null }, { cost, id: Number(firstRun?.message_id) }]);
    const plain = await listed(`${messages.list.path}?dialogue_id=${dialogueId}`);
    expect(plain.map((one) => 'cost' in one)).toEqual([false, false]);

    // A failed answer has a cost too, and a document belongs to a lead without any dialogue.
    await run({ dialogue_id: dialogueId, error: 'Unusable: empty' });
    await run({ lead_id: anna.leadId, purpose: 'document' });
    await run({ dialogue_id: dialogueId, model_name: 'nobody-knows' });
    const boris = await world.lead('Boris');
    await run({ dialogue_id: await boris.dialogueId() });
    expect((await ofDialogue(dialogueId)).cost).toBeCloseTo(cost + 1, 8);
    expect(await ofDialogue(dialogueId)).toMatchObject({ runs: 3, unpriced: 1 });
    expect((await ofLead(anna.leadId)).cost).toBeCloseTo(cost + 2, 8);
    expect(await ofLead(anna.leadId)).toMatchObject({ runs: 4, unpriced: 1 });
    expect(await ofLead(boris.leadId)).toMatchObject({ runs: 1, cost: 1 });
    const [talk] = await listed(`${dialogues.list.path}?lead_id=${anna.leadId}&with_cost=true`);
    expect(talk?.cost).toBeCloseTo(cost + 1, 8);
  });

  it("shows costs to the company only, and deletes them with the lead while the company's spending stays", async () => {
    const clara = await world.lead('Clara');
    await run({ dialogue_id: await clara.dialogueId() });
    await run({ lead_id: clara.leadId, purpose: 'document' });
    const stranger = await world.operator('stranger', []);
    for (const endpoint of [costOfLead, costOfDialogue, readSpending] as const)
      expect((await stranger.call(endpoint, { params: { id: clara.leadId } })).status).toBe(404);
    const before = await spending();
    const runs = await world.pool.query('select id from llm_runs where lead_id = $1', [clara.leadId]);
    expect(runs.rowCount).toBe(2);
    expect((await admin.call(leads.remove, { params: { id: clara.leadId } })).status).toBe(204);
    const remaining = await world.pool.query('select 1 from llm_runs where id = any($1)', [
      runs.rows.map((row) => row.id),
    ]);
    expect(remaining.rowCount).toBe(0);
    expect(await spending()).toEqual(before);
  });
});

describe("a company's spending", () => {
  it('reports spending by day, purpose and model, equal to what the budget counts', async () => {
    await world.pool.query('delete from llm_spending');
    await run();
    await run({ token_input_usage: 1000 });
    await run({ purpose: 'playground', model_name: 'gpt-4o-mini' });
    await run({ error: 'The vendor answered 500', token_input_usage: null, token_output_usage: null });
    const { days, items } = await spending();
    const today = days.at(-1);
    expect(days).toHaveLength(30);
    expect(items).toEqual([
      {
        day: today,
        purpose: 'chatbot',
        vendor: 'chatgpt',
        model: 'gpt-4o',
        runs: 3,
        unpriced: 0,
        input_tokens: 1000,
        output_tokens: 200_000,
        cost: 2.0025,
      },
      expect.objectContaining({ day: today, purpose: 'playground', model: 'gpt-4o-mini', runs: 1, cost: 0.06 }),
    ]);
    const budget = (await admin.call(readBudget, { params: { id: world.companyId } })).body;
    expect(budget).toMatchObject({ today, spent_today: 2.0625, days: [{ day: today, cost: 2.0625 }] });
    const figures = async () =>
      (await admin.call(readDashboard, { query: { product_id: world.productId } })).body as Dashboard;
    expect(await figures()).toMatchObject({ cost_today: 2.0625, cost_30_days: 2.0625 });

    await world.pool.query('update llm_spending set day = day - 29');
    expect((await spending()).items.map((one) => one.day)).toEqual([days[0], days[0]]);
    expect(await figures()).toMatchObject({ cost_today: 0, cost_30_days: 2.0625 });
    await world.pool.query('update llm_spending set day = day - 1');
    expect((await spending()).items).toEqual([]);
    expect(await figures()).toMatchObject({ cost_today: 0, cost_30_days: 0 });
  });

  it('reports runs without a price until they have one', async () => {
    await world.pool.query('delete from llm_spending');
    await run({ model_name: 'own-model' });
    await run({ model_name: 'own-model' });
    expect((await spending()).items).toMatchObject([{ model: 'own-model', runs: 2, unpriced: 2, cost: 0 }]);
    const { items } = (await admin.call(readPrices)).body as { items: Price[] };
    const own = { vendor: 'chatgpt' as const, model: 'own-', input_per_million: 1, output_per_million: 5 };
    await admin.call(writePrices, { body: { items: [...items, own] } });
    expect((await spending()).items).toMatchObject([{ model: 'own-model', runs: 2, unpriced: 0, cost: 1 }]);
    await run({ model_name: 'own-model' });
    expect((await spending()).items).toMatchObject([{ model: 'own-model', runs: 3, unpriced: 0, cost: 1.5 }]);
  });
});

it('sums spending with index-only scans', async () => {
  await world.pool.query('vacuum analyze llm_runs');
  const client = await world.pool.connect();
  try {
    // Few rows are read faster without an index; disabling the alternatives shows whether the index can be used.
    await client.query('set enable_seqscan = off; set enable_bitmapscan = off');
    for (const [text, index] of [
      ['select sum(r.cost) from llm_runs r where r.message_id = 1', 'llm_runs_message'],
      ['select sum(r.cost), sum(r.token_input_usage) from llm_runs r where r.dialogue_id = 1', 'llm_runs_dialogue'],
      ['select sum(r.cost), sum(r.token_output_usage) from llm_runs r where r.lead_id = 1', 'llm_runs_lead'],
    ] as const) {
      const { rows } = await client.query<{ 'QUERY PLAN': string }>(`explain ${text}`);
      expect(rows.map((row) => row['QUERY PLAN']).join('\n')).toContain(`Index Only Scan using ${index}`);
    }
  } finally {
    client.release(true);
  }
});
