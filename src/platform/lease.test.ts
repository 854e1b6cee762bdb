import { type RawBuilder, sql } from 'kysely';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { CLASSIFICATIONS } from '../conversations/store/classifications.ts';
import { SUMMARIES } from '../conversations/store/handOvers.ts';
import { PROPAGATIONS } from '../conversations/store/optOutPropagations.ts';
import { TURNS } from '../conversations/store/turns.ts';
import { SYNCED_ACCOUNTS } from '../crm/store/accounts.ts';
import { CARDS, CHANGES } from '../crm/store/cards.ts';
import { HAND_OVERS } from '../crm/store/handOvers.ts';
import { REFRESHED_ACCOUNTS } from '../crm/store/tokens.ts';
import { PUSHES } from '../desk/alerts/store/pushes.ts';
import { RESERVATIONS } from '../llm/store/reservations.ts';
import { MESSAGES } from '../outbox/store/claims.ts';
import { QUEUES } from '../outreach/store/firstMessages.ts';
import { LEADS } from '../outreach/store/outreach.ts';
import { SAMPLES } from '../studio/store/samples.ts';
import { freshDatabase } from '../testing/postgres.ts';
import { DELIVERIES } from '../webhooks/store/deliveries.ts';
import type { Db } from './db.ts';
import { ids } from './ids.ts';
import { type Claimable, claim, createClaims, isUnclaimed, release } from './lease.ts';
import { createLog } from './log.ts';
import { openDb } from './openDb.ts';

const ALL: readonly Claimable<object>[] = [
  MESSAGES,
  TURNS,
  CLASSIFICATIONS,
  SYNCED_ACCOUNTS,
  REFRESHED_ACCOUNTS,
  CHANGES,
  CARDS,
  LEADS,
  QUEUES,
  SUMMARIES,
  HAND_OVERS,
  PUSHES,
  SAMPLES,
  DELIVERIES,
  RESERVATIONS,
  PROPAGATIONS,
];

let db: Db;
let drop: () => Promise<void>;
const claimant = { instanceId: ids.next(), config: { leaseSeconds: 1000 } };
const expired = { ...claimant, config: { leaseSeconds: -1 } };
beforeAll(async () => {
  const database = await freshDatabase();
  drop = database.drop;
  db = openDb(database.url, createLog('error', {}), { max: 2, waitSeconds: 5 });
});
afterAll(async () => {
  await db.close();
  await drop();
});
beforeEach(async () => {
  await sql`delete from nodes`.execute(db.reader);
  await sql`insert into nodes (instance_id, name, roles, pid) values (${claimant.instanceId}, 'one', '{worker}', 1)`.execute(
    db.reader,
  );
});

it('covers every table with claims', async () => {
  const { rows } = await sql<{ name: string }>`
    select table_name || '.' || column_name as name from information_schema.columns
     where table_schema = 'public' and column_name like '%claimed\\_by'`.execute(db.reader);
  expect(rows.map(({ name }) => name).toSorted()).toEqual(
    ALL.map(({ table, prefix = 'claimed' }) => `${table}.${prefix}_by`).toSorted(),
  );
});

describe.each(ALL.map((one) => ({ prefix: 'claimed', ...one })))('a claim on $table.$prefix', ({ prefix, ...rows }) => {
  const claimable = { ...rows, prefix };
  const key = Object.fromEntries(Object.entries(rows.key).map(([name, type]) => [name, type === 'text' ? 'card' : 7]));
  const t = sql.table(rows.table);

  /** A copy of the table with one row, in a connection of its own: no other row is needed for it. */
  async function withRow(work: (reader: Db['reader']) => Promise<void>): Promise<void> {
    await db.reader.connection().execute(async (reader) => {
      await sql`create temporary table ${t} (like ${sql.table(`public.${rows.table}`)})`.execute(reader);
      for (const { column_name: name } of await notNull(reader))
        await sql`alter table ${t} alter column ${sql.ref(name)} drop not null`.execute(reader);
      const names = sql.join(Object.keys(key).map((name) => sql.ref(name)));
      await sql`insert into ${t} (${names}) values (${sql.join(Object.values(key))})`.execute(reader);
      try {
        await work(reader);
      } finally {
        await sql`drop table pg_temp.${sql.ref(rows.table)}`.execute(reader);
      }
    });
  }
  const notNull = async (reader: Db['reader']) =>
    (
      await sql<{ column_name: string }>`
        select column_name from information_schema.columns
         where table_schema like 'pg_temp%' and table_name = ${rows.table} and is_nullable = 'NO'`.execute(reader)
    ).rows;
  const set = (reader: Db['reader'], change: RawBuilder<unknown>) => sql`update ${t} set ${change}`.execute(reader);
  async function isFree(reader: Db['reader']): Promise<boolean | undefined> {
    const { rows: found } = await sql<{ free: boolean }>`
      select ${isUnclaimed('t', prefix)} as free from ${t} t`.execute(reader);
    return found[0]?.free;
  }

  it('holds until its end, unless it is released or its instance ends', () =>
    withRow(async (reader) => {
      expect(await isFree(reader)).toBe(true);
      await set(reader, claim(claimant, prefix));
      expect(await isFree(reader)).toBe(false);
      await set(reader, release(prefix));
      expect(await isFree(reader)).toBe(true);
      await set(reader, claim(expired, prefix));
      expect(await isFree(reader)).toBe(true);
      await set(reader, claim(claimant, prefix));
      await sql`update nodes set ended_at = clock_timestamp()`.execute(reader);
      expect(await isFree(reader)).toBe(true);
    }));

  it('is renewed while work goes on, and lost to another instance', () =>
    withRow(async (reader) => {
      const claims = createClaims({ ...claimant, config: { leaseSeconds: 0 }, reader });
      const long = createClaims({ ...claimant, reader });
      await set(reader, claim(expired, prefix));
      const early = long.begin(claimable, [key]);
      await long.renew();
      expect(await isFree(reader)).toBe(true);
      early.end();
      const { rows: before } = await sql`select * from ${t}`.execute(reader);
      await claims.hold(claimable, [key], async (signal) => {
        expect(claims.isHeld(claimable, key)).toBe(true);
        await claims.renew();
        expect((await sql`select * from ${t}`.execute(reader)).rows).not.toEqual(before);
        expect(signal.aborted).toBe(false);
        await set(reader, claim({ ...claimant, instanceId: ids.next() }, prefix));
        await claims.renew();
        expect(signal.aborted).toBe(true);
      });
      expect(claims.isHeld(claimable, key)).toBe(false);
    }));
});
