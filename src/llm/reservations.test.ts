/** A daily budget is kept however many calls run at once: each request reserves what it may cost before it is made. */
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { runPrompt } from '../conversations/runPrompt.ts';
import { ids } from '../platform/ids.ts';
import { readProduct } from '../products/product.ts';
import type { Client } from '../testing/client.ts';
import { dialogueOf } from '../testing/messageRows.ts';
import { type ModelVendor, startModelVendor, textAnswer } from '../testing/modelVendor.ts';
import { createWorld, type World } from '../testing/world.ts';
import { type Budget, readBudget, readPrices, writeBudget, writePrices } from './budgetContract.ts';
import { readSpending, type Spending } from './costContract.ts';
import { storeRun } from './runs.ts';
import { testCredential } from './settingsContract.ts';
import { reserveRequest, writeOffLost } from './store/reservations.ts';

const CALLS = 24;

let world: World;
let vendor: ModelVendor;
let admin: Client;
beforeAll(async () => {
  world = await createWorld({ env: { RAPPORT_CONCURRENCY: String(CALLS) } });
  vendor = await startModelVendor(world);
  admin = await world.operator('root');
});
afterAll(async () => {
  await vendor.close();
  await world.close();
});
beforeEach(async () => {
  await world.pool.query('delete from llm_spending');
});
afterEach(async () => {
  await world.pool.query('update dialogues set turn_due_at = null, turn_retry_at = null');
  expect((await world.pool.query('delete from llm_reservations where not is_lost')).rowCount).toBe(0);
});

const budget = async () => (await admin.call(readBudget, { params: { id: world.companyId } })).body as Budget;
const limit = (usd_per_day: number | null) =>
  admin.call(writeBudget, { params: { id: world.companyId }, body: { usd_per_day } });
const spending = async () =>
  ((await admin.call(readSpending, { params: { id: world.companyId } })).body as Spending).items;
const reservations = async () =>
  (await world.pool.query<{ amount: string }>('select amount from llm_reservations where not is_lost')).rows.map(
    (row) => Number(row.amount),
  );
const context = () => {
  if (!world.app) throw new Error('No server here');
  return world.app.context;
};

/** 0.30 $ at the price of gpt-4o: 2.5 and 10 $ a million tokens. */
const ANSWER = textAnswer('Six weeks.', { prompt_tokens: 80_000, completion_tokens: 10_000 });
const COST = 0.3;

/** Call gpt-4o, which may answer with 16,384 tokens. */
async function call(model = 'gpt-4o') {
  const product = await readProduct(context().reader, world.productId);
  if (!product) throw new Error('No product');
  const messages = [{ role: 'user' as const, content: 'How long does delivery take?' }];
  const input = { product, purpose: 'playground', name: 'Call', metadata: {}, system: 'Facts', messages } as const;
  return (await runPrompt(context(), { ...input, vendor: 'chatgpt', model, temperature: 0 })).completion;
}

describe('calls at once', () => {
  it('exceed the budget by less than the last one reserved', async () => {
    await limit(1);
    vendor.answer(ANSWER);
    const release = vendor.hold();
    const before = vendor.requests.length;
    const calls = Promise.all(Array.from({ length: CALLS }, () => call()));
    // Seven times 0.164 $ is more than the budget.
    await world.waitUntil(() => vendor.inFlight() === 7, 'seven calls were made');
    const reserved = await reservations();
    expect(reserved.reduce((sum, one) => sum + one, 0)).toBeCloseTo((await budget()).reserved, 8);
    expect((await budget()).reserved).toBeLessThan(1 + (reserved[0] ?? 0));
    release();
    const outcomes = await calls;
    expect(vendor.requests.length - before).toBe(7);
    const refused = outcomes.filter((one) => one.kind === 'failed');
    expect(refused).toHaveLength(CALLS - 7);
    expect(refused).toEqual(refused.map(() => expect.objectContaining({ paused: true, requests: [] })));
    expect(await budget()).toMatchObject({ state: 'spent', reserved: 0 });
    expect((await budget()).spent_today).toBeCloseTo(7 * COST, 8);
    expect((await spending()).reduce((sum, one) => sum + one.cost, 0)).toBe((await budget()).spent_today);
  });

  it('wait for each other’s reservation', async () => {
    await limit(0.1);
    const first = await world.pool.connect();
    const reserve = (db: Pick<typeof first, 'query'>) =>
      db.query<{ outcome: string }>(
        `select outcome from reserve_llm_budget(null, $1, $2, 'chatgpt', 'gpt-4o', 0, 0.2, $3, 60)`,
        [world.companyId, world.productId, ids.next()],
      );
    await first.query('begin');
    await reserve(first);
    let hasReserved = false;
    const second = reserve(world.pool).finally(() => (hasReserved = true));
    const isWaiting = async () =>
      (
        await world.pool.query(
          "select from pg_stat_activity where wait_event_type = 'Lock' and query like '%reserve_llm_budget(null%' and datname = current_database()",
        )
      ).rowCount === 1;
    await world.waitUntil(async () => hasReserved || (await isWaiting()), 'the second to wait');
    await first.query('commit');
    first.release();
    expect((await second).rows).toEqual([{ outcome: 'busy' }]);
    await world.pool.query('delete from llm_reservations');
  });

  it('are all made, a few at a time, where they cost less than they reserve', async () => {
    await limit(0.4);
    vendor.answer(textAnswer('Six weeks.', { prompt_tokens: 100, completion_tokens: 10 }));
    const outcomes = await Promise.all(Array.from({ length: CALLS }, () => call()));
    expect(outcomes.map((one) => one.kind)).toEqual(outcomes.map(() => 'answered'));
    expect((await budget()).spent_today).toBeCloseTo(CALLS * 0.00035, 8);
  });

  it('reserve what such calls have cost this week where that is more than the estimate', async () => {
    await limit(1);
    vendor.answer(textAnswer('Six weeks.', { prompt_tokens: 200_000, completion_tokens: 0 }));
    await call();
    await world.pool.query('update llm_spending set day = day - 6');
    const release = vendor.hold();
    const calls = Promise.all([call(), call(), call()]);
    await world.waitUntil(() => vendor.inFlight() === 2, 'two calls were made');
    expect(await reservations()).toEqual([0.5, 0.5]);
    release();
    expect((await calls).map((one) => one.kind).toSorted()).toEqual(['answered', 'answered', 'failed']);
  });

  it('reserve the dearest price of the vendor where the model has none', async () => {
    await limit(1);
    vendor.answer(ANSWER);
    const release = vendor.hold();
    const unpriced = call('own-model');
    await world.waitUntil(() => vendor.inFlight() === 1, 'the call was made');
    expect((await reservations())[0]).toBeGreaterThan(0.16);
    release();
    await unpriced;
    expect(await budget()).toMatchObject({ spent_today: 0, reserved: 0 });
  });
});

it('pauses leads once others have spent the budget', async () => {
  await limit(1);
  vendor.answer(textAnswer('Six weeks.', { prompt_tokens: 2_000_000, completion_tokens: 0 }));
  const leads = await Promise.all(Array.from({ length: 8 }, (_one, index) => world.lead(`Lead ${index}`)));
  const release = vendor.hold();
  for (const lead of leads) await lead.writes('How long does delivery take?');
  await world.waitUntil(() => vendor.inFlight() === leads.length, 'all calls were made');
  release();
  await world.drain();
  const late = await world.lead('Late');
  await late.writes('How long does delivery take?');
  await world.drain();
  expect(await dialogueOf(world, late)).toMatchObject({ no_answer: 'budget' });
  expect((await budget()).spent_today).toBeCloseTo(8 * COST, 8);
});

describe('a call', () => {
  it('reserves each of its requests, after what those before have cost', async () => {
    await limit(1);
    const cut = { events: [{ choices: [], usage: { prompt_tokens: 100_000, completion_tokens: 0 } }], isCut: true };
    vendor.answer(cut, ANSWER);
    const release = vendor.hold();
    const retried = call();
    await world.waitUntil(() => vendor.inFlight() === 1, 'the first request was made');
    const [first = 0] = await reservations();
    release();
    const releaseSecond = vendor.hold();
    await world.waitUntil(async () => ((await reservations())[0] ?? 0) > first, 'the second was reserved');
    expect((await reservations())[0]).toBeCloseTo(first + 0.25, 8);
    releaseSecond();
    expect(await retried).toMatchObject({ kind: 'answered', inputTokens: 180_000 });
    expect((await budget()).spent_today).toBeCloseTo(0.25 + COST, 8);
  });

  it('reserves the request that leaves out what the server has refused', async () => {
    await limit(1);
    const refusal = { error: { message: "Unsupported value: 'temperature'", code: 400 } };
    const used = { choices: [], usage: { prompt_tokens: 100_000, completion_tokens: 0 } };
    vendor.answer({ events: [used, refusal] }, ANSWER);
    const release = vendor.hold();
    const before = vendor.requests.length;
    const repeated = call('gpt-4o-adapted');
    await world.waitUntil(() => vendor.inFlight() === 1, 'the first request was made');
    const [first = 0] = await reservations();
    release();
    const releaseSecond = vendor.hold();
    await world.waitUntil(() => vendor.requests.length - before === 2, 'the second was made');
    expect((await reservations())[0]).toBeGreaterThan(first + 0.24);
    releaseSecond();
    expect(await repeated).toMatchObject({
      kind: 'answered',
      inputTokens: 180_000,
      metadata: { left_out: ['temperature'] },
    });
    expect((await budget()).spent_today).toBeCloseTo(0.25 + COST, 8);
  });

  it('makes no other request once the budget is spent, and is counted', async () => {
    await limit(0.2);
    vendor.answer({ events: [{ choices: [], usage: { prompt_tokens: 100_000, completion_tokens: 0 } }], isCut: true });
    const before = vendor.requests.length;
    expect(await call()).toMatchObject({
      kind: 'failed',
      paused: true,
      inputTokens: 100_000,
      reason: 'Today’s model budget is spent ($0.20)',
    });
    expect(vendor.requests.length - before).toBe(1);
    expect((await budget()).spent_today).toBeCloseTo(0.25, 8);
  });

  it('reserves nothing for a company without a budget', async () => {
    await limit(null);
    vendor.answer(ANSWER);
    const release = vendor.hold();
    const unlimited = call();
    await world.waitUntil(() => vendor.inFlight() === 1, 'the call was made');
    expect(await reservations()).toEqual([]);
    release();
    await unlimited;
  });
});

describe('a test of a key', () => {
  const USED = { prompt_tokens: 1_000_000, completion_tokens: 0 };
  const test = async () => {
    const { rows } = await world.pool.query<{ id: string }>(
      "select id from company_llms where company_id = $1 and vendor = 'chatgpt'",
      [world.companyId],
    );
    return admin.call(testCredential, { params: { id: Number(rows[0]?.id) } });
  };
  const stored = async () =>
    (await world.pool.query("select test from company_llms where vendor = 'chatgpt' and test is not null")).rowCount;

  it('reserves each of its calls', async () => {
    await limit(1);
    vendor.answer(textAnswer('ok', USED));
    const release = vendor.hold();
    const tested = test();
    await world.waitUntil(() => vendor.inFlight() === 1, 'an answer was asked for');
    expect((await reservations())[0]).toBeGreaterThan(0.009);
    const releaseCall = vendor.hold();
    release();
    await world.waitUntil(async () => (await spending()).length > 0, 'the answer is counted');
    await world.waitUntil(() => vendor.inFlight() === 1, 'a call of a tool was asked for');
    expect(await reservations()).toHaveLength(1);
    releaseCall();
    expect((await tested).body).toMatchObject({ ok: true });
    expect(await budget()).toMatchObject({ spent_today: 0.3, reserved: 0 });
    expect(await spending()).toMatchObject([{ purpose: 'test', runs: 2, cost: 0.3 }]);
  });

  it('is not made, and says nothing about the key, once the budget is spent', async () => {
    await world.pool.query('update company_llms set test = null, tested_at = null');
    await limit(0.1);
    vendor.answer(textAnswer('ok', USED));
    await call('gpt-4o-mini');
    const before = vendor.requests.length;
    expect((await test()).body).toMatchObject({ ok: false, reason: 'Today’s model budget is spent ($0.10)' });
    expect(vendor.requests.length).toBe(before);
    expect(await stored()).toBe(0);
  });
});

describe('a call whose process has ended', () => {
  /** Reserve as another instance, which ends. */
  async function lose(): Promise<number> {
    const request = {
      id: null,
      companyId: world.companyId,
      productId: world.productId,
      vendor: 'chatgpt',
      model: 'gpt-4o',
    };
    const tokens = { inputTokens: 0, outputTokens: 40_000 };
    const instance = { instanceId: ids.next(), config: { leaseSeconds: 60 } };
    const { id } = await reserveRequest(
      context().reader,
      { ...request, used: { inputTokens: 0, outputTokens: 0 }, next: tokens },
      instance,
    );
    await world.waitUntil(async () => (await reservations()).length === 0, 'it was written off');
    return id ?? 0;
  }

  it('counts as spent with its estimate', async () => {
    await limit(1);
    await lose();
    expect(await budget()).toMatchObject({ spent_today: 0.4, reserved: 0 });
    expect(await spending()).toMatchObject([{ purpose: 'lost', model: 'gpt-4o', runs: 0, cost: 0.4 }]);
    await writeOffLost(context().reader);
    expect((await budget()).spent_today).toBe(0.4);
  });

  it('counts with what it has cost if it is stored after all', async () => {
    await limit(1);
    const reservation = await lose();
    await lose();
    await storeRun(context(), {
      product_id: world.productId,
      dialogue_id: null,
      message_id: null,
      purpose: 'chatbot',
      name: 'Run',
      model_vendor: 'chatgpt',
      model_name: 'gpt-4o',
      execution_ms: 1,
      token_input_usage: 0,
      token_output_usage: 10_000,
      metadata: {},
      error: null,
      reservations: [reservation],
    });
    expect((await budget()).spent_today).toBeCloseTo(0.5, 8);
    expect(await spending()).toMatchObject([
      { purpose: 'lost', cost: 0.4 },
      { purpose: 'chatbot', runs: 1, cost: 0.1 },
    ]);
  });
});

describe('an amount', () => {
  it.each([0.0017, 0.1 + 0.2, 1e-9, 12_345.678_901])(
    'of %d is kept exactly, as a budget and as a price',
    async (amount) => {
      expect((await limit(amount)).body).toMatchObject({ usd_per_day: amount });
      expect(await budget()).toMatchObject({ usd_per_day: amount });
      const { items } = (await admin.call(readPrices)).body as { items: object[] };
      const own = { vendor: 'gemini' as const, model: 'own', input_per_million: amount, output_per_million: amount };
      const others = (items as (typeof own)[]).filter((one) => one.model !== 'own');
      await admin.call(writePrices, { body: { items: [...others, own] } });
      expect(((await admin.call(readPrices)).body as { items: object[] }).items).toContainEqual(own);
    },
  );

  it('is shown with all its decimals when the budget is spent', async () => {
    await limit(0.0017);
    vendor.answer(ANSWER);
    await call();
    expect(await call()).toMatchObject({ kind: 'failed', reason: 'Today’s model budget is spent ($0.0017)' });
  });
});
