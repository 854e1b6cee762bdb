/** Rows of the ledger and their counts: every count equals the rows that the list finds under the same filter. */
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { AnswerOf } from '../platform/contract.ts';
import type { Client } from '../testing/client.ts';
import { createWorld, type World } from '../testing/world.ts';
import {
  dimensions,
  type Funnel,
  listOutcomes,
  type OutcomeFilter,
  type OutcomeRow,
  type Reached,
  reachable,
  readOutcomeCohorts,
  readOutcomeStrip,
  readOutcomesBy,
  readOutcomesByStep,
} from './outcomeContract.ts';
import { wilsonInterval } from './statistics/proportions.ts';

const ZONE = 'America/Havana';
const ATTEMPTS = 240;

let world: World;
let admin: Client;
let rows: OutcomeRow[];
let promptId = 0;
let preparedId = 0;
let experimentIds: number[] = [];
/** The arms of each attempt, by the id of its row. */
let assignments: Map<number, { experiment_id: number; arm: number }[]>;

beforeAll(async () => {
  world = await createWorld({ env: { RAPPORT_ROLES: 'web' } });
  admin = await world.operator();
  await fill();
  rows = [];
  for (let page = 1; rows.length < ATTEMPTS; page++)
    rows.push(...(await list({ product_id: world.productId }, { page, limit: 100 })).items);
});
afterAll(() => world.close());

type Page = AnswerOf<typeof listOutcomes>;

async function list(filter: OutcomeFilter, page: { page?: number; limit?: number } = {}): Promise<Page> {
  const answer = await admin.call(listOutcomes, { query: { ...filter, ...page } });
  expect(answer).toMatchObject({ status: 200 });
  return answer.body as Page;
}

const totalOf = async (filter: OutcomeFilter) => (await list(filter, { limit: 1 })).total;

/** Store attempts of all kinds around a change of clocks, which in Havana happens at midnight. */
async function fill(): Promise<void> {
  const { pool, productId, whatsapp, telegram } = world;
  const first = async (text: string, values: unknown[]) =>
    Number((await pool.query<{ id: string }>(text, values)).rows[0]?.id);
  await pool.query('update products set timezone = $2 where id = $1', [productId, ZONE]);
  promptId = await first(
    "insert into prompts (product_id, name, type, text, version) values ($1, 'Seller', 'prompt', 'Sell.', 3) returning id",
    [productId],
  );
  preparedId = await first(
    "insert into prepared_messages (product_id, name, type, message) values ($1, 'Hello', 'initial', 'Hello') returning id",
    [productId],
  );
  const importId = await first(
    "insert into lead_imports (product_id, name, import_key) values ($1, 'Fair', gen_random_uuid()) returning id",
    [productId],
  );
  await pool.query(
    `insert into leads (product_id, name, stage, import_id, crm_id, attempt)
     select $1, 'Lead ' || n, 'ongoing', case when n % 5 = 0 then $2::bigint end, case when n % 5 = 1 then n::text end,
            case when n % 3 = 0 then 2 else 1 end
       from generate_series(1, $3::int) n`,
    [productId, importId, (ATTEMPTS * 3) / 4],
  );
  await pool.query(
    `insert into outcomes (lead_id, attempt, product_id)
     select id, 2, product_id from leads where attempt = 2 and product_id = $1`,
    [productId],
  );
  await pool.query(
    `update outcomes o set
       started_at = timestamptz '2026-10-19 12:34:56Z' + k * interval '2 hours 17 minutes', started_by = case when k % 4 = 0 then 'lead' else 'us' end,
       channel_id = case when k % 3 = 0 then $1::bigint else $2 end, sent = k % 7, received = k % 5,
       written_at = case when k % 11 > 0 then timestamptz '2026-10-19 12:35:00Z' + k * interval '2 hours 17 minutes' end,
       delivered_at = case when k % 11 > 1 then now() end, read_at = case when k % 11 > 2 then now() end,
       answered_at = case when k % 11 > 4 then timestamptz '2026-10-19 12:36:00Z' + k * interval '2 hours 17 minutes 1 second' end,
       replied_at = case when k % 11 > 5 then timestamptz '2026-10-19 12:37:00Z' + k * interval '2 hours 17 minutes 2 seconds' end,
       qualified_at = case when k % 11 > 7 then now() end, opted_out_at = case when k % 13 = 0 then now() end,
       handed_over_at = case when k % 6 = 0 then now() end,
       outcome = (array['success', 'refused', 'ignore', 'failed'])[k % 8], ended_by = case when k % 8 between 1 and 4 then (array['anna', 'bot'])[1 + k % 2] end,
       language = (array['ru', 'latin'])[k % 3], operator = case when k % 4 = 1 then 'anna' end, model = case when k % 11 > 5 then 'chatgpt/m' || k % 2 end,
       prepared_message_id = case when k % 5 = 2 then $3::bigint end, text_prompt_id = case when k % 5 = 3 then $4::bigint end,
       text_prompt_version = case when k % 5 = 3 then 1 + k % 3 end,
       prompt_id = case when k % 11 > 5 then $4 + k % 2 end, prompt_version = case when k % 11 > 5 and k % 7 > 0 then 1 + k % 2 end,
       last_prompt_id = case when k % 11 > 6 then $4 end, last_prompt_version = case when k % 11 > 6 then 3 end,
       steps = k % 4, cost = k * 0.00000123
      from (select lead_id, attempt, row_number() over (order by attempt, lead_id)::int as k from outcomes where product_id = $5) n
     where o.lead_id = n.lead_id and o.attempt = n.attempt`,
    [whatsapp.id, telegram.id, preparedId, promptId, productId],
  );
  // Every second attempt got the first follow-up twice.
  await pool.query(
    `insert into outcome_steps (message_id, lead_id, attempt, product_id, step, sent_at, answered_at, opted_out)
     select row_number() over (), lead_id, attempt, product_id, case when s = 4 then 1 else s end, now(), case when (id + s) % 4 = 0 then now() end, (id + s) % 9 = 0
       from outcomes, generate_series(1, 4) s where product_id = $1 and (s <= steps or (s = 4 and steps = 2))`,
    [productId],
  );
  await pool.query(
    `update outcomes o set import_id = l.import_id, source = lead_source(l.import_id, l.crm_id, f.started_by),
            steps_sent = coalesce((select bit_or(1::bigint << (s.step - 1)) from outcome_steps s where s.lead_id = o.lead_id and s.attempt = o.attempt), 0),
            steps_answered = coalesce((select bit_or(1::bigint << (s.step - 1)) from outcome_steps s
                                        where s.lead_id = o.lead_id and s.attempt = o.attempt and s.answered_at is not null), 0),
            steps_opted_out = coalesce((select bit_or(1::bigint << (s.step - 1)) from outcome_steps s
                                         where s.lead_id = o.lead_id and s.attempt = o.attempt and s.opted_out), 0)
       from leads l join outcomes f on f.lead_id = l.id and f.attempt = 1 where l.id = o.lead_id`,
  );
  await assign();
}

/** Assign attempts to two experiments: some to both, and some so that they do not count. */
async function assign(): Promise<void> {
  const { rows: experiments } = await world.pool.query<{ id: number }>(
    `insert into experiments (product_id, name, kind, metric, days, part, base_rate, difference, guards, arms, analyses, per_arm)
     select $1, kind, kind, 'qualified', 7, 1, 0.2, 0.1, '{}', '[{"name": "Old"}, {"name": "New"}]', 5, 300
       from unnest(array['first_text', 'model']) as kind returning id::int`,
    [world.productId],
  );
  experimentIds = experiments.map(({ id }) => id);
  const { rows: assigned } = await world.pool.query<{ id: number; experiment_id: number; arm: number }>(
    `with assigned as (
       insert into experiment_assignments (experiment_id, product_id, lead_id, attempt, arm, excluded)
       select e.id, o.product_id, o.lead_id, o.attempt, case when o.id % 7 > 0 then (o.id + e.place) % 2 end,
              case when o.id % 11 = 0 then 'united' end
         from outcomes o join unnest($1::bigint[]) with ordinality as e (id, place) on o.id % (3 * e.place) = 0
        where o.product_id = $2 and (o.attempt = 1) = (o.lead_id % 2 = 0) returning *
     )
     select o.id::int, x.experiment_id::int, x.arm from assigned x join outcomes o using (lead_id, attempt)
      where x.arm is not null and x.excluded is null`,
    [experimentIds, world.productId],
  );
  assignments = Map.groupBy(assigned, ({ id }) => id);
}

/** The assignments of a row that a filter speaks of. */
const assignmentsOf = ({ id }: OutcomeRow, { experiment_id: experiments, arm }: OutcomeFilter) =>
  (assignments.get(id) ?? []).filter(
    (one) => (experiments?.includes(one.experiment_id) ?? true) && (arm?.includes(one.arm) ?? true),
  );

const local = new Intl.DateTimeFormat('en-CA', {
  timeZone: ZONE,
  hourCycle: 'h23',
  year: 'numeric',
  month: '2-digit',
  day: '2-digit',
  hour: '2-digit',
  weekday: 'short',
});

/** What a row is, in the fields that a filter names but the row does not have. */
function facts(row: OutcomeRow) {
  const parts = Object.fromEntries(
    local.formatToParts(new Date(row.started_at)).map(({ type, value }) => [type, value]),
  );
  const reached: Record<Reached, boolean> = {
    written: row.written_at !== null,
    delivered: row.delivered_at !== null,
    read: row.read_at !== null,
    answered: row.answered_at !== null,
    qualified: row.qualified_at !== null,
    success: row.outcome === 'success',
    refused: row.outcome === 'refused',
    ignored: row.outcome === 'ignore',
    failed: row.outcome === 'failed',
    opted_out: row.opted_out_at !== null,
    handed_over: row.handed_over_at !== null,
  };
  return {
    day: `${parts['year']}-${parts['month']}-${parts['day']}`,
    hour: Number(parts['hour']),
    weekday: ['Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat', 'Sun'].indexOf(parts['weekday'] ?? '') + 1,
    reached,
    without: {
      first_text: row.prepared_message_id === null && row.text_prompt_id === null,
      prompt_version: row.prompt_id === null,
      last_prompt_version: row.last_prompt_id === null,
      model: row.model === null,
      language: row.language === null,
      operator: row.operator === null,
      outcome: row.outcome === null,
      ended_by: row.ended_by === null,
      import: row.import_id === null,
      refusal_reason: true,
      arm: !assignments.has(row.id),
    },
  };
}

/** Whether a row matches, decided without the database. */
function matches(row: OutcomeRow, filter: OutcomeFilter): boolean {
  const {
    product_id: _productId,
    started_from: from,
    started_to: to,
    reached,
    without,
    hour,
    weekday,
    experiment_id: experiments,
    arm,
    ...equal
  } = filter;
  const fact = facts(row);
  return (
    (from === undefined || fact.day >= from) &&
    (to === undefined || fact.day <= to) &&
    (reached ?? []).every((name) => fact.reached[name]) &&
    (without ?? []).every((name) => fact.without[name]) &&
    (hour?.includes(fact.hour) ?? true) &&
    (weekday?.includes(fact.weekday) ?? true) &&
    ((experiments ?? arm) === undefined || assignmentsOf(row, filter).length > 0) &&
    Object.entries(equal).every(([field, values]) => {
      const value =
        row[field as keyof OutcomeRow] ??
        (field.endsWith('prompt_version') && row[field.replace('version', 'id') as 'prompt_id'] !== null ? 0 : null);
      return (values as readonly unknown[]).includes(value);
    })
  );
}

const days = fc
  .integer({ min: 0, max: 27 })
  .map((more) => new Date(Date.UTC(2026, 9, 17 + more)).toISOString().slice(0, 10));
const some = <T>(values: fc.Arbitrary<T>) =>
  fc.option(fc.uniqueArray(values, { minLength: 1, maxLength: 3 }), { nil: undefined, freq: 2 });

/** Filters of every kind; most have one to three of them. */
const filters: fc.Arbitrary<Partial<OutcomeFilter>> = fc
  .record({
    started_from: fc.option(days, { nil: undefined }),
    started_to: fc.option(days, { nil: undefined }),
    messenger: some(fc.constantFrom('whatsapp', 'telegram')),
    language: some(fc.constantFrom('ru', 'latin', 'uk')),
    started_by: some(fc.constantFrom('us', 'lead')),
    source: some(fc.constantFrom('import', 'crm', 'inbound', 'api')),
    text_prompt_version: some(fc.constantFrom(0, 1, 2)),
    prompt_version: some(fc.constantFrom(0, 1, 2)),
    model: some(fc.constantFrom('chatgpt/m0', 'chatgpt/m1')),
    operator: some(fc.constantFrom('anna', 'boris')),
    hour: some(fc.integer({ min: 0, max: 23 })),
    weekday: some(fc.integer({ min: 1, max: 7 })),
    outcome: some(fc.constantFrom('success', 'refused', 'ignore', 'failed')),
    ended_by: some(fc.constantFrom('anna', 'bot')),
    reached: some(fc.constantFrom(...reachable)),
    // The place of the experiment, until there are some.
    experiment_id: some(fc.constantFrom(0, 1)),
    arm: some(fc.constantFrom(0, 1)),
    without: some(
      fc.constantFrom('model', 'language', 'operator', 'outcome', 'first_text', 'prompt_version', 'import', 'arm'),
    ),
  } satisfies Record<string, fc.Arbitrary<unknown>>)
  .chain((all) => fc.subarray(Object.entries(all), { maxLength: 3 }))
  .map((entries) => Object.fromEntries(entries.filter(([, value]) => value !== undefined)));

const filterOf = ({ experiment_id: places, ...part }: Partial<OutcomeFilter>): OutcomeFilter => ({
  product_id: world.productId,
  ...part,
  ...(places && { experiment_id: places.map((place) => experimentIds[place] ?? 0) }),
});

function expectCounts(figures: Funnel, expected: readonly OutcomeRow[]): void {
  expect(figures.attempts).toBe(expected.length);
  for (const name of reachable) {
    const count = expected.filter((row) => facts(row).reached[name]).length;
    expect([name, figures[name]]).toEqual([name, count]);
    const { lower: low, upper: high } = wilsonInterval({ n: expected.length, successes: count }, 1.959963984540054);
    expect(figures.rates[name]).toEqual({ rate: expected.length === 0 ? null : count / expected.length, low, high });
  }
  expect(figures.cost).toBeCloseTo(
    expected.reduce((sum, { cost }) => sum + cost, 0),
    8,
  );
  expect(figures.too_few).toBe(expected.length < 30);
}

describe('counts', () => {
  it('are those of the rows that the list finds under the same filter', async () => {
    await fc.assert(
      fc.asyncProperty(filters, fc.constantFrom(...reachable), async (part, name) => {
        const filter = filterOf(part);
        const expected = rows.filter((row) => matches(row, filter));
        expect(await totalOf(filter)).toBe(expected.length);
        const strip = (await admin.call(readOutcomeStrip, { query: filter })).body as AnswerOf<typeof readOutcomeStrip>;
        expectCounts(strip.current, expected);
        expect(await totalOf({ ...filter, reached: [...(filter.reached ?? []), name] })).toBe(strip.current[name]);
        if (strip.previous && strip.previous_period) {
          const { from, to } = strip.previous_period;
          expectCounts(
            strip.previous,
            rows.filter((row) => matches(row, { ...filter, started_from: from, started_to: to })),
          );
        }
        const cohorts = (await admin.call(readOutcomeCohorts, { query: filter })).body as AnswerOf<
          typeof readOutcomeCohorts
        >;
        expect(cohorts.items.reduce((sum, { attempts }) => sum + attempts, 0)).toBe(expected.length);
      }),
      { numRuns: 60 },
    );
  });

  it.each(dimensions)('by %s add up, and each row opens what it counts', async (dimension) => {
    await fc.assert(
      fc.asyncProperty(filters, async (part) => {
        const filter = filterOf(part);
        const expected = rows.filter((row) => matches(row, filter));
        const answer = await admin.call(readOutcomesBy, { params: { dimension }, query: filter });
        const { items } = answer.body as AnswerOf<typeof readOutcomesBy>;
        // An attempt in two experiments is in an arm of each.
        const times = (row: OutcomeRow) => (dimension === 'arm' ? Math.max(1, assignmentsOf(row, filter).length) : 1);
        expect(items.reduce((sum, { attempts }) => sum + attempts, 0)).toBe(
          expected.reduce((sum, row) => sum + times(row), 0),
        );
        expect(new Set(items.map(({ value }) => value)).size).toBe(items.length);
        for (const item of items) {
          const found = expected.filter((row) => matches(row, item.filter));
          expectCounts(item, found);
          expect(item.label).not.toBe('');
        }
        const [item] = items;
        if (item) expect(await totalOf(item.filter)).toBe(item.attempts);
      }),
      { numRuns: 8 },
    );
  });

  it('by follow-up are of attempts, however often it was sent in one', async () => {
    for (const part of [{}, { step: [2] }, { hour: [10, 11, 12] }, { reached: ['answered' as const] }]) {
      const filter = { product_id: world.productId, ...part };
      const { items } = (await admin.call(readOutcomesByStep, { query: filter })).body as AnswerOf<
        typeof readOutcomesByStep
      >;
      expect(items.map(({ value }) => value)).toEqual([1, 2, 3]);
      for (const { value, filter: own, sent, answered, opted_out: optedOut } of items) {
        expect(await totalOf(own)).toBe(sent);
        expect(await totalOf({ ...own, step_answered: [value] })).toBe(answered);
        expect(await totalOf({ ...own, step_opted_out: [value] })).toBe(optedOut);
        expect(answered + optedOut).toBeGreaterThan(0);
      }
    }
  });
});

describe('the strip', () => {
  it('compares with as many days before, and gives medians', async () => {
    const query = { product_id: world.productId, started_from: '2026-11-01', started_to: '2026-11-07' };
    const strip = (await admin.call(readOutcomeStrip, { query })).body as AnswerOf<typeof readOutcomeStrip>;
    expect(strip).toMatchObject({
      timezone: ZONE,
      period: { from: '2026-11-01', to: '2026-11-07' },
      previous_period: { from: '2026-10-25', to: '2026-10-31' },
    });
    const found = rows.filter((row) => matches(row, query));
    const median = (values: readonly number[]) => values.toSorted((a, b) => a - b)[Math.ceil(values.length / 2) - 1];
    const between = (from: 'written_at' | 'answered_at', to: 'answered_at' | 'replied_at') =>
      found.flatMap((row) => {
        const seconds = (Date.parse(row[to] ?? '') - Date.parse(row[from] ?? '')) / 1000;
        return seconds > 0 ? [seconds] : [];
      });
    expect(strip.seconds_to_answer).toBe(median(between('written_at', 'answered_at')));
    expect(strip.seconds_to_reply).toBe(median(between('answered_at', 'replied_at')));
  });

  it('has nothing to compare with where no period is named, or none was before', async () => {
    for (const part of [
      {},
      { started_to: '2026-11-07' },
      { started_from: '0001-01-01' },
      { started_from: '2026-11-07', started_to: '2026-11-01' },
    ]) {
      const answer = await admin.call(readOutcomeStrip, { query: { product_id: world.productId, ...part } });
      expect(answer).toMatchObject({ status: 200, body: { previous: null, previous_period: null } });
    }
  });

  it('of no attempts has no rates', async () => {
    const answer = await admin.call(readOutcomeStrip, { query: { product_id: world.productId, language: ['ka'] } });
    expect(answer.body).toMatchObject({
      current: {
        attempts: 0,
        cost: 0,
        cost_per_success: null,
        too_few: true,
        rates: { answered: { rate: null, low: 0, high: 1 } },
      },
      seconds_to_answer: null,
    });
  });
});

it('labels prompts with their versions, also those that are gone', async () => {
  const labels = async (dimension: (typeof dimensions)[number]) =>
    (
      (await admin.call(readOutcomesBy, { params: { dimension }, query: { product_id: world.productId } }))
        .body as AnswerOf<typeof readOutcomesBy>
    ).items.map(({ label }) => label);
  expect((await labels('first_text')).toSorted()).toEqual([
    'Hello',
    'None',
    'Seller, version 1',
    'Seller, version 2',
    'Seller, version 3',
  ]);
  expect(await labels('prompt_version')).toEqual(
    expect.arrayContaining(['Seller', 'Seller, version 1', `Prompt ${promptId + 1}, version 2`, 'None']),
  );
  expect(await labels('last_prompt_version')).toContain('Seller, version 3');
  expect(await labels('messenger')).toEqual(['Telegram', 'WhatsApp']);
});

it('keeps members of other companies out, and refuses filters that it does not have', async () => {
  const { rows: companies } = await world.pool.query<{ id: string }>(
    "insert into companies (name) values ('Others') returning id",
  );
  const stranger = await world.operator('stranger', [Number(companies[0]?.id)]);
  const own = await world.operator('own', [world.companyId]);
  const query = { product_id: world.productId };
  for (const endpoint of [listOutcomes, readOutcomeStrip, readOutcomesByStep, readOutcomeCohorts]) {
    expect((await stranger.call(endpoint, { query })).status).toBe(404);
    expect((await own.call(endpoint, { query })).status).toBe(200);
    expect((await world.anonymousClient().call(endpoint, { query })).status).toBe(401);
    expect((await own.call(endpoint, {})).status).toBe(422);
    for (const wrong of [
      'hour=24',
      'weekday=0',
      'reached=moon',
      'source=fair',
      'started_from=yesterday',
      'planet=mars',
    ])
      expect([wrong, (await own.fetch(`${endpoint.path}?product_id=${world.productId}&${wrong}`)).status]).toEqual([
        wrong,
        422,
      ]);
  }
  expect((await stranger.call(readOutcomesBy, { params: { dimension: 'hour' }, query })).status).toBe(404);
  expect((await own.fetch(`/v1/outcomes/by/planet?product_id=${world.productId}`)).status).toBe(422);
});

it('finds no rows of another product by its ids', async () => {
  const { rows: others } = await world.pool.query<{ id: string }>(
    "insert into products (company_id, name) values ($1, 'Other') returning id",
    [world.companyId],
  );
  const other = { product_id: Number(others[0]?.id) };
  expect(await totalOf({ ...other, channel_id: [world.whatsapp.id] })).toBe(0);
  expect(await totalOf({ ...other, lead_id: [rows[0]?.lead_id ?? 0] })).toBe(0);
  expect((await admin.call(readOutcomeCohorts, { query: other })).body).toEqual({ items: [] });
});
