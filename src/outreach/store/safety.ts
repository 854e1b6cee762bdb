/** Reads which channels were heard of. */
import { sql } from 'kysely';
import type { Reader } from '../../platform/db.ts';

/** Channels that stopped and have been heard of since: something arrived, or somebody wrote. */
export async function heardAgain(reader: Reader): Promise<number[]> {
  const { rows } = await sql<{ id: number }>`
    select c.id from channels c
     where c.firsts_stopped_at is not null
       and exists (select 1 from messages m
                    where m.channel_id = c.id and m.status in ('delivered', 'read', 'inbound') and m.thread_at >= c.firsts_stopped_at)`.execute(
    reader,
  );
  return rows.map((row) => row.id);
}

/** A channel that nobody acknowledges: how many, and for how long. */
export interface Silent {
  readonly id: number;
  readonly count: number;
  readonly minutes: number;
}

/** Channels with too many, or too long, unacknowledged since they were last heard of; `only`: whether this one is. */
export async function unacknowledged(
  reader: Reader,
  most: { fewest: number; inARow: number; minutes: number; graceSeconds: number },
  only: number | null,
): Promise<Silent[]> {
  const { rows } = await sql<Silent>`
    select c.id, u.count, (extract(epoch from domain_now() - u.oldest) / 60)::float8 as minutes
      from channels c
     cross join lateral (
       select greatest(c.firsts_resumed_at, (select max(a.thread_at) from messages a
                                              where a.channel_id = c.id and a.status in ('delivered', 'read', 'inbound'))) as at) heard
     cross join lateral (
       select count(*)::int as count, min(thread_at) as oldest
         from (select thread_at from messages m
                where m.channel_id = c.id and m.status = 'sent' and m.side = 'bot'
                  and m.thread_at > coalesce(heard.at, '-infinity')
                order by m.thread_at limit ${most.inARow}) first) u
     where c.is_active and c.firsts_stopped_at is null and (${only}::bigint is null or c.id = ${only}::bigint)
       and ((u.count >= ${most.inARow} and u.oldest < domain_now() - make_interval(secs => ${most.graceSeconds}))
            or (u.count >= ${most.fewest} and u.oldest < domain_now() - make_interval(mins => ${most.minutes})))`.execute(
    reader,
  );
  return rows;
}
