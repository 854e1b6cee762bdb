/** Loads conversations, locked. */
import { type RawBuilder, sql } from 'kysely';
import type { HookKind } from '../../channels/driver.ts';
import type { Stage } from '../../leads/contract.ts';
import type { Tx } from '../../platform/db.ts';
import { idList } from '../../platform/statements.ts';
import type { Conversation } from '../rules/conversation.ts';
import type { Delivery, Now } from '../rules/message.ts';
import { DIALOGUE_STATE, FAILING, MESSAGE_STATE, toDelivery, toFailing, toNeeds } from './columns.ts';

/** A conversation with what carrying out its effects needs. */
export interface LoadedConversation {
  readonly id: number;
  readonly productId: number;
  readonly channelId: number;
  readonly accountId: number;
  readonly chatId: string | null;
  readonly turn: number;
  /** Whether any of its messages waits to be sent. */
  readonly hasScheduled: boolean;
  readonly lead: { readonly id: number; readonly stage: Stage };
  readonly state: Conversation;
}

/** A message that something happens to, and what the vendor calls it and its chat, if it says so now. */
export interface AskedMessage {
  readonly id: number;
  readonly extId?: string | null;
  readonly chatId?: string | null;
}

/** What is stored of a message's ids, and of those that the vendor names now. */
export interface KnownIds {
  /** Null if it is older than traces. */
  readonly trace: string | null;
  /** Another message has the id: an echo was taken for a message that others have sent. */
  readonly isIdTaken: boolean;
  /** Another dialogue has the chat. */
  readonly isChatTaken: boolean;
  /** The kinds of reports about this id that wait for their message. */
  readonly parked: readonly HookKind[];
}

/** Conversations and known ids, by the messages that were asked for. */
export interface Loaded {
  readonly now: Now;
  readonly byMessage: ReadonlyMap<number, LoadedConversation>;
  readonly ids: ReadonlyMap<number, KnownIds>;
}

/** For `select`: both clocks. */
export const CLOCKS = sql<number>`(extract(epoch from domain_now()) * 1000)::float8 as domain,
  (extract(epoch from clock_timestamp()) * 1000)::float8 as real`;

/** Columns of message `m` that say where it belongs; a whole row has them too. */
const PLACE = sql.raw('m.id, m.dialogue_id, m.product_id, m.channel_id, m.trace, m.message');

/** For `select`: the conversation of message `m` in dialogue `d` with lead `l` on channel `h`. */
export const CONVERSATION = sql`h.account_id, d.chat_id, d.turn as dialogue_turn, l.id as lead_id, l.stage,
  ${DIALOGUE_STATE}, ${FAILING}, ${CLOCKS}`;

export interface ConversationRow extends Readonly<Record<string, unknown>> {
  readonly id: number;
  readonly dialogue_id: number;
  readonly product_id: number;
  readonly channel_id: number;
  readonly trace: string | null;
  readonly message: string;
  readonly account_id: number;
  readonly chat_id: string | null;
  readonly dialogue_turn: number;
  readonly lead_id: number;
  readonly stage: Stage;
  readonly failing: [number, 'error' | 'unconfirmed'][] | null;
  readonly domain: number;
  readonly real: number;
}

type Row = ConversationRow & {
  readonly has_scheduled: boolean;
  readonly is_id_taken: boolean;
  readonly is_chat_taken: boolean;
  readonly parked: HookKind[] | null;
};

/**
 * Load the conversations of messages, of each only these messages, and lock their leads, then their dialogues, then the
 * messages, each in order of their ids. With `skipsLocked`, those are left out that another transaction has locked.
 */
export async function loadConversations(
  tx: Tx,
  asked: readonly AskedMessage[],
  { skipsLocked = false }: { readonly skipsLocked?: boolean } = {},
): Promise<Loaded> {
  const ids = idList(asked.map(({ id }) => id));
  const named = asked.flatMap(({ id, extId = null, chatId = null }) =>
    extId === null && chatId === null ? [] : [{ id, ext_id: extId, chat_id: chatId }],
  );
  const skip: RawBuilder<unknown> = skipsLocked ? sql`skip locked` : sql``;
  const { rows } = await sql<Row>`
    with asked as materialized (
      select m.id, m.dialogue_id, c.lead_id from messages m join contacts c on c.id = m.contact_id where m.id = any(${ids})
    ), leads_locked as materialized (
      select l.id, l.stage from leads l where l.id in (select lead_id from asked) order by l.id for update ${skip}
    ), dialogues_locked as materialized (
      select d.* from dialogues d
       where d.id in (select a.dialogue_id from asked a join leads_locked l on l.id = a.lead_id) order by d.id for update of d ${skip}
    ), messages_locked as materialized (
      select m.* from messages m
       where m.id = any(${ids}) and m.dialogue_id in (select id from dialogues_locked) order by m.id for update of m ${skip}
    )
    select ${PLACE}, ${MESSAGE_STATE}, ${CONVERSATION},
           exists (select 1 from messages w where w.dialogue_id = d.id and w.status = 'scheduled') as has_scheduled,
           exists (select 1 from messages o where o.channel_id = m.channel_id and o.ext_id = n.ext_id and o.id <> m.id) as is_id_taken,
           exists (select 1 from dialogue_chats k
                    where k.channel_id = m.channel_id and k.chat_id = n.chat_id and k.dialogue_id <> m.dialogue_id) as is_chat_taken,
           (select json_agg(distinct i.kind) from inbox i
             where i.account_id = h.account_id and i.ext_id = n.ext_id and i.state = 'parked') as parked
      from messages_locked m join dialogues_locked d on d.id = m.dialogue_id join asked a on a.id = m.id
      join leads_locked l on l.id = a.lead_id join channels h on h.id = m.channel_id
      left join jsonb_to_recordset(${JSON.stringify(named)}::jsonb) as n (id bigint, ext_id text, chat_id text) on n.id = m.id
     order by m.id`.execute(tx);
  return toLoaded(rows);
}

/** Dialogues, or leads with all of theirs. */
export type Where = { readonly dialogueIds: readonly number[] } | { readonly leadIds: readonly number[] };

/** Condition on dialogues `d` with contacts `c`. */
export const isOf = (where: Where): RawBuilder<boolean> =>
  'dialogueIds' in where
    ? sql`d.id = any(${idList(where.dialogueIds)})`
    : sql`c.lead_id = any(${idList(where.leadIds)})`;

/**
 * Load the conversations of the messages that wait in these dialogues, and lock the messages. What becomes of a message while
 * it waits changes nothing else of its conversation, so nothing else is locked.
 */
export async function loadWaiting(tx: Tx, where: Where): Promise<Loaded> {
  const { rows } = await sql<ConversationRow>`${WAITING} where ${isOf(where)} and m.status = 'scheduled'
     order by m.id for update of m`.execute(tx);
  return toLoaded(rows);
}

/** Load as `loadWaiting` does what was moved to other hours, of leads or of a product; at most `limit` messages. */
export async function loadMoved(
  tx: Tx,
  where: { readonly leadIds: readonly number[] } | { readonly productId: number },
  limit: number,
): Promise<Loaded> {
  const isWanted = 'productId' in where ? sql`m.product_id = ${where.productId}` : isOf(where);
  const { rows } = await sql<ConversationRow>`
    ${WAITING} where ${isWanted} and m.status = 'scheduled' and m.originally_scheduled_at is not null
     order by m.id limit ${limit} for update of m`.execute(tx);
  return toLoaded(rows);
}

const WAITING = sql`
  select ${PLACE}, ${MESSAGE_STATE}, ${CONVERSATION}
    from messages m join dialogues d on d.id = m.dialogue_id join contacts c on c.id = d.contact_id join leads l on l.id = c.lead_id
    join channels h on h.id = m.channel_id`;

/** Read conversations. The states of messages are in columns with this prefix; empty: rows are whole messages. */
export function toLoaded(rows: readonly (ConversationRow & Partial<Row>)[], prefix: 'm_' | '' = 'm_'): Loaded {
  const byMessage = new Map<number, LoadedConversation>();
  const ids = new Map<number, KnownIds>();
  for (const ofDialogue of Map.groupBy(rows, (row) => row.dialogue_id).values()) {
    const [row] = ofDialogue;
    if (!row) continue;
    const messages = new Map<number, Delivery>(ofDialogue.map((one) => [one.id, toDelivery(one, one.message, prefix)]));
    const conversation = {
      id: row.dialogue_id,
      productId: row.product_id,
      channelId: row.channel_id,
      accountId: row.account_id,
      chatId: row.chat_id,
      turn: row.dialogue_turn,
      hasScheduled: row.has_scheduled ?? true,
      lead: { id: row.lead_id, stage: row.stage },
      state: { dialogue: toNeeds(row), messages, failing: toFailing(row.failing) },
    };
    for (const one of ofDialogue) {
      byMessage.set(one.id, conversation);
      const { trace, is_id_taken: isIdTaken = false, is_chat_taken: isChatTaken = false, parked } = one;
      ids.set(one.id, { trace, isIdTaken, isChatTaken, parked: parked ?? [] });
    }
  }
  const [first] = rows;
  return { now: { domain: Math.floor(first?.domain ?? 0), real: Math.floor(first?.real ?? 0) }, byMessage, ids };
}

/** Return those of the messages that are later parts of a first message whose first part failed. */
export async function findPartsOfFailed(tx: Tx, ids: readonly number[]): Promise<ReadonlySet<number>> {
  const { rows } = await sql<{ id: number }>`
    select m.id from messages m
     where m.id = any(${[...ids]}::bigint[])
       and exists (select 1 from messages f where f.dialogue_id = m.dialogue_id and f.part_group = m.part_group
                      and f.origin = 'first' and f.id < m.id and f.status = 'error')`.execute(tx);
  return new Set(rows.map(({ id }) => id));
}
