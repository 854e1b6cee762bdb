/** SQL of delivery reports: those that are due, with their messages, and what is noted on them. */
import { type RawBuilder, sql } from 'kysely';
import type pg from 'pg';
import { isOfDialogue } from '../../conversations/store/unprocessed.ts';
import { MESSAGE_STATE, toDelivery } from '../../engine/postgres/columns.ts';
import { CLOCKS } from '../../engine/postgres/load.ts';
import type { Delivery, Now } from '../../engine/rules/message.ts';
import { IN_SIGHT } from '../../jobs/store/dueWork.ts';
import type { Tx } from '../../platform/db.ts';
import type { StoredReport } from '../reportedEvent.ts';
import { NEXT_LOOK } from './items.ts';

/** A stored item that reports on a message. */
export interface ReportItem extends StoredReport {
  readonly id: number;
  readonly kind: string;
}

/** A message that reports are about, locked. */
export interface ReportedMessage {
  readonly id: number;
  readonly product_id: number;
  readonly side: 'user' | 'bot';
  /** Null if it is older than traces. */
  readonly trace: string | null;
  readonly state: Delivery;
}

/** A report that is due. */
export interface DueReport {
  readonly item: ReportItem;
  /** Null if no message with its id is known. */
  readonly message: ReportedMessage | null;
  /** Whether it names a chat that is not known as the message's, or concerns a channel. */
  readonly saysMore: boolean;
  /** Of one without a message: whether it waits for its message. */
  readonly waits: boolean;
}

/** Whether the dialogue of message `m` is known by every id of the chat that report `i` names. */
const IS_CHAT_KNOWN =
  sql.raw(`(array[i.chat_id] || array(select jsonb_array_elements_text(coalesce(i.item->'sameAs', '[]')))
               <@ array(select k.chat_id from dialogue_chats k where k.dialogue_id = m.dialogue_id))`);

const IS_NEW = `state = 'new' and (kind = 'status' or (kind = 'message' and status <> 'inbound'))
        and (retry_at is null or retry_at <= clock_timestamp())`;

type Row = Readonly<Record<string, unknown>> &
  ReportItem & {
    readonly message: number | null;
    readonly product_id: number;
    readonly side: 'user' | 'bot';
    readonly trace: string | null;
    readonly says_more: boolean | null;
    readonly waits: boolean;
    readonly domain: number;
    readonly real: number;
  };

/**
 * Lock and return reports that are due, at most `limit` new ones and as many parked ones, and their messages. Those that
 * another transaction has locked are left out.
 */
export async function loadReports(tx: Tx, limit: number): Promise<{ now: Now; reports: DueReport[] }> {
  const most = sql.raw(String(limit));
  // With its limit in the text, a connection plans it once [5 ms]; with parameters, six times.
  const { rows } = await sql<Row>`
    with items as materialized (
      select id, account_id, channel_id, kind, ext_id, status, chat_id, item, state from inbox
       where id = any(array(select id from inbox where ${sql.raw(IS_NEW)} order by id limit ${most})
                      || array(select id from inbox where state = 'parked' and kind in ('message', 'status') and retry_at <= clock_timestamp()
                                order by retry_at limit ${most}))
       order by id for update skip locked
    ), matched as materialized (
      select i.id as item_id, m.id as message_id, m.*,
             (coalesce(i.item->>'errorAbout', '') in ('channel', 'passing')
              or (i.chat_id is not null and i.item->>'notPerson' is null and not ${IS_CHAT_KNOWN})) as says_more
        from items i join messages m on m.ext_id = i.ext_id join channels c on c.id = m.channel_id and c.account_id = i.account_id
       order by m.id for update of m
    )
    select i.id, i.kind, i.status, i.item->>'occurredAt' as occurred_at, i.item->>'errorReason' as error_reason,
           i.item->>'errorCode' as error_code, i.item->>'errorAbout' as error_about,
           m.message_id as message, m.product_id, m.side, m.trace, m.says_more, ${MESSAGE_STATE}, ${CLOCKS},
           m.message_id is null and i.item->>'key' is null
             and not exists (select 1 from messages p where p.previous_ext_ids <> '{}' and p.previous_ext_ids @> array[i.ext_id])
             and (i.kind = 'status' or i.state = 'parked'
                  or (i.item->>'viaApi' is distinct from 'false'
                      and exists (select 1 from dialogues d join messages s on s.dialogue_id = d.id and s.status = 'sending'
                                   where ${sql.raw(isOfDialogue('i', 'd'))}))) as waits
      from items i left join matched m on m.item_id = i.id
     order by i.item->>'occurredAt' nulls last, i.id`.execute(tx);
  const [first] = rows;
  return {
    now: { domain: Math.floor(first?.domain ?? 0), real: Math.floor(first?.real ?? 0) },
    reports: rows.map(toReport),
  };
}

function toReport(row: Row): DueReport {
  const { id, kind, status, occurred_at, error_reason, error_code, error_about, message, product_id, side, trace } =
    row;
  return {
    item: { id, kind, status, occurred_at, error_reason, error_code, error_about },
    message: message === null ? null : { id: message, product_id, side, trace, state: toDelivery(row, '') },
    saysMore: row.says_more ?? false,
    waits: row.waits,
  };
}

/** Note on reports the messages that they were about. */
export const noteDone = (
  items: readonly { readonly id: number; readonly message: number }[],
): RawBuilder<unknown> => sql`
  update inbox i set state = 'done', note = 'message', note_detail = g.message::text, parked_until = null, retry_at = null
    from jsonb_to_recordset(${JSON.stringify(items)}::jsonb) as g (id bigint, message bigint)
   where i.id = g.id and i.id = any(array(select id from jsonb_to_recordset(${JSON.stringify(items)}::jsonb) as k (id bigint)))`;

/** Park reports until their messages appear; one that may be the echo of a message that is being sent, for a while. */
export const park = (ids: readonly number[], echoGraceSeconds: number): RawBuilder<unknown> => sql`
  update inbox set state = 'parked', note = case kind when 'status' then 'awaits_message' else 'awaits_send' end,
         retry_at = ${sql.raw(NEXT_LOOK)}, attempts = attempts + 1,
         parked_until = case kind when 'message' then coalesce(parked_until, clock_timestamp() + make_interval(secs => ${echoGraceSeconds})) end
   where id = any(${[...ids]}::bigint[])`;

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
