import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type Dialogue, dialogues } from '../conversations/contract.ts';
import type { Client } from '../testing/client.ts';
import { dialogueOf } from '../testing/messageRows.ts';
import { createWorld, type World } from '../testing/world.ts';
import { type Budget, readBudget, readPrices, writeBudget, writePrices } from './budgetContract.ts';
import { storeRun } from './runs.ts';

let world: World;
let admin: Client;
beforeAll(async () => {
  world = await createWorld();
  admin = await world.operator('root');
});
afterAll(() => world.close());
beforeEach(async () => {
  await world.pool.query('delete from llm_spending');
  await world.pool.query('update companies set llm_daily_budget = null');
});

async function run(model: string, input: number | null, output: number | null): Promise<number | null> {
  const app = world.app;
  if (!app) throw new Error('No server here');
  const { id } = await storeRun(app.context, {
    product_id: world.productId,
    dialogue_id: null,
    message_id: null,
    purpose: 'chatbot',
    name: 'Run',
    model_vendor: 'chatgpt',
    model_name: model,
    execution_ms: 1,
    token_input_usage: input,
    token_output_usage: output,
    metadata: {},
    error: null,
  });
  const { rows } = await world.pool.query<{ cost: string | null }>('select cost from llm_runs where id = $1', [id]);
  return rows[0]?.cost == null ? null : Number(rows[0].cost);
}
const budget = async () => (await admin.call(readBudget, { params: { id: world.companyId } })).body as Budget;
const limit = (usd_per_day: number | null) =>
  admin.call(writeBudget, { params: { id: world.companyId }, body: { usd_per_day } });

describe('the cost of a run', () => {
  it('uses the price of the longest matching model prefix', async () => {
    // Prices: 2.5 and 10 dollars for gpt-4o, 0.15 and 0.6 for gpt-4o-mini.
    expect(await run('gpt-4o-2024-08-06', 1_000_000, 100_000)).toBe(3.5);
    expect(await run('gpt-4o-mini', 1_000_000, 1_000_000)).toBe(0.75);
    expect(await run('nobody-knows', 10, 10)).toBeNull();
    expect(await run('gpt-4o', null, null)).toBeNull();
    expect(await budget()).toMatchObject({ usd_per_day: null, spent_today: 4.25, state: 'none' });
  });

  it('prices earlier runs once a price is set, and counts them', async () => {
    expect(await run('house-model', 2_000_000, 1_000_000)).toBeNull();
    const { items } = (await admin.call(readPrices)).body as { items: object[] };
    const own = { vendor: 'chatgpt' as const, model: 'house-model', input_per_million: 1, output_per_million: 3 };
    const saved = await admin.call(writePrices, { body: { items: [...(items as (typeof own)[]), own] } });
    expect((saved.body as { items: object[] }).items).toContainEqual(own);
    expect((await budget()).spent_today).toBe(5);
    const twice = await admin.call(writePrices, { body: { items: [own, own] } });
    expect(twice.status).toBe(422);
    const member = await world.operator('member', [world.companyId]);
    expect((await member.call(writePrices, { body: { items: [] } })).status).toBe(403);
    expect((await member.call(readPrices)).status).toBe(200);
  });
});

describe('a budget', () => {
  it('warns at 80 %, stops at 100 %, and allows nothing at zero', async () => {
    await limit(10);
    expect((await budget()).state).toBe('fine');
    await run('gpt-4o', 0, 799_999);
    expect((await budget()).state).toBe('fine');
    await run('gpt-4o', 0, 1);
    expect(await budget()).toMatchObject({ state: 'warning', spent_today: 8 });
    await run('gpt-4o', 0, 200_000);
    expect((await budget()).state).toBe('spent');
    await limit(11);
    expect((await budget()).state).toBe('warning');
    await world.pool.query('delete from llm_spending');
    await limit(0);
    expect((await budget()).state).toBe('spent');
    expect((await limit(-1)).status).toBe(422);
  });

  it('pauses answers when the budget is spent, says so, and resumes when it is raised', async () => {
    await limit(1);
    await run('gpt-4o', 0, 100_000);
    const anna = await world.lead('Anna');
    await anna.writes('How long does delivery take?');
    await world.drain();
    expect(await anna.sees()).toEqual(['lead: How long does delivery take?']);
    const asked = async () =>
      Number((await world.pool.query('select count(*) as n from llm_runs where dialogue_id is not null')).rows[0]?.n);
    expect(await asked()).toBe(0);
    const waiting = await dialogueOf(world, anna);
    expect(waiting).toMatchObject({
      no_answer: 'budget',
      no_answer_detail: 'Today’s model budget is spent ($1.00)',
    });
    const { body } = await admin.call(dialogues.list, { query: { unanswered: [true] } });
    expect((body as { items: Dialogue[] }).items.map((one) => one.id)).toContain(await anna.dialogueId());
    await limit(2);
    await world.drain();
    expect((await anna.sees()).at(-1)).toMatch(/^us: .*six weeks/);
    expect(await dialogueOf(world, anna)).toMatchObject({ no_answer: null });
  });

  it('resets the budget with the next UTC day', async () => {
    await limit(1);
    await run('gpt-4o', 0, 100_000);
    await world.pool.query('update llm_spending set day = day - 1');
    expect(await budget()).toMatchObject({ state: 'fine', spent_today: 0 });
  });

  it('keeps budgets of companies apart', async () => {
    const stranger = await world.operator('stranger', []);
    const params = { id: world.companyId };
    expect((await stranger.call(readBudget, { params })).status).toBe(404);
    expect((await stranger.call(writeBudget, { params, body: { usd_per_day: 1 } })).status).toBe(404);
  });
});
