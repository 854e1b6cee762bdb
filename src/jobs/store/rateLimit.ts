/** Rate limit of calls to an outside account, shared by all nodes: one row per key, on the database's real clock. */
import { sql } from 'kysely';
import type { AppContext } from '../../platform/appContext.ts';
import type { Tx } from '../../platform/db.ts';
import { prepared } from '../../platform/statements.ts';

/**
 * Reserve the next call and return how many milliseconds to wait for it. Allows one call each `everyMs`; after a pause,
 * `burst` calls may go at once. In any window of W ms no more than `burst + W / everyMs` calls leave.
 */
export async function reserveRate(
  context: AppContext,
  { key, everyMs, burst }: { key: string; everyMs: number; burst: number },
): Promise<number> {
  const { rows } = await context.pool.query<{ wait: number }>({
    ...prepared(`
      insert into rate_limits as p (key, next_at) values ($1, clock_timestamp() + make_interval(secs => $2::float8 / 1000))
      on conflict (key) do update set next_at =
        greatest(p.next_at, clock_timestamp() - make_interval(secs => $2::float8 * ($3::float8 - 1) / 1000)) + make_interval(secs => $2::float8 / 1000)
      returning (extract(epoch from p.next_at - clock_timestamp()) * 1000 - $2::float8)::float8 as wait`),
    values: [key, everyMs, burst],
  });
  return Math.max(0, rows[0]?.wait ?? 0);
}

/**
 * Reserve up to `count` calls for each key that may leave now. Returns how many of each may, and the milliseconds until
 * the next one. Runs in the transaction that uses them.
 */
export async function reserveRates(
  tx: Tx,
  asked: readonly { readonly key: string; readonly everyMs: number; readonly burst: number; readonly count: number }[],
): Promise<Map<string, { granted: number; waitMs: number }>> {
  if (asked.length === 0) return new Map();
  const { rows } = await sql<{ key: string; granted: number; wait: number }>`
    with asked as (
      select * from jsonb_to_recordset(${JSON.stringify(asked)}::jsonb) as a (key text, "everyMs" float8, burst float8, count int)
    ), known as materialized (
      select key, next_at from rate_limits where key in (select key from asked) order by key for update
    ), free as (
      select key, a.count, a."everyMs" / 1000 as every, k.key is not null as is_known,
             greatest(k.next_at, clock_timestamp() - make_interval(secs => a."everyMs" * (a.burst - 1) / 1000)) as from_at
        from asked a left join known k using (key)
    ), shares as materialized (
      select key, is_known, granted, from_at + make_interval(secs => every * granted) as next_at
        from free cross join lateral (
          select least(count, greatest(0, floor(extract(epoch from clock_timestamp() - from_at) / every) + 1))::int as granted) as g
    ), added as (
      insert into rate_limits as r (key, next_at) select key, next_at from shares where not is_known order by key
      on conflict (key) do update set next_at = greatest(r.next_at, excluded.next_at)
    ), taken as (
      update rate_limits r set next_at = s.next_at from shares s where s.is_known and r.key = s.key
    )
    select key, granted, greatest(0, extract(epoch from next_at - clock_timestamp()) * 1000)::float8 as wait from shares`.execute(
    tx,
  );
  return new Map(rows.map(({ key, granted, wait }) => [key, { granted, waitMs: wait }]));
}
