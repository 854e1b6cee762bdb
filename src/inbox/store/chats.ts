/** SQL of received chats: which items are worked on, what deciding about them needs, and what was decided. */
import { sql } from 'kysely';
import type { ChannelType } from '../../channels/contract.ts';
import type { NoAnswer } from '../../conversations/noAnswer.ts';
import type { InboxRow, ItemNote } from '../../conversations/store/tables.ts';
import { dueIf } from '../../jobs/store/dueWork.ts';
import type { LeadRow } from '../../leads/store.ts';
import type { Reader, Tx } from '../../platform/db.ts';
import { LIVE_CHANNEL, takeNotifications } from '../../platform/notifications.ts';
import { idList } from '../../platform/statements.ts';

/** Conditions of items that are due: messages of leads, channels' states; parked messages; items to be tried again. */
const IS_NEW = sql`state = 'new' and (kind = 'channel' or (kind = 'message' and status = 'inbound'))
                   and (retry_at is null or retry_at <= clock_timestamp())`;
const IS_PARKED_LONG_ENOUGH = sql`state = 'parked' and parked_until < clock_timestamp()`;
const IS_TO_BE_RETRIED = sql`state = 'failed' and (retry_at is null or retry_at <= clock_timestamp())`;

const OPEN_ITEMS = sql`
  array(select id from inbox where ${IS_NEW} order by id limit ${sql.lit(200)})
  || array(select id from inbox where ${IS_PARKED_LONG_ENOUGH} order by id limit ${sql.lit(200)})
  || array(select id from inbox where ${IS_TO_BE_RETRIED} order by id limit ${sql.lit(20)})`;

export const ITEMS_DUE_IN = dueIf(sql`
  exists (select 1 from inbox where ${IS_NEW}) or exists (select 1 from inbox where ${IS_PARKED_LONG_ENOUGH})
  or exists (select 1 from inbox where ${IS_TO_BE_RETRIED})`);

/** Return the ids of items that are due. */
export async function findOpenItems(reader: Reader): Promise<number[]> {
  const { rows } = await sql<{ ids: number[] }>`select ${OPEN_ITEMS} as ids`.execute(reader);
  return rows[0]?.ids.map(Number) ?? [];
}

/**
 * Addresses that a chat's dialogue may have while its chat id is unknown, as vendors write them. One that is written
 * otherwise is found and locked later, behind the others of the batch.
 */
const ADDRESSES = sql`array[ltrim(lower(coalesce(item->>'address', chat_id)), '+@'), 'id:' || chat_id]`;

/**
 * Claim items, those that are due if `ids` is null, and lock their leads and dialogues, in this order. A chat that
 * another worker has claimed is left to it. Returns the claimed items. What they say must be read by another statement,
 * which sees what the locks waited for.
 */
export async function claimItems(tx: Tx, ids: readonly number[] | null): Promise<number[]> {
  const { rows } = await sql<{ id: number }>`
    with asked as materialized (
      select id, kind, account_id, channel_id, chat_id, ext_id, item->>'key' as key, ${ADDRESSES} as addresses,
             hashtextextended(coalesce(chat_id, ext_id), coalesce(channel_id, account_id)) as chat
        from inbox where id = any(${ids === null ? OPEN_ITEMS : sql`${[...ids]}::bigint[]`}) and state <> 'done'
    ), claimed as materialized (
      select chat from (select distinct chat from asked) as chats where pg_try_advisory_xact_lock(chat)
    ), dialogues_of as materialized (
      select d.id, d.contact_id from asked a join claimed using (chat)
        join dialogues d on d.channel_id = a.channel_id and d.chat_id = a.chat_id
      union
      select d.id, d.contact_id from asked a join claimed using (chat)
        join dialogues d on a.kind = 'message' and d.channel_id = a.channel_id and d.address = any(a.addresses)
      union
      select d.id, d.contact_id from asked a join claimed using (chat)
        join channels h on a.kind = 'status' and h.account_id = a.account_id
        join messages m on m.channel_id = h.id and m.ext_id = a.ext_id join dialogues d on d.id = m.dialogue_id
      union
      select d.id, d.contact_id from asked a join claimed using (chat)
        join messages m on a.key is not null and m.ext_id is null and m.status in ('sending', 'unconfirmed') and m.send_key::text = a.key
        join dialogues d on d.id = m.dialogue_id
    ), locked_leads as materialized (
      select id from leads where id in (select c.lead_id from dialogues_of d join contacts c on c.id = d.contact_id) order by id for update
    ), locked_dialogues as materialized (
      select id from dialogues where id in (select id from dialogues_of) and (select count(*) from locked_leads) >= 0 order by id for update
    )
    select a.id from asked a join claimed using (chat) where (select count(*) from locked_dialogues) >= 0`.execute(tx);
  return rows.map(({ id }) => id);
}

/** An item, and what is known of its chat. Without a dialogue, everything about it is null. */
export interface ItemFacts extends InboxRow {
  readonly channel: { readonly id: number; readonly account_id: number; readonly channel_type: ChannelType } | null;
  readonly chat: ChatFacts | null;
  /** Whether the channel has a message with this vendor id. */
  readonly is_known: boolean;
}

export interface ChatFacts {
  readonly dialogue: {
    readonly id: number;
    readonly product_id: number;
    readonly contact_id: number;
    readonly turn: number;
    readonly owner: 'bot' | 'human';
  };
  readonly lead: Pick<LeadRow, 'id' | 'product_id' | 'stage' | 'is_active' | 'recognized_deactivation_request'>;
  readonly is_product_active: boolean;
}

const CHAT_FACTS = sql`
  json_build_object(
    'dialogue', json_build_object('id', d.id, 'product_id', d.product_id, 'contact_id', d.contact_id, 'turn', d.turn, 'owner', d.owner),
    'lead', json_build_object('id', l.id, 'product_id', l.product_id, 'stage', l.stage, 'is_active', l.is_active,
                              'recognized_deactivation_request', l.recognized_deactivation_request),
    'is_product_active', p.is_active)`;

const CHAT_TABLES = sql`
  dialogues d join contacts c on c.id = d.contact_id join leads l on l.id = c.lead_id join products p on p.id = d.product_id`;

/** Load claimed items and their facts, in the order in which the vendor says they happened. */
export async function loadItems(tx: Tx, ids: readonly number[]): Promise<ItemFacts[]> {
  const { rows } = await sql<ItemFacts>`
    select i.id, i.account_id, i.channel_id, i.kind, i.ext_id, i.status, i.chat_id, i.item, i.received_at, i.state,
           i.parked_until, i.note, i.note_detail, i.attempts, i.retry_at, i.trace,
           case when h.id is not null
                then json_build_object('id', h.id, 'account_id', h.account_id, 'channel_type', h.channel_type) end as channel,
           (select ${CHAT_FACTS} from ${CHAT_TABLES} where d.channel_id = i.channel_id and d.chat_id = i.chat_id) as chat,
           (select m.id from messages m where m.channel_id = i.channel_id and m.ext_id = i.ext_id) is not null as is_known
      from inbox i left join channels h on h.id = i.channel_id
     where i.id = any(${[...ids]}::bigint[]) and i.state <> 'done'
     order by i.item->>'occurredAt' nulls last, i.id for update of i skip locked`.execute(tx);
  return rows;
}

/** Lock the messages that items report on, in order of their ids: reports are applied in the order of the items. */
export async function lockReportedMessages(tx: Tx, items: readonly number[]): Promise<void> {
  await sql`
    select 1 from messages where id = any(array(
      select m.id from inbox i join channels h on h.account_id = i.account_id
        join messages m on m.channel_id = h.id and m.ext_id = i.ext_id where i.id = any(${[...items]}::bigint[])))
     order by id for update`.execute(tx);
}

/** Load the facts of one dialogue; null if it is gone. */
export async function loadChat(tx: Tx, dialogueId: number): Promise<ChatFacts | null> {
  const { rows } = await sql<{ chat: ChatFacts }>`
    select ${CHAT_FACTS} as chat from ${CHAT_TABLES} where d.id = ${dialogueId}`.execute(tx);
  return rows[0]?.chat ?? null;
}

/** A lead's message to be stored. `at`: ISO instant. */
export interface InboundMessage {
  readonly item: number;
  readonly product_id: number;
  readonly contact_id: number;
  readonly dialogue_id: number;
  readonly channel_id: number;
  readonly message: string;
  readonly kind: string;
  readonly media_url: string | null;
  readonly ext_id: string;
  readonly at: string;
  readonly trace: string | null;
}

/** What the messages of one dialogue change in it. */
export interface DialogueChange {
  readonly id: number;
  /** Turns that have begun. */
  readonly turns: number;
  /** Seconds until the last turn is answered; null: it is not. */
  readonly answer_after: number | null;
  /** Why the last turn, or what started none, is not answered, if people must see it. */
  readonly no_answer: NoAnswer['code'] | null;
  readonly no_answer_detail: string | null;
  /** The lead's latest sign: the item, and when it happened. A notice of the messenger is none. */
  readonly user_item: number | null;
  readonly user_at: string | null;
  readonly preview: string;
  readonly preview_at: string;
  /** Whether a sign came that starts no turn: a call, or a message a day old. */
  readonly is_sign: boolean;
  /** The lead has written something that somebody should answer. */
  readonly waits: boolean;
}

export interface InboundChanges {
  readonly messages: readonly InboundMessage[];
  readonly dialogues: readonly DialogueChange[];
  /** The items that are done. Null: a message was stored. */
  readonly notes: readonly { readonly item: number; readonly note: ItemNote | null }[];
}

/**
 * Store what was decided: messages, what they mean to their dialogues, and the notes of their items. Bot messages that
 * a newer message made stale are cancelled. Sends the notifications of the transaction and of the stored messages.
 * Returns the id of each stored message by item, and the cancelled messages.
 */
export async function storeInbound(
  tx: Tx,
  { messages, dialogues, notes, cancelReason }: InboundChanges & { readonly cancelReason: string },
): Promise<{ stored: Map<number, number>; cancelled: { id: number; dialogue_id: number; product_id: number }[] }> {
  const { rows } = await sql<{
    stored: { item: number; id: number }[] | null;
    cancelled: { id: number; dialogue_id: number; product_id: number }[] | null;
  }>`
    with given as materialized (
      select * from jsonb_to_recordset(${JSON.stringify(messages)}::jsonb) as m (item bigint, product_id bigint, contact_id bigint,
        dialogue_id bigint, channel_id bigint, message text, kind text, media_url text, ext_id text, at timestamptz, trace uuid)
    ), inserted as (
      insert into messages (product_id, contact_id, dialogue_id, channel_id, message, kind, media_url, side, author, status,
                            ext_id, thread_at, sent_at, trace)
      select product_id, contact_id, dialogue_id, channel_id, message, kind, media_url, 'user', 'lead', 'inbound',
             ext_id, at, at, coalesce(trace, gen_random_uuid()) from given order by at, item
      returning id, channel_id, ext_id, product_id
    ), stored as materialized (
      select g.item, m.id from given g join inserted m using (channel_id, ext_id)
    ), changes as materialized (
      select * from jsonb_to_recordset(${JSON.stringify(dialogues)}::jsonb) as d (id bigint, turns int, answer_after float8, no_answer text, no_answer_detail text,
        user_item bigint, user_at timestamptz, preview text, preview_at timestamptz, is_sign boolean, waits boolean)
    ), updated as (
      update dialogues d set
        last_user_msg_id = case when n.user_item is null or d.last_user_msg_at > n.user_at then d.last_user_msg_id
                                else (select s.id from stored s where s.item = n.user_item) end,
        last_user_msg_at = greatest(d.last_user_msg_at, n.user_at),
        last_message = case when d.last_msg_created_at > n.preview_at then d.last_message else n.preview end,
        last_msg_created_at = greatest(d.last_msg_created_at, n.preview_at),
        turn = d.turn + n.turns,
        turn_due_at = case when n.turns = 0 then d.turn_due_at else domain_now() + make_interval(secs => n.answer_after) end,
        turn_attempts = case when n.turns = 0 then d.turn_attempts else 0 end,
        turn_retry_at = case when n.turns = 0 then d.turn_retry_at end,
        turn_failed_at = case when n.turns = 0 then d.turn_failed_at end,
        no_answer = case when n.turns = 0 and (d.turn_due_at is not null or d.no_answer is not null) then d.no_answer else n.no_answer end,
        no_answer_detail = case when n.turns = 0 and (d.turn_due_at is not null or d.no_answer is not null) then d.no_answer_detail
                                else n.no_answer_detail end,
        claimed_by = case when n.turns = 0 then d.claimed_by end,
        claimed_until = case when n.turns = 0 then d.claimed_until end,
        waiting_since = case when n.waits then coalesce(d.waiting_since, n.user_at) else d.waiting_since end,
        done_at = case when n.waits then null else d.done_at end,
        snoozed_until = case when n.waits and d.snoozed_until_reply then null else d.snoozed_until end,
        snoozed_until_reply = d.snoozed_until_reply and not n.waits
        from changes n where d.id = n.id and d.id = any(${idList(dialogues.map(({ id }) => id))})
      returning d.id, d.turn, n.turns, n.is_sign
    ), cancelled as (
      update messages m set status = 'cancelled', reason = ${cancelReason}, retry_at = null
        from updated u
       where m.dialogue_id = u.id and m.status = 'scheduled' and m.author = 'bot'
         and ((u.turns > 0 and m.debounce_guard and m.turn < u.turn) or (u.is_sign and m.ping_step_number is not null))
      returning m.id, m.dialogue_id, m.product_id
    ), processed as (
      update inbox i set state = 'done', parked_until = null, retry_at = null, note = coalesce(n.note, 'message'), note_detail = s.id::text
        from jsonb_to_recordset(${JSON.stringify(notes)}::jsonb) as n (item bigint, note text)
        left join stored s using (item) where i.id = n.item
    ), notified as (
      select pg_notify(${LIVE_CHANNEL}, json_build_object('topic', 'message', 'product', product_id, 'ids', json_agg(id))::text)
        from inserted group by product_id
      union all ${takeNotifications(tx)}
    )
    select (select json_agg(stored) from stored) as stored, (select json_agg(cancelled) from cancelled) as cancelled,
           (select count(*) from notified) as notified`.execute(tx);
  const [row] = rows;
  return {
    stored: new Map(row?.stored?.map(({ item, id }) => [item, id])),
    cancelled: row?.cancelled ?? [],
  };
}
