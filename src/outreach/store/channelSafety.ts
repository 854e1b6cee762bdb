/** Find channels by their acknowledgements. */
import { sql } from 'kysely';
import type { Reader } from '../../platform/db.ts';
import { idList } from '../../platform/statements.ts';

/** Find stopped channels with an acknowledgement since: a delivery or an inbound message. */
export async function findRecoveredChannels(reader: Reader): Promise<number[]> {
  const { rows } = await sql<{ id: number }>`
    select c.id from channels c
     where c.first_messages_stopped_at is not null
       and exists (select 1 from messages m
                    where m.channel_id = c.id and m.status in ('delivered', 'read', 'inbound') and m.thread_at >= c.first_messages_stopped_at)`.execute(
    reader,
  );
  return rows.map((row) => row.id);
}

/** A channel without acknowledgements: the number of messages, and the minutes since the oldest. */
export interface UnacknowledgedChannel {
  readonly id: number;
  readonly count: number;
  readonly minutes: number;
}

/**
 * Find channels with too many unacknowledged messages, or unacknowledged for too long, since the last acknowledgement.
 * With `channelIds`, check those alone.
 */
export async function findUnacknowledgedChannels(
  reader: Reader,
  limits: { fewest: number; inARow: number; minutes: number; graceSeconds: number },
  channelIds: readonly number[] | null,
): Promise<UnacknowledgedChannel[]> {
  const { rows } = await sql<UnacknowledgedChannel>`
    select c.id, u.count, (extract(epoch from domain_now() - u.oldest) / 60)::float8 as minutes
      from channels c
     cross join lateral (
       select greatest(c.first_messages_resumed_at, (select max(a.thread_at) from messages a
                                              where a.channel_id = c.id and a.status in ('delivered', 'read', 'inbound'))) as at) heard
     cross join lateral (
       select count(*)::int as count, min(thread_at) as oldest
         from (select thread_at from messages m
                where m.channel_id = c.id and m.status = 'sent' and m.side = 'bot'
                  and m.thread_at > coalesce(heard.at, '-infinity')
                order by m.thread_at limit ${sql.lit(limits.inARow)}) first) u
     where c.is_active and c.first_messages_stopped_at is null and ${channelIds === null ? sql`true` : sql`c.id = any(${idList(channelIds)})`}
       and ((u.count >= ${limits.inARow} and u.oldest < domain_now() - make_interval(secs => ${limits.graceSeconds}))
            or (u.count >= ${limits.fewest} and u.oldest < domain_now() - make_interval(mins => ${limits.minutes})))`.execute(
    reader,
  );
  return rows;
}
