/** SQL of received chats: which items are worked on, what deciding about them needs, and what was decided. */
import { sql } from 'kysely';
import type { ChannelType } from '../../channels/contract.ts';
import type { QuietReason } from '../../conversations/inboundMeaning.ts';
import type { EarlierText } from '../../conversations/messageChangeContract.ts';
import type { NoAnswer } from '../../conversations/noAnswer.ts';
import type { RecentMessage } from '../../conversations/robots.ts';
import { recentMessages } from '../../conversations/store/messages.ts';
import { type InboxRow, type ItemNote, ignoredNotes } from '../../conversations/store/tables.ts';
import { CLOCKS } from '../../engine/postgres/load.ts';
import type { NamedQueries } from '../../engine/postgres/save.ts';
import { dueIf } from '../../jobs/store/dueWork.ts';
import type { LeadRow } from '../../leads/store.ts';
import type { Reader, Tx } from '../../platform/db.ts';

/**
 * Conditions of items that are due: messages of leads, edits and deletions, channels' states; parked messages; items to be
 * tried again.
 */
const IS_NEW = sql`state = 'new' and (kind in ('channel', 'edit', 'deletion') or (kind = 'message' and status = 'inbound'))
                   and (retry_at is null or retry_at <= clock_timestamp())`;
/** An edit or deletion whose message is looked for again. */
const IS_LOOKED_FOR = sql`state = 'parked' and kind in ('edit', 'deletion') and retry_at <= clock_timestamp()`;
const IS_PARKED_LONG_ENOUGH = sql`state = 'parked' and parked_until < clock_timestamp()`;
const IS_TO_BE_RETRIED = sql`state = 'failed' and (retry_at is null or retry_at <= clock_timestamp())`;

const OPEN_ITEMS = sql`
  array(select id from inbox where ${IS_NEW} order by id limit ${sql.lit(200)})
  || array(select id from inbox where ${IS_PARKED_LONG_ENOUGH} order by id limit ${sql.lit(200)})
  || array(select id from inbox where ${IS_LOOKED_FOR} order by id limit ${sql.lit(200)})
  || array(select id from inbox where ${IS_TO_BE_RETRIED} order by id limit ${sql.lit(20)})`;

export const ITEMS_DUE_IN = dueIf(sql`
  exists (select 1 from inbox where ${IS_LOOKED_FOR}) or exists (select 1 from inbox where ${IS_NEW}) or exists (select 1 from inbox where ${IS_PARKED_LONG_ENOUGH})
  or exists (select 1 from inbox where ${IS_TO_BE_RETRIED})`);

/** Return the ids of items that are due. */
export async function findOpenItems(reader: Reader): Promise<number[]> {
  const { rows } = await sql<{ ids: number[] }>`select ${OPEN_ITEMS} as ids`.execute(reader);
  return rows[0]?.ids.map(Number) ?? [];
}

/** Every id under which the chat of an item may be known, and the addresses that its dialogue may have without one. */
const listOf = (field: 'sameAs' | 'variants' | 'addresses') =>
  sql.raw(
    `array(select jsonb_array_elements_text(case jsonb_typeof(item->'${field}') when 'array' then item->'${field}' else '[]' end))`,
  );
const CHAT_IDS = sql`array[chat_id] || ${listOf('sameAs')} || ${listOf('variants')}`;

/**
 * Claim items, those that are due if `ids` is null, and lock their leads and dialogues, in this order. A chat that
 * another worker has claimed is left to it. Returns the claimed items. What they say must be read by another statement,
 * which sees what the locks waited for.
 */
export async function claimItems(tx: Tx, ids: readonly number[] | null): Promise<number[]> {
  const { rows } = await sql<{ id: number }>`
    with asked as materialized (
      select id, kind, account_id, channel_id, chat_id, ext_id, item->>'key' as key, ${CHAT_IDS} as chat_ids,
             ${listOf('addresses')} as addresses,
             hashtextextended(coalesce(chat_id, ext_id), coalesce(channel_id, account_id)) as chat
        from inbox where id = any(${ids === null ? OPEN_ITEMS : sql`${[...ids]}::bigint[]`}) and state <> 'done'
    ), claimed as materialized (
      select chat from (select distinct chat from asked) as chats where pg_try_advisory_xact_lock(chat)
    ), mine as materialized (
      select a.* from asked a where a.chat in (select chat from claimed)
    ), dialogues_of as materialized (
      select d.id, d.contact_id from mine a
        join dialogue_chats k on k.channel_id = a.channel_id and k.chat_id = any(a.chat_ids) join dialogues d on d.id = k.dialogue_id
      union
      select d.id, d.contact_id from mine a
        join dialogues d on a.kind = 'message' and d.channel_id = a.channel_id and d.address = any(a.addresses) and d.chat_id is null
      union
      select d.id, d.contact_id from mine a
        join channels h on a.kind in ('status', 'edit', 'deletion') and h.account_id = a.account_id
        join messages m on m.channel_id = h.id and m.ext_id = a.ext_id join dialogues d on d.id = m.dialogue_id
      union
      select d.id, d.contact_id from mine a
        join messages m on a.key is not null and m.ext_id is null and m.status in ('sending', 'unconfirmed') and m.send_key::text = a.key
        join dialogues d on d.id = m.dialogue_id
    ), locked_leads as materialized (
      select id from leads where id in (select c.lead_id from dialogues_of d join contacts c on c.id = d.contact_id) order by id for update
    ), locked_dialogues as materialized (
      select id from dialogues where id in (select id from dialogues_of) and (select count(*) from locked_leads) >= 0 order by id for update
    )
    select id from mine where (select count(*) from locked_dialogues) >= 0`.execute(tx);
  return rows.map(({ id }) => id);
}

/** An item, and what is known of its chat. Without a dialogue, everything about it is null. */
export interface ItemFacts extends InboxRow {
  readonly channel: {
    readonly id: number;
    readonly account_id: number;
    readonly channel_type: ChannelType;
    readonly number: string | null;
  } | null;
  readonly chat: LoadedChat | null;
  /** Whether the dialogue of the chat answers to it, and is known by every other id of it. */
  readonly is_linked: boolean;
  /** Whether the channel has a message with this vendor id. */
  readonly is_known: boolean;
  /** The id of its message, if one is stored. */
  readonly message_id: number;
  /** Whether an edit or deletion of it has come already. */
  readonly is_changed: boolean;
  /** Milliseconds since 1970 on both clocks. */
  readonly domain: number;
  readonly real: number;
}

export interface ChatFacts {
  readonly dialogue: {
    readonly id: number;
    readonly product_id: number;
    readonly contact_id: number;
    readonly turn: number;
    readonly owner: 'bot' | 'human';
  };
  /** The newest messages, oldest first. */
  readonly recent: readonly RecentMessage[];
  readonly lead: Pick<LeadRow, 'id' | 'product_id' | 'stage' | 'is_active' | 'recognized_deactivation_request'>;
  readonly is_product_active: boolean;
}

/** A chat with the state of its dialogue. */
export interface LoadedChat extends ChatFacts {
  /** The row of the dialogue. */
  readonly row: Readonly<Record<string, unknown>>;
  /** Whether any message of ours waits in it. */
  readonly has_scheduled: boolean;
}

const CHAT_FACTS = sql`
  json_build_object(
    'row', row_to_json(d), 'has_scheduled', exists (select from messages w where w.dialogue_id = d.id and w.status = 'scheduled'),
    'dialogue', json_build_object('id', d.id, 'product_id', d.product_id, 'contact_id', d.contact_id, 'turn', d.turn, 'owner', d.owner),
    'lead', json_build_object('id', l.id, 'product_id', l.product_id, 'stage', l.stage, 'is_active', l.is_active,
                              'recognized_deactivation_request', l.recognized_deactivation_request),
    'is_product_active', p.is_active, 'recent', ${recentMessages(sql`d.id`)})`;

/** What belongs to a dialogue `d`. */
const CHAT_TABLES = sql`
  join contacts c on c.id = d.contact_id join leads l on l.id = c.lead_id join products p on p.id = d.product_id`;

/** Load claimed items and their facts, in the order in which the vendor says they happened. */
export async function loadItems(tx: Tx, ids: readonly number[]): Promise<ItemFacts[]> {
  const { rows } = await sql<ItemFacts>`
    select i.id, i.account_id, i.channel_id, i.kind, i.ext_id, i.status, i.chat_id, i.item, i.received_at, i.state,
           i.parked_until, i.note, i.note_detail, i.attempts, i.retry_at, i.trace,
           case when h.id is not null
                then json_build_object('id', h.id, 'account_id', h.account_id, 'channel_type', h.channel_type, 'number', h.number) end as channel,
           (select ${CHAT_FACTS} from dialogue_chats k join dialogues d on d.id = k.dialogue_id ${CHAT_TABLES}
             where k.channel_id = i.channel_id and k.chat_id = i.chat_id) as chat,
           coalesce((select d.chat_id = i.chat_id and not exists (
                       select from jsonb_array_elements_text(coalesce(i.item->'sameAs', '[]')) as other
                        where not exists (select from dialogue_chats s where s.channel_id = i.channel_id and s.chat_id = other and s.dialogue_id = d.id))
                       from dialogue_chats k join dialogues d on d.id = k.dialogue_id
                      where k.channel_id = i.channel_id and k.chat_id = i.chat_id), false) as is_linked,
           (select m.id from messages m where m.channel_id = i.channel_id and m.ext_id = i.ext_id) is not null as is_known,
           nextval(pg_get_serial_sequence('messages', 'id')) as message_id, ${CLOCKS},
           exists (select from inbox e where e.account_id = i.account_id and e.ext_id = i.ext_id and e.state = 'parked'
                      and e.kind in ('edit', 'deletion')) as is_changed
      from inbox i left join channels h on h.id = i.channel_id
     where i.id = any(${[...ids]}::bigint[]) and i.state <> 'done'
     order by i.item->>'occurredAt' nulls last, i.id for update of i skip locked`.execute(tx);
  return rows;
}

/** Find the messages that items report on. */
export async function findReportedMessages(tx: Tx, items: readonly number[]): Promise<{ id: number }[]> {
  const { rows } = await sql<{ id: number }>`
    select m.id from inbox i join channels h on h.account_id = i.account_id
      join messages m on m.channel_id = h.id and m.ext_id = i.ext_id where i.id = any(${[...items]}::bigint[])`.execute(
    tx,
  );
  return rows;
}

/** Load the facts of one dialogue; null if it is gone. */
export async function loadChat(tx: Tx, dialogueId: number): Promise<LoadedChat | null> {
  const { rows } = await sql<{ chat: LoadedChat }>`
    select ${CHAT_FACTS} as chat from dialogues d ${CHAT_TABLES} where d.id = ${dialogueId}`.execute(tx);
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
  /** Whether it starts no turn. */
  readonly is_sign: boolean;
  readonly refers_to_ext_id: string | null;
  /** Of a message that was edited before it was stored, with the words before if they are known. */
  readonly edited_at: string | null;
  readonly earlier_texts: readonly EarlierText[];
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
  /** Why nobody needs to answer what started no turn. */
  readonly quiet_reason: QuietReason | null;
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

/** Messages of leads to be stored, oldest first, with their ids, and the notes of the items. */
export function inboundQueries(
  messages: readonly (InboundMessage & { readonly id: number })[],
  notes: InboundChanges['notes'],
): NamedQueries {
  const stored = messages.map(({ id, item }) => ({ id, item }));
  const inserted: NamedQueries =
    messages.length === 0
      ? []
      : [
          [
            'inserted',
            sql`
      insert into messages (id, product_id, contact_id, dialogue_id, channel_id, message, kind, media_url, side, author, status,
                            ext_id, thread_at, sent_at, trace, is_sign, refers_to_ext_id, edited_at, earlier_texts)
      overriding system value
      select id, product_id, contact_id, dialogue_id, channel_id, message, kind, media_url, 'user', 'lead', 'inbound',
             ext_id, at, at, coalesce(trace, gen_random_uuid()), is_sign, refers_to_ext_id, edited_at, earlier_texts
        from jsonb_to_recordset(${JSON.stringify(messages)}::jsonb) as m (id bigint, product_id bigint, contact_id bigint,
          dialogue_id bigint, channel_id bigint, message text, kind text, media_url text, ext_id text, at timestamptz, trace uuid,
          is_sign boolean, refers_to_ext_id text, edited_at timestamptz, earlier_texts jsonb)
       order by id`,
          ],
          [
            'changed_again',
            sql`
      update inbox i set state = 'new', retry_at = null, note = null
        from jsonb_to_recordset(${JSON.stringify(messages)}::jsonb) as m (channel_id bigint, ext_id text) join channels h on h.id = m.channel_id
       where i.account_id = h.account_id and i.ext_id = m.ext_id and i.state = 'parked' and i.kind in ('edit', 'deletion')`,
          ],
        ];
  return [
    ...inserted,
    [
      'processed',
      sql`
      update inbox i set state = 'done', parked_until = null, retry_at = null, note = coalesce(n.note, 'message'), note_detail = s.id::text,
             ignored_at = case when n.note = any(${sql.lit(`{${ignoredNotes.join(',')}}`)}::text[]) then domain_now() end
        from jsonb_to_recordset(${JSON.stringify(notes)}::jsonb) as n (item bigint, note text)
        left join jsonb_to_recordset(${JSON.stringify(stored)}::jsonb) as s (id bigint, item bigint) using (item)
       where i.id = n.item`,
    ],
  ];
}
