import type pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { freshDatabase } from '../../testing/postgres.ts';
import type { ListQuery } from '../crud.ts';
import { createLog } from '../log.ts';
import { openPool } from '../openDb.ts';
import { MAX_PREPARED, prepared } from '../statements.ts';
import { type Listing, readList, readListAsJson } from './listQuery.ts';

let pool: pg.Pool;
let drop: () => Promise<void>;
beforeAll(async () => {
  const database = await freshDatabase();
  drop = database.drop;
  pool = openPool(database.url, createLog('silent'), { max: 1, name: 'test' });
  await pool.query(`
    create table things (id int primary key, name text not null, grade int, company_id int not null,
                         created_at timestamptz not null default '2026-01-01');
    insert into things (id, name, grade, company_id) values
      (1, 'a', 3, 1), (2, 'b', null, 1), (3, 'c', 1, 2), (4, 'd', 3, 2), (5, 'e', 2, 3), (6, 'f', null, 3)`);
});
afterAll(async () => {
  await pool.end();
  await drop();
});

const listing: Listing = {
  from: 'things t',
  select: { id: 't.id', name: 't.name', grade: 't.grade' },
  conditions: { graded: '((t.grade is not null) = $)' },
  search: ['t.name'],
  scopeCondition: 't.company_id = any($)',
  where: "t.name <> 'hidden'",
  id: 't.id',
  nullable: ['grade'],
};
const QUERY: ListQuery = { page: 1, limit: 25, order: 'asc', order_by: 'id', with_total: true };

async function found(
  query: Partial<ListQuery>,
  companies: readonly number[] | null = null,
  more: Partial<Listing> = {},
) {
  const request = { listing: { ...listing, ...more }, query: { ...QUERY, ...query }, companies };
  const { items, total } = await readList<{ id: number }>(pool, request);
  const { page, limit } = request.query;
  expect(JSON.parse((await readListAsJson(pool, request)).text)).toEqual({ items, total, page, limit });
  return [items.map((one) => one.id), total];
}

describe('a list', () => {
  it('sorts nulls last in either direction, and breaks ties by id', async () => {
    expect(await found({ order_by: 'grade', order: 'asc' })).toEqual([[3, 5, 1, 4, 2, 6], 6]);
    expect(await found({ order_by: 'grade', order: 'desc' })).toEqual([[4, 1, 5, 3, 6, 2], 6]);
  });

  it("filters by one value, by several, and by a list's own conditions", async () => {
    expect(await found({ id: [2] })).toEqual([[2], 1]);
    expect(await found({ id: [2, 4, 99] })).toEqual([[2, 4], 2]);
    expect(await found({ id: [] })).toEqual([[1, 2, 3, 4, 5, 6], 6]);
    expect(await found({ graded: [false] })).toEqual([[2, 6], 2]);
    expect(await found({ graded: [true, false] })).toEqual([[1, 2, 3, 4, 5, 6], 6]);
    expect(await found({ name: ['a', 'c', 'e'], graded: [true] })).toEqual([[1, 3, 5], 3]);
  });

  it('refuses a filter that the list does not declare', async () => {
    await expect(found({ company_id: [1] })).rejects.toThrow('There is no field company_id to filter by');
  });

  it("limits a list to the caller's companies, even when there are none", async () => {
    expect(await found({}, [1, 3])).toEqual([[1, 2, 5, 6], 4]);
    expect(await found({}, [])).toEqual([[], 0]);
    expect(await found({ id: [3] }, [1])).toEqual([[], 0]);
    expect(await found({ page: 9 }, [1])).toEqual([[], 2]);
  });

  it('reads the rows of several owners as it reads those of one', async () => {
    const owner = { column: 't.company_id', ofCompanies: 'select unnest($::int[])' };
    const more = { owner, scopeFilter: 'company_id', conditions: { company_id: 't.company_id = $' } };
    for (const [query, companies] of [
      [{ company_id: [1, 3] }, null],
      [{}, [1, 3]],
    ] as const) {
      expect(await found(query, companies, more)).toEqual([[1, 2, 5, 6], 4]);
      expect(await found({ ...query, order: 'desc', limit: 3 }, companies, more)).toEqual([[6, 5, 2], 4]);
      expect(await found({ ...query, order: 'desc', limit: 3, page: 2 }, companies, more)).toEqual([[1], 4]);
      expect(await found({ ...query, order_by: 'grade', limit: 3 }, companies, more)).toEqual([[5, 1, 2], 4]);
      expect(await found({ ...query, search: 'e' }, companies, more)).toEqual([[5], 1]);
    }
    expect(await found({ company_id: [2, 9] }, null, more)).toEqual([[3, 4], 2]);
    expect(await found({}, [], more)).toEqual([[], 0]);
  });

  it("leaves the scope out only if a filter implies it, whose values the caller's access is checked for", async () => {
    const implied = { scopeFilter: 'id' };
    expect(await found({ id: [3] }, [1], implied)).toEqual([[3], 1]);
    expect(await found({ id: [] }, [1], implied)).toEqual([[1, 2], 2]);
    expect(await found({ name: ['a', 'c'] }, [1], implied)).toEqual([[1], 1]);
  });

  it('counts rows past the last page, and only when asked', async () => {
    expect(await found({ limit: 4, page: 2 })).toEqual([[5, 6], 6]);
    expect(await found({ limit: 4, page: 3 })).toEqual([[], 6]);
    expect(await found({ limit: 4, page: 3, with_total: false })).toEqual([[], null]);
  });

  it('has the same values as JSON, of whatever type', async () => {
    const values = {
      int: '7',
      float: "'1e-7'::float8",
      number: "'1.50'::numeric",
      none: "'nan'::numeric",
      flag: 'false',
      text: `E'"quoted" \\\\ \\n ü \\u2028'`,
      at: 't.created_at',
      day: "'2026-02-03'::date",
      document: `'{"b": [1, null], "a": "x"}'::jsonb`,
      texts: "array['a', null]",
      empty: 'null::jsonb',
    };
    const request = { listing: { ...listing, select: { id: 't.id', ...values } }, query: QUERY, companies: null };
    const { items } = await readList(pool, request);
    const read: unknown = JSON.parse((await readListAsJson(pool, request)).text);
    expect(read).toEqual({ items: JSON.parse(JSON.stringify(items)), total: 6, page: 1, limit: 25 });
  });

  it('sorts only by declared columns', async () => {
    expect(await found({ order_by: 'company_id; drop table things' })).toEqual([[1, 2, 3, 4, 5, 6], 6]);
  });
});

describe('a prepared statement', () => {
  it('names prepared statements by their text', () => {
    expect(prepared('select 1')).toBe(prepared('select 1'));
    expect(prepared('select 1').name).not.toBe(prepared('select 2').name);
    expect(prepared('select 1').name).toMatch(/^[\w-]{24}$/);
  });

  it('prepares one statement for each shape of a query, whatever the values', async () => {
    const names = async () =>
      (await pool.query<{ count: string }>('select count(*) from pg_prepared_statements')).rows[0]?.count;
    await found({ id: [1] });
    const before = await names();
    for (const id of [2, 3, 4]) await found({ id: [id] });
    expect(await names()).toBe(before);
  });

  it('prepares at most one more statement for each filter, however many values it has', async () => {
    const texts = async () =>
      (
        await pool.query<{ statement: string }>(
          "select statement from pg_prepared_statements where statement like '%from things%'",
        )
      ).rows.map((row) => row.statement);
    const many = (count: number) => Array.from({ length: count }, (_, index) => index + 1);
    await found({ id: many(2), graded: [true, false] });
    const before = await texts();
    for (let count = 3; count <= 100; count++)
      await found({ id: many(count), graded: many(count).map((n) => n % 2 === 0) });
    expect(await texts()).toEqual(before);
  });

  it("evicts prepared statements beyond a connection's limit, and prepares them again when needed", async () => {
    const columns = ['id', 'name', 'grade'];
    const ask = async () => {
      for (let mix = 0; mix < 96; mix++)
        expect(
          await found({
            order_by: columns[mix % 3] ?? 'id',
            order: mix & 4 ? 'asc' : 'desc',
            with_total: (mix & 8) > 0,
            ...(mix & 16 ? { id: [1] } : {}),
            ...(mix & 32 ? { name: ['a', 'b'] } : {}),
            ...(mix & 64 ? { graded: [true] } : {}),
          }),
        ).toHaveLength(2);
    };
    await ask();
    await ask();
    const { rows } = await pool.query<{ lists: number; all: number }>(
      `select count(*) filter (where name like 'list-%')::int as lists, count(*)::int as all from pg_prepared_statements`,
    );
    expect(rows[0]?.lists).toBe(MAX_PREPARED.list);
    expect(rows[0]?.all).toBeLessThan(MAX_PREPARED.list + 10);
  });
});
