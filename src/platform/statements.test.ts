import { sql } from 'kysely';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createWorld, type World } from '../testing/world.ts';
import type { Db } from './db.ts';
import { createLog } from './log.ts';
import { openDb } from './openDb.ts';
import { idList, MAX_PREPARED } from './statements.ts';

let world: World;
let db: Db;
beforeAll(async () => {
  world = await createWorld({ serve: false });
  db = openDb(world.databaseUrl, createLog('silent'), { max: 1 });
});
afterAll(async () => {
  await db.close();
  await world.close();
});

it('prepares a statement once for each connection', async () => {
  for (const n of [1, 2, 3]) await sql`select ${n}::int as n, 'kept' as mark`.execute(db.reader);
  const { rows } = await sql<{ statement: string }>`
    select statement from pg_prepared_statements where statement like ${"%'kept' as mark%"}`.execute(db.reader);
  expect(rows).toHaveLength(1);
});

it('keeps a few hundred prepared statements for each connection', async () => {
  const prepared = async () =>
    Number(
      (await sql<{ count: string }>`select count(*) from pg_prepared_statements where name <> ${''}`.execute(db.reader))
        .rows[0]?.count,
    );
  const texts = MAX_PREPARED.other + 50;
  for (let n = 0; n < texts; n++)
    expect((await sql<{ n: number }>`select ${n}::int as n, ${sql.lit(n)} as text`.execute(db.reader)).rows[0]?.n).toBe(
      n,
    );
  expect(await prepared()).toBe(MAX_PREPARED.other);
  // In a failed transaction no statement can be dropped: that happens later.
  await db
    .transact(async (tx) => {
      await sql`select 1 / 0`.execute(tx).catch(() => undefined);
      await sql`select ${1}::int as n, 'failed' as text`.execute(tx);
    })
    .catch(() => undefined);
  for (let n = 0; n < 3; n++) await sql`select ${n}::int as n, ${sql.lit(-n)} as more`.execute(db.reader);
  expect(await prepared()).toBeLessThanOrEqual(MAX_PREPARED.other + 1);
});

it('reads a table to which a newer node added columns', async () => {
  await world.pool.query(
    'create table widened (id int); insert into widened values (1); grant select on widened to rapport_app',
  );
  const read = (id: number) =>
    db.transact(async (tx) => (await sql`select * from widened where id = ${id}`.execute(tx)).rows);
  expect(await read(1)).toEqual([{ id: 1 }]);
  await world.pool.query('alter table widened add column name text');
  expect(await read(1)).toEqual([{ id: 1, name: null }]);
  await world.pool.query('drop table widened');
});

it('plans a statement once for lists of ids of any length', async () => {
  for (let n = 1; n <= 8; n++)
    await sql`select 'ids' as mark from leads l join contacts c on c.lead_id = l.id where l.id = any(${idList([n])})`.execute(
      db.reader,
    );
  const { rows } = await sql<{ generic: number }>`
    select generic_plans::int as generic from pg_prepared_statements where statement like ${"%'ids' as mark%"}`.execute(
    db.reader,
  );
  expect(rows).toEqual([{ generic: 3 }]);
});
