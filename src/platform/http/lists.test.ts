/** The parameters and answers of every declared list. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type CompanyRowIds, createCompanyWithEveryResource } from '../../testing/everyResource.ts';
import { endpointTitle, sampleOf, urlOf } from '../../testing/sampleRequests.ts';
import { createWorld, type World } from '../../testing/world.ts';
import type { Endpoint } from '../contract.ts';
import { findReferences, type JsonSchema, jsonSchemaOf } from './shapes.ts';

let world: World;
let rows: CompanyRowIds;
let otherRows: CompanyRowIds;
let lists: readonly Endpoint[];
let cookie = '';
/** Computed on request, views of rows that another list filters, or findings in their own order. */
const NO_ROWS = ['GET /v1/outreach/rehearsal', 'GET /v1/inbox/', 'GET /v1/studio/runs/{id}/results'];
/** By days, but of another column. */
const OTHER_DAYS = ['GET /v1/outcomes/'];
const fieldsOf = (shape: Endpoint['query'], io: 'input' | 'output') => jsonSchemaOf(shape, io).properties ?? {};
beforeAll(async () => {
  world = await createWorld({ env: { RAPPORT_ROLES: 'web' } });
  rows = await createCompanyWithEveryResource(world.pool, 'Amber');
  otherRows = await createCompanyWithEveryResource(world.pool, 'Birch');
  ({ cookie } = await world.operator('root'));
  lists = (world.app?.routes ?? [])
    .map((one) => one.endpoint)
    .filter(({ method, replies }) => {
      const answer = method === 'GET' && replies[200] ? fieldsOf(replies[200], 'output') : {};
      return ['items', 'total', 'page', 'limit'].every((field) => field in answer);
    });
});
afterAll(() => world.close());

it('takes pages, dates and a sort order', () => {
  const common = ['page', 'limit', 'order', 'order_by', 'created_from', 'created_to', 'created_timezone', 'with_total'];
  const lacking = lists.flatMap((one) => {
    if ([...NO_ROWS, ...OTHER_DAYS].includes(endpointTitle(one))) return [];
    const missing = common.filter((name) => !(name in fieldsOf(one.query, 'input')));
    return missing.length > 0 ? [`${endpointTitle(one)}: ${missing.join(', ')}`] : [];
  });
  expect(lacking).toEqual([]);
  expect(lists.length).toBeGreaterThan(20);
});

it('checks access to the products by which it is filtered, which stands for its scope', () => {
  const byProduct = lists.map((one) => [endpointTitle(one), fieldsOf(one.query, 'input')['product_id']] as const);
  const unchecked = byProduct.filter(([, filter]) => filter && findReferences(filter)[0]?.resource !== 'product');
  expect(unchecked).toEqual([]);
  expect(byProduct.filter(([, filter]) => filter !== undefined).length).toBeGreaterThan(10);
});

type Fields = Record<string, JsonSchema>;
type Row = Record<string, unknown>;

/** List the fields of a list's rows that must be filters. Fields that the path already fixes are excluded. */
function filtersOf(one: Endpoint): [field: string, schema: JsonSchema][] {
  const rowFields: Fields = fieldsOf(one.replies[200] ?? one.body, 'output')['items']?.items?.properties ?? {};
  const inPath = one.path === '/v1/leads/{id}/events' ? 'lead_id' : 'message_id';
  return Object.entries(rowFields).filter(([field, schema]) => {
    const [bare = schema] = (schema.anyOf ?? [schema]).filter(({ type }) => type !== 'null');
    if (one.path.includes('{') && field === inPath) return false;
    const isId = /^(?:.+_)?id$/.test(field) && (bare.type === 'integer' || bare.type === 'string');
    return isId || bare.type === 'boolean' || bare.enum !== undefined;
  });
}

/** What rows belong to, beyond the fields of the rows themselves. */
const PARENT_FILTERS: Readonly<Record<string, readonly string[]>> = {
  '/v1/messages/': ['lead_id', 'channel_id'],
  '/v1/dialogues/': ['lead_id'],
  '/v1/lead-documents/': ['product_id'],
  '/v1/lead-events/': ['product_id'],
};

it('filters by what rows belong to', async () => {
  for (const [path, fields] of Object.entries(PARENT_FILTERS)) {
    const one = lists.find((each) => each.path === path);
    if (!one) throw new Error(`There is no list ${path}`);
    const all = (await rowsOf(one, {})).map(({ id }) => id);
    for (const field of fields) {
      const own = rows[field.replace('_id', '')];
      const other = otherRows[field.replace('_id', '')];
      const found = async (id: unknown) => (await rowsOf(one, { [field]: String(id) })).map((row) => row['id']);
      const [ofOwn, ofOther] = [await found(own), await found(other)];
      expect([path, field, ofOwn.length > 0, ofOther.length > 0]).toEqual([path, field, true, true]);
      const listed = [...ofOwn, ...ofOther];
      // Each row belongs to one of them, and is listed with that one alone.
      expect([path, field, new Set(listed), listed.length]).toEqual([path, field, new Set(all), all.length]);
    }
  }
});

/** Return the required parameters of a list. */
function required(one: Endpoint): Record<string, string> {
  const { query } = sampleOf(one, (resource) => rows[resource] ?? 1);
  const needed = jsonSchemaOf(one.query, 'input').required ?? [];
  return Object.fromEntries(needed.map((name) => [name, String(query[name])]));
}

async function rowsOf(one: Endpoint, query: Record<string, string>): Promise<Row[]> {
  const sample = sampleOf(one, (resource) => rows[resource] ?? 1);
  const [path] = urlOf(one, { ...sample, query: {} }).split('?');
  const answer = await fetch(
    `${world.url}${path}?${new URLSearchParams({ limit: '100', ...required(one), ...query })}`,
    {
      headers: { cookie },
    },
  );
  if (answer.status !== 200) throw new Error(`${path}?${new URLSearchParams(query)}: ${await answer.text()}`);
  return ((await answer.json()) as { items: Row[] }).items;
}

it('filters by every id, choice and boolean of its rows', async () => {
  const missing: string[] = [];
  const tried: string[] = [];
  for (const one of lists.filter((each) => !NO_ROWS.includes(endpointTitle(each)))) {
    const found = await rowsOf(one, {});
    for (const [field, schema] of filtersOf(one)) {
      if (!(field in fieldsOf(one.query, 'input'))) {
        missing.push(`${endpointTitle(one)}: ${field}`);
        continue;
      }
      const value = found.map((row) => row[field]).find((each) => each !== null && each !== undefined);
      if (value === undefined) continue;
      tried.push(field);
      // Only a complete list shows what a filter leaves out.
      const expected = found.filter((row) => row[field] === value);
      const texts =
        schema.type === 'boolean' ? [String(value), String(value).toUpperCase(), value ? '1' : '0'] : [value];
      for (const text of texts) {
        const narrowed = await rowsOf(one, { [field]: String(text) });
        expect([endpointTitle(one), field, text, narrowed.map((row) => row['id'])]).toEqual([
          endpointTitle(one),
          field,
          text,
          expected.map((row) => row['id']),
        ]);
      }
    }
  }
  expect(missing).toEqual([]);
  expect(tried.length).toBeGreaterThan(60);
});

it('sorts by each declared column in both directions, on the first page and later ones', async () => {
  const wrong: string[] = [];
  for (const one of lists) {
    const named = fieldsOf(one.query, 'input')['order_by']?.enum ?? [];
    const sample = sampleOf(one, (resource) => rows[resource] ?? 1);
    for (const order_by of named)
      for (const order of ['asc', 'desc'])
        for (const page of [1, 2]) {
          const part = { order_by: String(order_by), order, page: String(page), limit: '1' };
          const query = new URLSearchParams({ ...required(one), ...part });
          const days = { created_from: '2020-01-01', created_to: '2100-01-01', created_timezone: 'Asia/Tokyo' };
          const taken = fieldsOf(one.query, 'input');
          for (const [key, value] of Object.entries(days)) if (key in taken) query.set(key, value);
          const path = urlOf(one, { ...sample, query: {} }).split('?')[0];
          const answer = await fetch(`${world.url}${path}?${query}`, { headers: { cookie } });
          if (answer.status !== 200) wrong.push(`${path}?${query}: ${answer.status} ${await answer.text()}`);
        }
  }
  expect(wrong).toEqual([]);
});
