/** Refusals, response times and spending: each figure equals a count of the rows behind it, one by one. */
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { AnswerOf } from '../platform/contract.ts';
import type { Client } from '../testing/client.ts';
import { createWorld, type World } from '../testing/world.ts';
import { readOutcomeSpending, readRefusals, readResponseTimes } from './insightContract.ts';
import { listOutcomes, type OutcomeFilter, type OutcomeRow, readOutcomeStrip } from './outcomeContract.ts';

const LEADS = 200;

let world: World;
let admin: Client;
let rows: OutcomeRow[];
let facts: Map<string, Facts>;

interface Facts {
  readonly events: readonly { readonly to: string | null; readonly reason: string | null }[];
  readonly people: readonly { readonly at: string; readonly operator: string | null }[];
  readonly runs: readonly { readonly key: string; readonly cost: number | null; readonly tokens: number | null }[];
}

beforeAll(async () => {
  world = await createWorld({ env: { RAPPORT_ROLES: 'web' } });
  admin = await world.operator();
  await fill();
  rows = await listAll({});
  facts = await readFacts();
});
afterAll(() => world.close());

async function listAll(part: Partial<OutcomeFilter>): Promise<OutcomeRow[]> {
  const found: OutcomeRow[] = [];
  for (let page = 1; ; page++) {
    const query = { product_id: world.productId, ...part, page, limit: 100 };
    const { items } = (await admin.call(listOutcomes, { query })).body as AnswerOf<typeof listOutcomes>;
    found.push(...items);
    if (items.length < 100) return found;
  }
}

/** Store leads with messages, events and runs in the order of their times; triggers count them. */
async function fill(): Promise<void> {
  const { pool, productId, whatsapp } = world;
  await pool.query(`insert into leads (product_id, name) select $1, 'Lead ' || n from generate_series(1, $2::int) n`, [
    productId,
    LEADS,
  ]);
  await pool.query(
    `insert into contacts (lead_id, product_id, contact, contact_type, address)
     select id, product_id, '+7900' || id, 'whatsapp', '7900' || id from leads where product_id = $1`,
    [productId],
  );
  await pool.query(
    `insert into dialogues (product_id, contact_id, channel_id, address)
     select product_id, id, $2, address from contacts where product_id = $1`,
    [productId, whatsapp.id],
  );
  const start = `timestamptz '2026-08-01 09:00:00Z' + d.n * interval '11 hours'`;
  const from = `(select row_number() over (order by id)::int as n, (select lead_id from contacts c where c.id = contact_id) as lead_id, *
    from dialogues where product_id = $1) d`;
  const say = (who: string, after: string, where: string) =>
    pool.query(
      `insert into messages (product_id, contact_id, dialogue_id, channel_id, message, side, author, operator, status, created_at, thread_at)
       select product_id, contact_id, id, channel_id, 'Words of lead ' || n, ${who}, ${start} + ${after}, ${start} + ${after} from ${from} where ${where}`,
      [productId],
    );
  const happen = (type: string, content: string, where: string) =>
    pool.query(
      `insert into lead_events (lead_id, product_id, event_type, event_data, created_at)
       select lead_id, product_id, '${type}', jsonb_strip_nulls(${content}), ${start} + interval '2 hours' from ${from} where ${where}`,
      [productId],
    );
  await say(`'bot', 'bot', null, 'read'`, `interval '0'`, 'n % 9 <> 5');
  await say(`'user', 'lead', null, 'inbound'`, `interval '1 hour'`, 'n % 3 > 0');
  await say(`'bot', 'operator', 'early', 'sent'`, `interval '90 minutes'`, 'n % 7 = 0');
  await happen('handed_over', `jsonb_build_object('reason', 'asked_for_human')`, 'n % 4 > 1');
  await happen('handed_over', `jsonb_build_object('reason', 'asked_for_human')`, 'n % 8 = 3');
  // Set twice: the newest reason counts.
  const reason = `(array['  Too expensive. ', 'too EXPENSIVE', 'Дорого', 'дорого.', 'Bought elsewhere ' || n, '...', null])[1 + n % 7]`;
  const refused = (by: string, why: string) =>
    `jsonb_build_object('from', 'ongoing', 'to', 'refused', 'by', ${by}, 'reason', ${why})`;
  await happen('stage_changed', refused(`'anna'`, `'A mistake'`), 'n % 10 = 1');
  await happen('stage_changed', refused(`(array['classification', 'anna'])[1 + n % 3]`, reason), 'n % 5 = 1');
  await happen('stage_changed', `jsonb_build_object('from', 'ongoing', 'to', 'success', 'by', 'anna')`, 'n % 10 = 2');
  await happen('deactivated', `jsonb_build_object('by', 'lead')`, 'n % 6 = 1');
  await say(
    `'bot', 'operator', (array['anna', 'boris'])[1 + n % 2], (array['sent', 'read', 'error'])[1 + n % 3]`,
    `interval '3 hours' + n % 13 * interval '7 minutes'`,
    'n % 5 > 1',
  );
  await say(`'bot', 'phone', null, 'sent'`, `interval '5 hours'`, 'n % 11 > 2');
  // Leads that refused and write again begin another attempt, with runs of its own.
  await say(`'user', 'lead', null, 'inbound'`, `interval '9 days'`, 'n % 15 = 1');
  await pool.query(
    `insert into llm_runs (product_id, lead_id, purpose, name, model_vendor, model_name, execution_ms, cost, token_input_usage)
     select $1, lead_id, (array['chatbot', 'classification', 'ping'])[1 + (n + k) % 3], 'Seller', 'chatgpt', 'm' || (n * k) % 2, 5,
            case when (n + k) % 4 > 0 then n * k * 0.00000123 end, case when n % 2 = 0 then 100 end
       from ${from}, generate_series(0, n % 4) k where k > 0`,
    [productId],
  );
}

/** What the answers are made of, by lead and attempt. */
async function readFacts(): Promise<Map<string, Facts>> {
  const { rows: all } = await world.pool.query<Facts & { lead_id: string; attempt: number }>(
    `select o.lead_id, o.attempt,
       array(select jsonb_build_object('to', e.event_data->>'to', 'reason', e.event_data->>'reason') from lead_events e
              where e.lead_id = o.lead_id and e.attempt = o.attempt and e.event_type = 'stage_changed' order by id) as events,
       array(select jsonb_build_object('at', m.created_at, 'operator', m.operator) from messages m join contacts c on c.id = m.contact_id
              where c.lead_id = o.lead_id and m.attempt = o.attempt and author in ('operator', 'phone') and status <> 'error' order by m.created_at, m.id) as people,
       array(select jsonb_build_object('key', r.purpose || ':' || r.model_vendor || '/' || r.model_name, 'cost', r.cost, 'tokens', r.token_input_usage) from llm_runs r
              where r.lead_id = o.lead_id and r.attempt = o.attempt) as runs
       from outcomes o where product_id = $1`,
    [world.productId],
  );
  return new Map(all.map((row) => [`${row.lead_id}:${row.attempt}`, row]));
}

const factsOf = ({ lead_id: lead, attempt }: OutcomeRow): Facts => {
  const found = facts.get(`${lead}:${attempt}`);
  if (!found) throw new Error('Every row has facts');
  return found;
};

const normal = (reason: string | null): string | null =>
  reason
    ?.replace(/^[\s.]+|[\s.]+$/g, '')
    .toLowerCase()
    .slice(0, 200) || null;

/** What a row is counted as among refusals; null if it is none. */
function refusalOf(row: OutcomeRow): string | null {
  if (row.opted_out_at !== null) return JSON.stringify(['opted_out', null, null]);
  if (row.outcome !== 'refused') return null;
  const reason = factsOf(row).events.findLast(({ to }) => to === 'refused')?.reason ?? null;
  return JSON.stringify(['refused', row.ended_by, normal(reason)]);
}

function responseOf(row: OutcomeRow): { readonly operator: string | null; readonly seconds: number } | null {
  const handed = Date.parse(row.handed_over_at ?? '');
  const first = factsOf(row).people.find(({ at }) => Date.parse(at) >= handed);
  return first ? { operator: first.operator, seconds: (Date.parse(first.at) - handed) / 1000 } : null;
}

const quantile = (values: readonly number[], share: number): number | null =>
  values.toSorted((a, b) => a - b)[Math.ceil(values.length * share) - 1] ?? null;

const ids = (of: readonly OutcomeRow[]): number[] => of.map(({ id }) => id).toSorted((a, b) => a - b);
const found = async (filter: OutcomeFilter): Promise<number[]> => ids(await listAll(filter));

const day = fc.integer({ min: 0, max: 100 }).map((n) => new Date(Date.UTC(2026, 7, 1 + n)).toISOString().slice(0, 10));
const filters: fc.Arbitrary<Partial<OutcomeFilter>> = fc.record(
  {
    started_from: day,
    started_to: day,
    started_by: fc.constantFrom(['us' as const], ['lead' as const]),
    reached: fc.subarray(['answered' as const, 'handed_over' as const], { maxLength: 1 }),
    outcome: fc.constantFrom(['refused' as const], ['success' as const, 'refused' as const]),
    without: fc.constantFrom(['operator' as const], ['refusal_reason' as const]),
  },
  { requiredKeys: [] },
);

/** Ask under a filter; `expected` are the rows that the list finds under the same. */
const check = (
  runs: number,
  ask: (filter: OutcomeFilter, expected: readonly OutcomeRow[]) => Promise<void>,
): Promise<void> =>
  fc.assert(
    fc.asyncProperty(filters, async (part) => {
      const filter = { product_id: world.productId, ...part };
      await ask(filter, await listAll(filter));
    }),
    { numRuns: runs, examples: [[{}]] },
  );

describe('the figures are those of a count, row by row', () => {
  it('for refusals', async () => {
    expect(new Set(rows.map(refusalOf)).size).toBeGreaterThan(8);
    await check(12, async (filter, expected) => {
      const body = (await admin.call(readRefusals, { query: filter })).body as AnswerOf<typeof readRefusals>;
      const groups = Map.groupBy(expected, refusalOf);
      groups.delete(null);
      const refusals = [...groups.values()].flat();
      expect(body).toMatchObject({
        attempts: expected.length,
        refusals: refusals.length,
        others: { groups: 0, count: 0 },
      });
      expect(body.items).toHaveLength(groups.size);
      expect(await found(body.filter)).toEqual(ids(refusals));
      for (const item of body.items) {
        const own = groups.get(JSON.stringify([item.refusal, item.ended_by, item.reason])) ?? [];
        expect(item.count).toBe(own.length);
        expect(await found(item.filter)).toEqual(ids(own));
        expect(item.examples).toHaveLength(Math.min(3, own.length));
        for (const { lead_id: lead, text } of item.examples) {
          expect(own.map((row) => row.lead_id)).toContain(lead);
          if (item.refusal === 'refused') expect(normal(text)).toBe(item.reason);
        }
      }
    });
  });

  it('for response times', async () => {
    await check(12, async (filter, expected) => {
      const body = (await admin.call(readResponseTimes, { query: filter })).body as AnswerOf<typeof readResponseTimes>;
      const handed = expected.filter((row) => row.handed_over_at !== null);
      const answered = handed.filter((row) => responseOf(row) !== null);
      const times = (of: readonly OutcomeRow[]) => of.map((row) => responseOf(row)?.seconds ?? Number.NaN);
      const figures = (of: readonly OutcomeRow[]) => ({
        answered: of.length,
        median: quantile(times(of), 0.5),
        p90: quantile(times(of), 0.9),
      });
      expect(body).toMatchObject({
        handed_over: handed.length,
        unanswered: handed.length - answered.length,
        overall: figures(answered),
      });
      expect(await found(body.handed_over_filter)).toEqual(ids(handed));
      expect(await found(body.unanswered_filter)).toEqual(ids(handed.filter((row) => responseOf(row) === null)));
      expect(await found(body.overall.filter)).toEqual(ids(answered));
      const groups = Map.groupBy(answered, (row) => responseOf(row)?.operator ?? null);
      expect(body.items).toHaveLength(groups.size);
      for (const item of body.items) {
        const own = groups.get(item.operator) ?? [];
        expect(item).toMatchObject(figures(own));
        expect(await found(item.filter)).toEqual(ids(own));
      }
    });
    expect(new Set(rows.flatMap((row) => responseOf(row)?.operator ?? [])).size).toBe(2);
  });

  it('for spending', async () => {
    await check(10, async (filter, expected) => {
      const strip = (await admin.call(readOutcomeStrip, { query: filter })).body as AnswerOf<typeof readOutcomeStrip>;
      for (const by of ['day', 'week'] as const) {
        const query = { ...filter, by };
        const body = (await admin.call(readOutcomeSpending, { query })).body as AnswerOf<typeof readOutcomeSpending>;
        const { attempts, qualified, success, cost } = strip.current;
        expect(body.total).toMatchObject({ attempts, qualified, success, cost });
        const sum = (costs: readonly { readonly cost: number }[]) => costs.reduce((total, one) => total + one.cost, 0);
        expect(sum(body.periods)).toBeCloseTo(cost, 8);
        expect(sum(body.models)).toBeCloseTo(cost, 8);
        for (const period of body.periods) expect(sum(period.models)).toBeCloseTo(period.cost, 8);
        const [period] = body.periods;
        if (period) {
          const own = await listAll(period.filter);
          expect(own).toHaveLength(period.attempts);
          expect(sum(own)).toBeCloseTo(period.cost, 8);
        }
        const keys = new Set(expected.flatMap((row) => factsOf(row).runs.map(({ key }) => key)));
        expect(body.models).toHaveLength(keys.size);
        for (const { purpose, model, runs, unpriced, filter: own } of body.models) {
          const isOwn = ({ key }: { key: string }) => key === `${purpose}:${model}`;
          const having = expected.filter((row) => factsOf(row).runs.some(isOwn));
          const all = having.flatMap((row) => factsOf(row).runs.filter(isOwn));
          expect([runs, unpriced]).toEqual([
            all.length,
            all.filter((run) => run.cost === null && run.tokens !== null).length,
          ]);
          if (by === 'week') expect(await found(own)).toEqual(ids(having));
        }
      }
    });
  });
});

it('shows the last words before an opt-out', async () => {
  const body = (await admin.call(readRefusals, { query: { product_id: world.productId } })).body as AnswerOf<
    typeof readRefusals
  >;
  const texts = body.items.find(({ refusal }) => refusal === 'opted_out')?.examples.map(({ text }) => text);
  expect(texts).toContainEqual(expect.stringMatching(/^Words of lead \d+$/));
});

it('keeps members of other companies out', async () => {
  const { rows: companies } = await world.pool.query<{ id: string }>(
    "insert into companies (name) values ('Others') returning id",
  );
  const stranger = await world.operator('stranger', [Number(companies[0]?.id)]);
  const own = await world.operator('own', [world.companyId]);
  const query = { product_id: world.productId };
  for (const endpoint of [readRefusals, readResponseTimes, readOutcomeSpending]) {
    expect((await stranger.call(endpoint, { query })).status).toBe(404);
    expect((await own.call(endpoint, { query })).status).toBe(200);
    expect((await own.call(endpoint, {})).status).toBe(422);
  }
});
