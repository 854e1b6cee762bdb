/** Companies, and with them what all endpoints of `resource()` have in common. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ApiAnswer, Client } from '../testing/client.ts';
import { createWorld, type World } from '../testing/world.ts';
import { type Company, companies } from './contract.ts';

let world: World;
let admin: Client;
beforeAll(async () => {
  world = await createWorld({ env: { RAPPORT_ROLES: 'web' } });
  admin = await world.operator('root');
});
afterAll(() => world.close());

interface Page {
  items: Company[];
  total: number | null;
  page: number;
  limit: number;
}

const create = (name: string): Promise<ApiAnswer> => admin.call(companies.create, { body: { name } });

async function createCompany(name: string): Promise<number> {
  const answer = await create(name);
  expect(answer.status).toBe(201);
  return (answer.body as Company).id;
}

type Query = NonNullable<NonNullable<Parameters<typeof admin.call<typeof companies.list>>[1]>['query']>;

async function list(query: Query, client = admin): Promise<Page> {
  const answer = await client.call(companies.list, { query });
  expect(answer.status).toBe(200);
  return answer.body as Page;
}

const names = (page: Page): string[] => page.items.map((one) => one.name);

describe('a list', () => {
  beforeAll(async () => {
    for (let number = 1; number <= 30; number++) {
      const id = await createCompany(`Listed ${String(number).padStart(2, '0')}`);
      // All at the same instant: the order of ties must be stable.
      await world.pool.query("update companies set created_at = '2026-03-01T10:00:00Z' where id = $1", [id]);
    }
  });

  it('returns 25 rows a page, newest first, with a total', async () => {
    const page = await list({ search: 'Listed' });
    expect(Object.keys(page).sort()).toEqual(['items', 'limit', 'page', 'total']);
    expect([page.page, page.limit, page.total, page.items.length]).toEqual([1, 25, 30, 25]);
    expect(names(page)[0]).toBe('Listed 30');
    expect(page.items[0]).toEqual({
      id: expect.any(Number),
      name: 'Listed 30',
      created_at: '2026-03-01T10:00:00.000Z',
      version: 1,
    });
  });

  it('pages without gaps or duplicates, also among equal rows', async () => {
    for (const order of ['asc', 'desc'] as const) {
      const seen: string[] = [];
      for (let page = 1; page <= 5; page++)
        seen.push(...names(await list({ search: 'Listed', page, limit: 7, order_by: 'created_at', order })));
      const sorted = Array.from({ length: 30 }, (_one, index) => `Listed ${String(index + 1).padStart(2, '0')}`);
      expect(seen).toEqual(order === 'asc' ? sorted : sorted.reverse());
    }
  });

  it('keeps the total on a page past the last, and on an empty list', async () => {
    expect(await list({ search: 'Listed', page: 9 })).toEqual({ items: [], total: 30, page: 9, limit: 25 });
    expect(await list({ search: 'Listed', page: 10_000_000, limit: 100 })).toMatchObject({ items: [], total: 30 });
    expect(await list({ search: 'no such company' })).toEqual({ items: [], total: 0, page: 1, limit: 25 });
  });

  it('skips the count on request', async () => {
    expect(await list({ search: 'Listed', with_total: false, limit: 1 })).toMatchObject({ total: null, limit: 1 });
  });

  it('sorts by its columns', async () => {
    const page = await list({ search: 'Listed', order_by: 'name', order: 'asc', limit: 2 });
    expect(names(page)).toEqual(['Listed 01', 'Listed 02']);
  });

  it('searches for the literal text in any case', async () => {
    for (const name of ['100% Küche', 'under_score', 'back\\slash', "O'Neill"]) await createCompany(name);
    for (const [search, found] of [
      ['100% kÜ', ['100% Küche']],
      ['100%K', []],
      ['r_s', ['under_score']],
      ['d_r', []],
      ['k\\s', ['back\\slash']],
      ["o'n", ["O'Neill"]],
      ['  listed 07  ', ['Listed 07']],
      ["' or 1=1 --", []],
    ] as const)
      expect([search, names(await list({ search }))]).toEqual([search, found]);
    expect((await list({ search: '   ' })).total).toBe((await list({})).total);
  });

  it('filters by days in UTC, both inclusive', async () => {
    const ids = [await createCompany('Day A'), await createCompany('Day B'), await createCompany('Day C')];
    for (const [index, at] of ['2026-03-30T23:59:59.999Z', '2026-03-31T00:00:00Z', '2026-04-01T00:00:00Z'].entries())
      await world.pool.query('update companies set created_at = $1 where id = $2', [at, ids[index]]);
    const of = async (query: Query) => names(await list({ search: 'Day ', order: 'asc', ...query }));
    expect(await of({ created_from: '2026-03-31' })).toEqual(['Day B', 'Day C']);
    expect(await of({ created_to: '2026-03-31' })).toEqual(['Day A', 'Day B']);
    expect(await of({ created_from: '2026-03-31', created_to: '2026-03-31' })).toEqual(['Day B']);
    expect(await of({ created_from: '2026-04-02' })).toEqual([]);
    expect(await of({ created_from: '9999-12-31', created_to: '0001-01-01' })).toEqual([]);
  });

  it('filters by days of another time zone, also days of 23 or 25 hours', async () => {
    const at = ['2026-03-28T22:59:59.999Z', '2026-03-28T23:00:00Z', '2026-03-29T21:59:59.999Z', '2026-03-29T22:00:00Z'];
    for (const [index, instant] of at.entries()) {
      const id = await createCompany(`Zoned ${index}`);
      await world.pool.query('update companies set created_at = $1 where id = $2', [instant, id]);
    }
    const of = async (query: Query) =>
      names(await list({ search: 'Zoned ', order: 'asc', created_timezone: 'Europe/Berlin', ...query }));
    // Clocks are put forward on this Sunday in Berlin.
    expect(await of({ created_from: '2026-03-29', created_to: '2026-03-29' })).toEqual(['Zoned 1', 'Zoned 2']);
    expect(await of({ created_from: '2026-03-30' })).toEqual(['Zoned 3']);
    expect(await of({ created_to: '2026-03-28' })).toEqual(['Zoned 0']);
    const wrong = await admin.call(companies.list, { query: { created_timezone: 'Mars/Base' } });
    expect(wrong.status).toBe(422);
  });

  it('shows a member only their own companies, in items and total', async () => {
    const [one, two] = [await createCompany('Mine'), await createCompany('Mine too')];
    const member = await world.operator('lister', [one, two]);
    const page = await list({ order: 'asc' }, member);
    expect([names(page), page.total]).toEqual([['Mine', 'Mine too'], 2]);
    const outsider = await world.operator('nobody', []);
    expect(await list({}, outsider)).toMatchObject({ items: [], total: 0 });
  });
});

describe('a company', () => {
  it('creates, reads, renames and deletes a company', async () => {
    const answer = await create('  Trimmed  ');
    expect(answer.status).toBe(201);
    const company = answer.body as Company;
    expect(company).toEqual({
      id: expect.any(Number),
      name: 'Trimmed',
      created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
      version: 1,
    });
    const params = { id: company.id };
    expect((await admin.call(companies.get, { params })).body).toEqual(company);
    const renamed = await admin.call(companies.replace, { params, body: { name: 'Inner  spaces stay' } });
    expect([renamed.status, renamed.body]).toEqual([200, { ...company, name: 'Inner  spaces stay', version: 2 }]);
    const deleted = await admin.call(companies.remove, { params });
    expect([deleted.status, deleted.body]).toEqual([204, null]);
    for (const answered of [
      await admin.call(companies.get, { params }),
      await admin.call(companies.replace, { params, body: { name: 'x' } }),
      await admin.call(companies.remove, { params }),
    ])
      expect([answered.status, answered.body]).toEqual([404, { detail: 'There is no such company.' }]);
  });

  it.each([[''], ['   '], [null], [7], ['x'.repeat(301)], [['a']]])("refuses %j as a company's name", async (name) => {
    const answer = await create(name as string);
    expect(answer.status).toBe(422);
    expect(answer.body).toMatchObject({ detail: [{ loc: ['body', 'name'], msg: expect.any(String) }] });
  });

  it('does not delete a company with products, and counts them', async () => {
    const id = await createCompany('Full');
    await world.pool.query("insert into products (company_id, name) values ($1, 'A'), ($1, 'B')", [id]);
    const answer = await admin.call(companies.remove, { params: { id } });
    expect([answer.status, answer.body]).toEqual([
      409,
      { detail: 'This company still has 2 product(s). Delete them first.' },
    ]);
  });

  it('deletes a company once when two requests race', async () => {
    const id = await createCompany('Raced');
    const statuses = await Promise.all(
      [1, 2, 3, 4].map(async () => (await admin.call(companies.remove, { params: { id } })).status),
    );
    expect(statuses.sort((a, b) => a - b)).toEqual([204, 404, 404, 404]);
  });
});

describe('the audit log', () => {
  const auditLog = async (id: number) =>
    (
      await world.pool.query(
        `select action, operator, before->>'name' as before, after->>'name' as after, company_id, request_id
           from audit where noun = 'company' and row_id = $1 order by id`,
        [id],
      )
    ).rows;

  it('records each change: who, what, before, after, in which request', async () => {
    const created = await create('Trailed');
    const { id } = created.body as Company;
    const changed = await admin.call(companies.replace, { params: { id }, body: { name: 'Renamed' } });
    const deleted = await admin.call(companies.remove, { params: { id } });
    const request = (answer: ApiAnswer) => answer.headers.get('x-request-id');
    expect(await auditLog(id)).toMatchObject([
      { action: 'created', operator: 'root', before: null, after: 'Trailed', request_id: request(created) },
      { action: 'changed', operator: 'root', before: 'Trailed', after: 'Renamed', request_id: request(changed) },
      { action: 'deleted', operator: 'root', before: 'Renamed', after: null, request_id: request(deleted) },
    ]);
  });

  it('records nothing for a refused change', async () => {
    const id = await createCompany('Untouched');
    await world.pool.query("insert into products (company_id, name) values ($1, 'A')", [id]);
    await admin.call(companies.remove, { params: { id } });
    await admin.call(companies.replace, { params: { id }, body: { name: ' ' } });
    expect(await auditLog(id)).toHaveLength(1);
  });

  it("writes the entry in the change's own transaction", async () => {
    const id = await createCompany('Kept');
    await world.pool.query(`
      create function no_trail() returns trigger language plpgsql as $$ begin raise exception 'no trail'; end $$;
      create trigger no_trail before insert on audit for each row execute function no_trail()`);
    try {
      expect((await create('Never made')).status).toBe(500);
      expect((await admin.call(companies.replace, { params: { id }, body: { name: 'Changed' } })).status).toBe(500);
      expect((await admin.call(companies.remove, { params: { id } })).status).toBe(500);
    } finally {
      await world.pool.query('drop trigger no_trail on audit; drop function no_trail()');
    }
    expect((await admin.call(companies.get, { params: { id } })).body).toMatchObject({ name: 'Kept' });
    expect((await list({ search: 'Never made' })).total).toBe(0);
  });
});
