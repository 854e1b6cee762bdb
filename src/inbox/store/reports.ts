/** Applies delivery reports: all that are waiting, in one statement. */
import { sql } from 'kysely';
import type pg from 'pg';
import { IN_SIGHT } from '../../jobs/store/dueWork.ts';
import { LIVE_CHANNEL, SWEEP_CHANNEL } from '../../platform/notifications.ts';
import { prepared } from '../../platform/statements.ts';
import { NEXT_LOOK } from './items.ts';

/** The sweep that settles first messages without a recipient. */
export const RECIPIENTS_SWEEP = 'recipients not found';

/** A report that found its message, and whether the message's status changed. */
export interface AppliedReport {
  readonly item: number;
  readonly message: number;
  /** The message's own trace; null if it is older than traces. */
  readonly trace: string | null;
  readonly status: string;
  readonly changed: boolean;
}

export interface ReportBatch {
  readonly applied: readonly AppliedReport[];
  /** Reports that say more than a status, for `receiveItems`, in the vendor's order. */
  readonly others: readonly number[];
  /** Reports whose message is not known yet. */
  readonly parked: number;
}

/**
 * A status only rises. `delivered` and `read` also override an error, which counts only before delivery; `sent` does
 * not.
 */
const textOf = (limit: number, echoGraceSeconds: number): string => `
  with items as materialized (
    select id, account_id, channel_id, kind, ext_id, status, chat_id, item, state from inbox
     where id = any(array(select id from inbox where state = 'new' and (kind = 'status' or (kind = 'message' and status <> 'inbound'))
                                                 and (retry_at is null or retry_at <= clock_timestamp())
                           order by id limit ${limit})
                    || array(select id from inbox where state = 'parked' and retry_at <= clock_timestamp()
                              order by retry_at limit ${limit}))
     order by id for update skip locked
  ), matched as materialized (
    select i.id, i.kind, i.status, i.item, m.id as message, m.side, m.trace,
           m.status in ('sending', 'unconfirmed')
             or coalesce(i.item->>'errorAbout', '') in ('channel', 'passing')
             or (i.kind = 'message' and i.chat_id is not null
                 and exists (select 1 from dialogues d where d.id = m.dialogue_id and d.chat_id is null)) as says_more
      from items i join messages m on m.ext_id = i.ext_id join channels c on c.id = m.channel_id and c.account_id = i.account_id
     order by m.id for update of m
  ), reports as (
    select message,
           max(case status when 'read' then 3 when 'delivered' then 2 when 'error' then 0 else 1 end) as rank,
           bool_or(status = 'error') as has_failed,
           min(at) filter (where status <> 'error') as sent_at,
           min(at) filter (where status in ('delivered', 'read')) as delivered_at,
           min(at) filter (where status = 'read') as read_at,
           min(item->>'errorReason') filter (where status = 'error') as reason,
           min(item->>'errorCode') filter (where status = 'error') as code,
           bool_or(status = 'error' and coalesce(item->>'errorAbout', '') = 'recipient') as is_recipient_unknown
      from (select message, status, item, (item->>'occurredAt')::timestamptz as at from matched where side = 'bot' and not says_more) as each
     group by message
  ), risen as (
    update messages m set
      status = case r.rank when 3 then 'read' when 2 then 'delivered' else 'sent' end,
      unconfirmed_at = null, reason = null, error_code = null,
      sent_at = coalesce(m.sent_at, r.sent_at, domain_now()),
      sent_confirmation_at = case when r.rank >= 2 then coalesce(m.sent_confirmation_at, r.delivered_at, domain_now()) else m.sent_confirmation_at end,
      read_at = case when r.rank = 3 then coalesce(m.read_at, r.read_at, domain_now()) else m.read_at end
      from reports r
     where m.id = r.message and r.rank >= 1 and (r.rank >= 2 or not r.has_failed)
       and case m.status when 'sent' then 1 when 'delivered' then 2 when 'read' then 3
                         when 'error' then case when r.rank >= 2 then 0 else 9 end else 9 end < r.rank
    returning m.id, m.product_id
  ), failed as (
    update messages m set status = 'error', error_code = r.code,
                          reason = coalesce(r.reason, 'The vendor could not deliver it'),
                          recipient_not_found = r.is_recipient_unknown and m.origin is not distinct from 'first'
      from reports r
     where m.id = r.message and r.has_failed and r.rank < 2 and m.status = 'sent'
    returning m.id, m.product_id
  ), changed as (
    select * from risen union all select * from failed
  ), done as (
    update inbox i set state = 'done', note = 'message', note_detail = m.message::text, parked_until = null, retry_at = null
      from matched m where i.id = m.id and not m.says_more
  ), unknown as materialized (
    select i.id, i.item, i.item->>'key' is null and p.id is null
                   and (i.kind = 'status' or i.state = 'parked'
                        or (i.item->>'viaApi' is distinct from 'false'
                            and exists (select 1 from dialogues d join messages s on s.dialogue_id = d.id and s.status = 'sending'
                                         where d.channel_id = i.channel_id and d.chat_id = i.chat_id))) as is_parked
      from items i left join messages p on p.previous_ext_ids <> '{}' and p.previous_ext_ids @> array[i.ext_id]
     where not exists (select 1 from matched m where m.id = i.id)
  ), parked as (
    update inbox set state = 'parked', note = case kind when 'status' then 'awaits_message' else 'awaits_send' end,
                     retry_at = ${NEXT_LOOK}, attempts = attempts + 1,
                     parked_until = case kind when 'message' then coalesce(parked_until, clock_timestamp() + make_interval(secs => ${echoGraceSeconds})) end
     where id in (select id from unknown where is_parked)
    returning id
  ), notified as (
    select pg_notify('${LIVE_CHANNEL}', json_build_object('topic', 'message', 'product', product_id, 'ids', json_agg(id))::text)
      from changed group by product_id
  ), woken as (
    select pg_notify('${SWEEP_CHANNEL}', '${RECIPIENTS_SWEEP}') from failed f join reports r on r.message = f.id
     where r.is_recipient_unknown limit 1
  )
  select (select json_agg(json_build_object('item', id, 'message', message, 'trace', trace, 'status', status, 'changed', message in (select id from changed)))
            from matched where not says_more) as applied,
         (select json_agg(id order by item->>'occurredAt' nulls last, id)
            from (select id, item from matched where says_more union all select id, item from unknown where not is_parked) as o) as others,
         (select count(*) from parked)::int as parked,
         (select count(*) from notified) as notified, (select count(*) from woken) as woken`;

const IS_NEW = `state = 'new' and (kind = 'status' or (kind = 'message' and status <> 'inbound'))
        and (retry_at is null or retry_at <= clock_timestamp())`;

/** New reports are due at once, a parked one when its message is looked for again. */
export const REPORTS_DUE_IN = sql<number | null>`
  case when exists (select 1 from inbox where ${sql.raw(IS_NEW)}) then 0
       else (select extract(epoch from min(retry_at) - clock_timestamp()) * 1000 from inbox
              where state = 'parked' and kind = 'status' and retry_at <= clock_timestamp() + ${IN_SIGHT}) end`;

/**
 * Parked reports that are looked at again. An echo only if its message is known: until its time is over, it may be that
 * of a message that is being sent.
 */
const IS_DUE_AGAIN = `state = 'parked' and retry_at <= clock_timestamp()
        and (kind = 'status' or exists (select 1 from messages m join channels c on c.id = m.channel_id
                                         where c.account_id = inbox.account_id and m.ext_id = inbox.ext_id))`;

/** Return the ids of reports that are due, at most `limit` new ones and as many parked ones, in the vendor's order. */
export async function findReports(pool: pg.Pool, limit: number): Promise<number[]> {
  const { rows } = await pool.query<{ id: number }>(
    `select id from inbox
      where id = any(array(select id from inbox where ${IS_NEW} order by id limit $1)
                     || array(select id from inbox where ${IS_DUE_AGAIN} order by retry_at limit $1))
      order by item->>'occurredAt' nulls last, id`,
    [limit],
  );
  return rows.map(({ id }) => id);
}

/**
 * Apply up to `limit` reports. Those without a message are parked and looked at again in a moment; one that may be the
 * echo of a message that is being sent, for at most `echoGraceSeconds`.
 */
export async function applyReports(
  pool: pg.Pool,
  { limit, echoGraceSeconds }: { limit: number; echoGraceSeconds: number },
): Promise<ReportBatch> {
  // With its values in the text, a connection plans it once [5 ms]; with parameters, six times.
  const { rows } = await pool.query<{ applied: AppliedReport[] | null; others: number[] | null; parked: number }>(
    prepared(textOf(limit, echoGraceSeconds)),
  );
  const [row] = rows;
  return { applied: row?.applied ?? [], others: row?.others ?? [], parked: row?.parked ?? 0 };
}
