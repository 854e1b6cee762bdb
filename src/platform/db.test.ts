import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { freshDatabase } from '../testing/postgres.ts';
import { type Db, isUnavailable, violatedConstraint } from './db.ts';
import { createLog } from './log.ts';
import { isoFromText, openDb } from './openDb.ts';

let db: Db;
let drop: () => Promise<void>;
beforeAll(async () => {
  const database = await freshDatabase();
  drop = database.drop;
  db = openDb(database.url, createLog('silent'), { max: 4 });
});
afterAll(async () => {
  await db.close();
  await drop();
});

const failure = (work: Promise<unknown>): Promise<unknown> => work.then(() => null).catch((error: unknown) => error);

describe('a time', () => {
  it.each([
    ['2026-01-02 03:04:05+00', '2026-01-02T03:04:05.000Z'],
    ['2026-01-02 03:04:05.6+00', '2026-01-02T03:04:05.600Z'],
    ['2026-01-02 03:04:05.06+00', '2026-01-02T03:04:05.060Z'],
    ['2026-01-02 03:04:05.678+00', '2026-01-02T03:04:05.678Z'],
    ['2026-01-02 03:04:05.678999+00', '2026-01-02T03:04:05.678Z'],
  ])('reads the time %s as %s', (text, iso) => {
    expect(isoFromText(text)).toBe(iso);
  });

  it("reads times as ISO-8601 UTC whatever the server's time zone", async () => {
    const { rows } = await db.pool.query(
      "select '2026-07-01T12:00:00.5+03:00'::timestamptz as at, '2026-07-01'::date as day, 9007199254740991::int8 as big, 1.5::numeric as number",
    );
    expect(rows).toEqual([
      { at: '2026-07-01T09:00:00.500Z', day: '2026-07-01', big: Number.MAX_SAFE_INTEGER, number: 1.5 },
    ]);
  });
});

describe('a transaction', () => {
  it('rolls a transaction back when its work throws', async () => {
    const error = await failure(
      db.transact(async (tx) => {
        await tx.insertInto('companies').values({ name: 'Undone' }).execute();
        throw new Error('no');
      }),
    );
    expect(String(error)).toBe('Error: no');
    expect(await db.reader.selectFrom('companies').select('id').where('name', '=', 'Undone').execute()).toEqual([]);
  });

  it('repeats a transaction after a deadlock, so that both commit', async () => {
    await db.pool.query("insert into companies (name) values ('left'), ('right')");
    const both = Promise.withResolvers<void>();
    let blocker = 0;
    let runs = 0;
    const cross = (first: string, second: string) =>
      db.transact(async (tx) => {
        runs++;
        await sql`update companies set created_at = created_at where name = ${first}`.execute(tx);
        if (++blocker === 2) both.resolve();
        await both.promise;
        await sql`update companies set created_at = created_at where name = ${second}`.execute(tx);
      });
    await Promise.all([cross('left', 'right'), cross('right', 'left')]);
    // The repeated one may get its first lock before the other wakes, and then they wait for each other once more.
    expect(runs).toBeGreaterThanOrEqual(3);
  });

  it('does not repeat a transaction after any other error', async () => {
    let runs = 0;
    await failure(
      db.transact(async (tx) => {
        runs++;
        await sql`select 1 / 0`.execute(tx);
      }),
    );
    expect(runs).toBe(1);
  });
});

describe('an error', () => {
  it('names the constraint that a statement violates', async () => {
    const insert = (text: string) => failure(db.pool.query(text));
    expect(violatedConstraint(await insert("insert into companies (name) values (' ')"))).toEqual({
      kind: 'check',
      name: 'companies_name_check',
    });
    expect(violatedConstraint(await insert("insert into products (company_id, name) values (99, 'x')"))).toMatchObject({
      kind: 'foreign',
      name: 'products_company_id_fkey',
    });
    const operator = "insert into operators (login, password_hash, role) values ('Vera', 'x', 'admin')";
    await db.pool.query(operator);
    expect(violatedConstraint(await insert(operator.replace('Vera', 'vera')))).toEqual({
      kind: 'unique',
      name: 'operators_login',
    });
    expect(violatedConstraint(await insert('select 1 / 0'))).toBeNull();
    expect(violatedConstraint('text')).toBeNull();
  });

  it('distinguishes an unreachable database from a wrong statement', async () => {
    expect(isUnavailable(await failure(db.pool.query('select nonsense')))).toBe(false);
    const killed = failure(db.pool.query('select pg_terminate_backend(pg_backend_pid())'));
    expect(isUnavailable(await killed)).toBe(true);
    const nowhere = openDb('postgresql://nobody@127.0.0.1:1/none', createLog('silent'), { max: 1 });
    expect(isUnavailable(await failure(nowhere.pool.query('select 1')))).toBe(true);
    await nowhere.close();
    expect(isUnavailable(new Error('anything'))).toBe(false);
    // The pool keeps working after a connection was cut.
    expect((await db.pool.query('select 1 as one')).rows).toEqual([{ one: 1 }]);
  });
});
