/** What a vendor bills is counted, whatever came of the call: in the run, the spending, the ledger and the budget. */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Client } from '../testing/client.ts';
import { type ModelVendor, startModelVendor, textAnswer, type VendorAnswer } from '../testing/modelVendor.ts';
import { createWorld, type TestLead, type World } from '../testing/world.ts';
import { type Budget, readBudget } from './budgetContract.ts';
import { costOfDialogue, costOfLead, readSpending, type Spending, type Sums } from './costContract.ts';
import { generate, resetRefused, testCredential } from './settingsContract.ts';

let world: World;
let vendor: ModelVendor;
let admin: Client;
beforeAll(async () => {
  world = await createWorld();
  vendor = await startModelVendor(world);
  admin = await world.operator('root');
});
afterAll(async () => {
  await vendor.close();
  await world.close();
});
beforeEach(async () => {
  await world.pool.query('delete from llm_spending');
  await world.pool.query('delete from llm_runs');
});

/** 0.75 $ at the price of gpt-4o-mini, by which the world's bot answers: 0.15 and 0.6 $ a million tokens. */
const USAGE = { prompt_tokens: 1_000_000, completion_tokens: 1_000_000 };
const BILLED = 0.75;
const part = (content: string, usage: object = USAGE) => ({ choices: [{ delta: { content } }], usage });
const call = (args: string) => ({
  choices: [{ delta: { tool_calls: [{ index: 0, id: 'a', function: { name: 'read_texts', arguments: args } }] } }],
});

const spending = async () =>
  ((await admin.call(readSpending, { params: { id: world.companyId } })).body as Spending).items;
const spent = async () => (await spending()).reduce((sum, one) => sum + one.cost, 0);

async function credentialId(): Promise<number> {
  const { rows } = await world.pool.query<{ id: string }>(
    "select id from company_llms where company_id = $1 and vendor = 'chatgpt'",
    [world.companyId],
  );
  return Number(rows[0]?.id);
}

/** Where the money of a lead is shown; all must be one sum. */
async function sumsOf(lead: TestLead): Promise<number[]> {
  const id = await lead.dialogueId();
  const { rows } = await world.pool.query<{ runs: string; ledger: string }>(
    `select (select coalesce(sum(cost), 0) from llm_runs where lead_id = $1) as runs,
            (select coalesce(sum(cost), 0) from outcomes where lead_id = $1) as ledger`,
    [lead.leadId],
  );
  return [
    Number(rows[0]?.runs),
    Number(rows[0]?.ledger),
    ((await admin.call(costOfLead, { params: { id: lead.leadId } })).body as Sums).cost,
    ((await admin.call(costOfDialogue, { params: { id } })).body as Sums).cost,
    await spent(),
    ((await admin.call(readBudget, { params: { id: world.companyId } })).body as Budget).spent_today,
  ];
}

describe('an answer to a lead is counted when it', () => {
  const fine = textAnswer('Six weeks.', { prompt_tokens: 0, completion_tokens: 0 });
  it.each<[end: string, answers: VendorAnswer[], billed: number]>([
    ['is sent', [textAnswer('Six weeks.', USAGE)], 1],
    ['ends for its length', [textAnswer('Six', USAGE, 'length'), fine], 1],
    ['is cut by a content filter', [textAnswer('Six', USAGE, 'content_filter'), fine], 1],
    [
      'is a refusal',
      [
        {
          events: [{ choices: [{ delta: { refusal: 'No' }, finish_reason: 'stop' }] }, { choices: [], usage: USAGE }],
        },
        fine,
      ],
      1,
    ],
    ['cannot be used', [textAnswer('{"half":', USAGE), fine], 1],
    ['is not readable', [{ events: [part('Six'), 'data: {"half\n\n'] }, fine], 1],
    ['breaks off in the middle', [{ events: [part('Six')], isCut: true }, fine], 1],
    ['ends in an error', [{ events: [part('Six'), { error: { message: 'Overloaded' } }] }, fine], 1],
    [
      'reports zero last',
      [
        {
          events: [
            part('Six weeks.'),
            { choices: [{ delta: {}, finish_reason: 'stop' }], usage: { prompt_tokens: 0, completion_tokens: 0 } },
          ],
        },
      ],
      1,
    ],
    [
      'calls a tool that does not exist',
      [{ events: [call('{}'), { choices: [{ delta: {}, finish_reason: 'tool_calls' }], usage: USAGE }] }, fine],
      1,
    ],
    [
      'fails three times, billed each time',
      [...Array.from({ length: 3 }, () => ({ events: [part('Six')], isCut: true })), fine],
      3,
    ],
  ])('%s', async (_end, answers, billed) => {
    vendor.answer(...answers);
    const anna = await world.lead('Anna');
    const before = vendor.requests.length;
    await anna.writes('How long does delivery take?');
    await world.waitUntil(async () => (await spent()) > 0, 'the call is counted');
    const sums = await sumsOf(anna);
    expect(sums).toEqual(sums.map(() => sums[0]));
    if (answers.length > 1) expect(sums[0]).toBeCloseTo(BILLED * billed, 8);
    else expect(sums[0]).toBeCloseTo(BILLED * (vendor.requests.length - before), 8);
    vendor.answer(fine);
    await world.pool.query('update dialogues set turn_due_at = null, turn_retry_at = null');
    // What is still being asked would take the answers of the next test.
    await world.drain();
  });

  it('records each request of a call', async () => {
    vendor.answer({ events: [part('Six')], isCut: true }, textAnswer('Six weeks.', USAGE));
    const anna = await world.lead('Anna');
    await anna.writes('How long does delivery take?');
    await world.drain();
    const { rows } = await world.pool.query(
      "select token_input_usage as input, token_output_usage as output, metadata->'usage' as usage from llm_runs where lead_id = $1",
      [anna.leadId],
    );
    expect(rows).toEqual([
      {
        input: 2_000_000,
        output: 2_000_000,
        usage: [
          { inputTokens: 1_000_000, outputTokens: 1_000_000, end: 'failed' },
          { inputTokens: 1_000_000, outputTokens: 1_000_000, end: 'stop' },
        ],
      },
    ]);
  });
});

it('counts a failed answer outside conversations', async () => {
  vendor.answer(textAnswer('Six', USAGE, 'length'));
  const body = { product_id: world.productId, purpose: 'document' as const, content: 'Write.' };
  const before = vendor.requests.length;
  expect((await admin.call(generate, { body })).status).toBe(503);
  const cost = BILLED * (vendor.requests.length - before);
  expect(await spending()).toMatchObject([{ purpose: 'document', runs: 1, cost }]);
});

it('counts each call of a test of a key, also one that fails', async () => {
  const id = await credentialId();
  vendor.answer(textAnswer('ok', USAGE), textAnswer('Cannot', USAGE), textAnswer('o', USAGE, 'length'));
  expect((await admin.call(testCredential, { params: { id } })).body).toMatchObject({ ok: true });
  expect((await admin.call(testCredential, { params: { id } })).body).toMatchObject({ ok: false });
  expect(await spending()).toMatchObject([{ purpose: 'test', vendor: 'chatgpt', runs: 3, cost: BILLED * 3 }]);
});

it('counts what was used before a server has refused a parameter', async () => {
  const refusal = { error: { message: "Unsupported value: 'temperature'", code: 400 } };
  vendor.answer({ events: [part(''), refusal] }, textAnswer('Six weeks.', USAGE));
  const body = { product_id: world.productId, purpose: 'document' as const, content: 'Write.' };
  expect((await admin.call(generate, { body })).status).toBe(200);
  expect(await spending()).toMatchObject([{ purpose: 'document', runs: 1, cost: BILLED * 2 }]);
  await admin.call(resetRefused, { params: { id: await credentialId() } });
});

it('counts a call that ends while the database is away', async () => {
  await world.pool.query(`
    create sequence outages;
    create function outage() returns trigger language plpgsql as $$ begin
      if nextval('outages') = 1 then raise exception 'away' using errcode = '57P03'; end if;
      return null;
    end $$;
    create trigger outage after insert on llm_runs for each statement execute function outage();
    grant usage on sequence outages to public`);
  try {
    vendor.answer(textAnswer('Six weeks.', USAGE));
    const body = { product_id: world.productId, purpose: 'document' as const, content: 'Write.' };
    expect((await admin.call(generate, { body })).status).toBe(200);
    expect(await spending()).toMatchObject([{ purpose: 'document', runs: 1, cost: BILLED }]);
  } finally {
    await world.pool.query('drop trigger outage on llm_runs; drop function outage; drop sequence outages');
  }
});

it('keeps an answer whose usage makes no sense', async () => {
  const usage = [-5, 1.5, 1e300, 'many', null, {}];
  for (const [index, completion_tokens] of usage.entries()) {
    vendor.answer(textAnswer('Six weeks.', { prompt_tokens: 1, completion_tokens: completion_tokens as number }));
    const lead = await world.lead(`Lead ${index}`);
    await lead.writes('How long does delivery take?');
    await world.drain();
    expect(await lead.sees()).toEqual(['lead: How long does delivery take?', 'us: Six weeks.']);
  }
});
