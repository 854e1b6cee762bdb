/** Runs: budget, room, retries, ends, and what they leave behind. On the sandbox's model. */
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { writeBudget, writePrices } from '../llm/budgetContract.ts';
import { checkPromptVersion } from '../prompts/contract.ts';
import type { Client } from '../testing/client.ts';
import { type StudioRuns, studioRuns } from '../testing/studioRuns.ts';
import { createWorld, PROMPT, type World } from '../testing/world.ts';
import { type StudioCase, studioCases } from './caseContract.ts';
import { cancelStudioRun, estimateStudioRun, listStudioRuns, type StudioRun, startStudioRun } from './runContract.ts';

const QUESTION = 'How much does a kitchen cost?';
let world: World;
let anna: Client;
let studio: StudioRuns;
beforeAll(async () => {
  world = await createWorld();
  anna = await world.operator('anna');
  studio = await studioRuns(world, anna);
});
beforeEach(async () => {
  await world.pool.query('delete from studio_cases');
});
afterEach(async () => {
  await world.control.setFaults([]);
  await anna.call(writeBudget, { params: { id: world.companyId }, body: { usd_per_day: null } });
});
afterAll(() => world.close());

async function createCases(count: number): Promise<StudioCase[]> {
  const created: StudioCase[] = [];
  for (let index = 0; index < count; index++)
    created.push(await studio.createCase(`${QUESTION} (${index})`, [{ kind: 'contains', text: '4200 euros' }]));
  return created;
}

/** Leads have spent most of what the company allows for today: runs wait. */
async function spendMost(): Promise<void> {
  await world.pool.query('delete from llm_spending');
  await world.pool.query(
    `insert into llm_spending (company_id, day, product_id, purpose, vendor, model, runs, cost)
     values ($1, (domain_now() at time zone 'UTC')::date, $2, 'chatbot', 'chatgpt', 'gpt-4o', 1, 8)`,
    [world.companyId, world.productId],
  );
  await anna.call(writeBudget, { params: { id: world.companyId }, body: { usd_per_day: 10 } });
}

/** The next day begins. */
async function spendAgain(): Promise<void> {
  await world.pool.query('update llm_spending set day = day - 1');
}

/**
 * Return when the sweep has looked for samples to make since the call: it concludes runs first, so when it has concluded a
 * run without samples twice, it has looked once.
 */
async function sweepTwice(productId: number): Promise<void> {
  for (let time = 0; time < 2; time++) {
    const { rows } = await world.pool.query<{ id: string }>(
      `insert into studio_runs (product_id, kind, prompt_name, prompt_type, text, model_vendor, model_name, temperature, repeats, budget, estimated_calls)
       values ($1, 'gate', 'Vera', 'prompt', 'x', 'chatgpt', 'gpt-4o-mini', 0, 3, 1, 1) returning id`,
      [productId],
    );
    await world.pool.query("select pg_notify('sweep', 'studio')");
    await studio.ended({ id: Number(rows[0]?.id) });
  }
}

it('keeps and checks of an answer what the lead would see', async () => {
  await studio.createCase(QUESTION, [
    { kind: 'not_contains', text: '**' },
    { kind: 'contains', text: '*4200 euros*' },
  ]);
  await world.control.setFaults([
    { kind: 'openai.says', says: 'From **4200 euros**, see [the list](https://shop.example).' },
  ]);
  const run = await studio.gate();
  expect(run.state).toBe('done');
  const { rows } = await world.pool.query<{ text: string; violations: unknown[] }>(
    `select output->>'text' as text, violations from studio_samples where run_id = $1`,
    [run.id],
  );
  expect(rows.length).toBeGreaterThan(0);
  for (const { text, violations } of rows) {
    expect(text).toBe('From *4200 euros*, see the list (https://shop.example).');
    expect(violations).toEqual([]);
  }
});

const gateOf = ({ verdict }: StudioRun) => (verdict?.kind === 'gate' ? verdict : null);

async function sums(run: StudioRun) {
  const { rows } = await world.pool.query<{
    runs: number;
    cost: number;
    tied: number;
    reserved: number;
    purposes: string;
  }>(
    `select count(*)::int as runs, coalesce(sum(cost), 0)::float8 as cost, count(coalesce(dialogue_id, lead_id, message_id))::int as tied,
            (select coalesce(sum(reserved), 0)::float8 from studio_samples) as reserved, string_agg(distinct purpose, ',') as purposes
       from llm_runs where created_at >= $1`,
    [run.created_at],
  );
  return rows[0];
}

describe('a run', () => {
  it('makes both arms of every case, and its runs belong to nobody but the studio', async () => {
    await createCases(3);
    const run = await studio.gate();
    expect(run).toMatchObject({
      state: 'done',
      version: 1,
      live_version: 1,
      progress: { done: 18, failed: 0, total: 18 },
      estimate: { calls: 18, subjects: 3 },
      author: 'anna',
      reason: null,
    });
    expect(gateOf(run)).toMatchObject({ state: 'green', reasons: [] });
    const found = await sums(run);
    expect(found).toMatchObject({ runs: 18, tied: 0, reserved: 0, purposes: 'studio' });
    expect(run.spent).toBeCloseTo(found?.cost ?? 0, 8);
    expect(run.estimate.cost).toBeGreaterThan(run.spent);
    expect(run.estimate.cost).toBeLessThan(run.spent * 10);
  });

  it('is evidence for publishing from three repeats on, and against it in any case', async () => {
    const [, , last] = await createCases(3);
    const check = async () => {
      const answer = await anna.call(checkPromptVersion, { query: { prompt_id: studio.promptId, version: 1 } });
      return answer.status === 200 ? (answer.body as { checks: { state: string } }).checks.state : answer.status;
    };
    expect(gateOf(await studio.gate({ repeats: 2 }))?.state).toBe('green');
    expect(await check()).toBe('missing');
    expect(gateOf(await studio.gate())?.state).toBe('green');
    expect(await check()).toBe('green');
    await anna.call(studioCases.change, {
      params: { id: last?.id ?? 0 },
      body: { requirements: [{ kind: 'never', text: 'A kitchen costs from 4200 euros.' }] },
    });
    expect(await check()).toBe('missing');
    expect(gateOf(await studio.gate({ repeats: 1 }))?.state).toBe('red');
    expect(await check()).toBe('red');
  });

  it('lists what matters most first, and says why', async () => {
    const [first, , last] = await createCases(3);
    await anna.call(studioCases.change, {
      params: { id: last?.id ?? 0 },
      body: { requirements: [{ kind: 'never', text: 'A kitchen costs from 4200 euros.' }] },
    });
    const run = await studio.gate();
    expect(gateOf(run)).toMatchObject({
      state: 'red',
      cases: [
        {
          case_id: last?.id,
          state: 'red',
          reasons: ['It says nearly the same as “A kitchen costs from 4200 euros.”.'],
        },
        {},
        {},
      ],
    });
    const results = await studio.results(run);
    expect(results.map(({ state, subject }) => [state, subject.case_id])).toEqual([
      ['red', last?.id],
      ['green', first?.id],
      ['green', (first?.id ?? 0) + 1],
    ]);
    expect(results[0]).toMatchObject({
      history: [{ side: 'user' }],
      candidate: [{ repeat: 0, violations: [{ kind: 'never' }] }, {}, {}],
    });
  });

  it('tries a worse case again before it is red, in both arms', async () => {
    await createCases(2);
    const text = PROMPT.replace('4200 euros', '4300 euros');
    const run = await studio.gate({ text });
    expect(gateOf(run)).toMatchObject({
      state: 'red',
      cases: [
        { state: 'red', candidate: { count: 0, total: 6 }, live: { count: 6, total: 6 } },
        {
          state: 'red',
          reasons: ['6 of 6 answers fail, and 0 of 6 of what is live.', 'It does not say “4200 euros”.'],
        },
      ],
    });
    expect(run).toMatchObject({ version: null, progress: { done: 24 } });
  });

  it('gives a prompt that cannot be filled in no pass', async () => {
    await createCases(1);
    const run = await studio.gate({ text: '{{ lead.name | nonsense' });
    expect(gateOf(run)?.state).toBe('red');
    expect((await studio.results(run))[0]?.candidate[0]).toMatchObject({
      output: null,
      error: expect.stringContaining('filled in'),
    });
  });

  it('is refused without cases, for a type that is not tried, for foreign cases, and without a price', async () => {
    const start = async (body: object) => {
      const answer = await anna.call(startStudioRun, {
        body: { kind: 'gate', prompt_id: studio.promptId, budget: 1, ...body },
      });
      return [answer.status, (answer.body as { detail: unknown }).detail];
    };
    expect(await start({})).toEqual([409, 'There are no test cases for this prompt. Make one from a message first.']);
    await createCases(1);
    const { rows } = await world.pool.query<{ id: string }>(
      "insert into prompts (product_id, name, type, text) values ($1, 'Ping', 'ping', 'Ping') returning id",
      [world.productId],
    );
    expect(await start({ prompt_id: Number(rows[0]?.id) })).toEqual([
      409,
      'A gate run does not suit a prompt of the type ping.',
    ]);
    expect(await start({ version: 9 })).toEqual([404, 'There is no such version of this prompt.']);
    const { rows: others } = await world.pool.query<{ id: string }>(
      `with p as (insert into products (company_id, name) values ($1, 'Doors') returning id)
       insert into studio_cases (product_id, prompt_type, name, source, history, facts, requirements)
       select id, 'prompt', 'Foreign', 'manual', '[]', '{}', '[]' from p returning id`,
      [world.companyId],
    );
    expect(await start({ case_ids: [Number(others[0]?.id)] })).toEqual([409, 'This case belongs to another product.']);
    expect(await start({ model: { vendor: 'chatgpt', model: 'unheard-of' } })).toEqual([
      409,
      'There is no price for chatgpt/unheard-of, so the budget could not be kept. Set its price first.',
    ]);
    const estimated = await anna.call(estimateStudioRun, {
      body: { kind: 'gate', prompt_id: studio.promptId, model: { vendor: 'chatgpt', model: 'unheard-of' } },
    });
    expect(estimated.body).toEqual({ calls: 6, cost: null, subjects: 1 });
  });
});

describe('the budget of a run', () => {
  it('is never exceeded: the run stops before, and what was not tried is missing', async () => {
    await createCases(4);
    const whole = await studio.gate();
    const budget = whole.spent / 2;
    const run = await studio.gate({ budget });
    expect(run).toMatchObject({ state: 'stopped', reason: 'The budget does not allow another call.' });
    expect(run.spent).toBeLessThanOrEqual(budget);
    expect(run.spent).toBeGreaterThan(0);
    expect(gateOf(run)).toMatchObject({ state: 'missing', reasons: [expect.stringContaining('have too few answers')] });
    expect(run.progress.total).toBe(run.progress.done);
  });

  it('is asked before each further call of a sample', async () => {
    await studio.createCase(QUESTION, [{ kind: 'contains', text: '4200 euros' }], { rubric: 'It is polite.' });
    await spendMost();
    const run = await studio.start({ with_judge: true, repeats: 1, budget: 0.000001 });
    // Nothing is known of what a call costs until the first of each sample is paid.
    await world.pool.query('update studio_samples set call_cost = 0 where run_id = $1', [run.id]);
    await spendAgain();
    expect(await studio.ended(run)).toMatchObject({ state: 'stopped', progress: { done: 0, total: 0 } });
    expect(await sums(run)).toMatchObject({ runs: 2, reserved: 0 });
  });

  it('is exceeded at most by the calls that are in flight when they turn out dearer than planned', async () => {
    await createCases(4);
    const planned = await studio.gate();
    await spendMost();
    const budget = planned.spent;
    const run = await studio.start({ budget });
    await world.pool.query(
      "update llm_prices set input_per_million = 10 * input_per_million, output_per_million = 10 * output_per_million where model = 'gpt-4o-mini'",
    );
    await spendAgain();
    const ended = await studio.ended(run);
    await world.pool.query(
      "update llm_prices set input_per_million = input_per_million / 10, output_per_million = output_per_million / 10 where model = 'gpt-4o-mini'",
    );
    expect(ended.state).toBe('stopped');
    const found = await sums(ended);
    expect(ended.spent).toBeCloseTo(found?.cost ?? 0, 8);
    const dearest = (found?.cost ?? 0) / (found?.runs ?? 1);
    // A quarter of sixteen is in flight.
    expect(ended.spent).toBeLessThanOrEqual(budget + 4 * dearest);
    expect(found?.runs).toBeLessThanOrEqual(4);
  });

  it('allows nothing if it is zero', async () => {
    await createCases(1);
    expect(await studio.gate({ budget: 0 })).toMatchObject({ state: 'stopped', spent: 0, progress: { done: 0 } });
  });
});

describe('a model that fails', () => {
  it('is asked again, and the run goes on', async () => {
    await createCases(1);
    await world.control.setFaults([{ kind: 'openai.server_error', times: 7 }]);
    expect(await studio.gate()).toMatchObject({ state: 'done', progress: { done: 6, failed: 0 } });
  });

  it('ends the run as failed when it cannot be used, and nothing passes', async () => {
    await createCases(2);
    await world.control.setFaults([{ kind: 'openai.unauthorized' }]);
    const run = await studio.gate();
    expect(run).toMatchObject({ state: 'failed', progress: { done: 0, failed: 12 } });
    expect(run.reason).toContain('401');
    expect(gateOf(run)).toMatchObject({
      state: 'missing',
      cases: [{ state: 'missing', reasons: [expect.stringContaining('401')] }, {}],
    });
  });
});

describe('the day’s budget of the company', () => {
  it('pauses a run before leads have to wait, and it goes on the next day', async () => {
    await createCases(1);
    await spendMost();
    const run = await studio.start();
    expect(await studio.read(run.id)).toMatchObject({
      state: 'queued',
      reason: 'Most of today’s model budget is spent. The run continues tomorrow.',
    });
    const { rows } = await world.pool.query<{ id: string }>(
      `with c as (insert into companies (name) values ('Doors Ltd') returning id)
       insert into products (company_id, name) select id, 'Doors' from c returning id`,
    );
    await sweepTwice(Number(rows[0]?.id));
    expect(await sums(run)).toMatchObject({ runs: 0, reserved: 0 });
    await spendAgain();
    expect(await studio.ended(run)).toMatchObject({ state: 'done', reason: null });
  });
});

describe('cancelling', () => {
  it('keeps what is done, pays for the call in progress, and begins nothing more', async () => {
    await createCases(3);
    await world.control.setFaults([{ kind: 'openai.slow', ms: 30 }]);
    const run = await studio.start();
    await world.waitUntil(async () => (await studio.read(run.id)).progress.done > 0, 'the first sample is made');
    const { status, body } = await anna.call(cancelStudioRun, { params: { id: run.id } });
    expect([status, body]).toMatchObject([200, { state: 'cancelled', reason: 'Cancelled by anna' }]);
    await world.drain();
    const after = await studio.read(run.id);
    expect(after.progress.done).toBe((body as StudioRun).progress.done);
    expect(after.spent).toBeCloseTo((await sums(run))?.cost ?? 0, 8);
    expect((await anna.call(cancelStudioRun, { params: { id: run.id } })).status).toBe(409);
    expect((await anna.call(cancelStudioRun, { params: { id: 999_999 } })).status).toBe(404);
  });
});

it('claims no more samples at once than there is room for', async () => {
  await createCases(2);
  await world.control.setFaults([{ kind: 'openai.stall_first' }]);
  const run = await studio.start();
  const claimed = async () =>
    (await world.pool.query('select id from studio_samples where run_id = $1 and claimed_by is not null', [run.id]))
      .rowCount;
  await world.waitUntil(async () => (await claimed()) === 4, 'a quarter of sixteen is claimed');
  await sweepTwice(world.productId);
  expect(await claimed()).toBe(4);
  await anna.call(cancelStudioRun, { params: { id: run.id } });
});

it('tells consoles of a run that proceeds, and lists runs of a product', async () => {
  await createCases(1);
  const leaving = new AbortController();
  const stream = await anna.fetch(`/v1/live?product_id=${world.productId}`, { signal: leaving.signal });
  let received = '';
  const ending = (async () => {
    for await (const chunk of stream.body ?? []) received += Buffer.from(chunk).toString();
  })().catch(() => undefined);
  const run = await studio.gate();
  await world.waitUntil(
    () => received.includes(JSON.stringify({ type: 'studio_run', id: run.id })),
    'the console is told',
  );
  leaving.abort();
  await ending;
  const listed = await anna.call(listStudioRuns, {
    query: { product_id: [world.productId], kind: ['gate'], limit: 1 },
  });
  expect(listed.body).toMatchObject({ items: [{ id: run.id, verdict: { state: 'green' } }] });
});

it('knows the price that a run needs when it is set', async () => {
  await createCases(1);
  await world.pool.query("delete from llm_prices where starts_with(model, 'gpt-4o-mini')");
  await anna.call(writePrices, {
    body: { items: [{ vendor: 'chatgpt', model: 'gpt-4o', input_per_million: 10, output_per_million: 20 }] },
  });
  const run = await studio.gate();
  expect(run.spent).toBeGreaterThan(0.001);
});
