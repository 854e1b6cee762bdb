/** Rate limit of calls to an outside account, shared by all nodes: one row per key, on the database's real clock. */
import type { AppContext } from '../../platform/appContext.ts';
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
