/** The inbox: what vendors told us, stored before the 200. */
import { sql } from 'kysely';
import type pg from 'pg';
import type { HookItem } from '../../channels/driver.ts';
import type { Reader, Tx } from '../../platform/db.ts';
import { prepared } from '../../platform/http/listQuery.ts';
import type { InboxRow } from './tables.ts';

/**
 * Stores what is new among `items` and wakes the worker, in one statement: duplicates fall on the unique key, items of
 * channels that are not the account's are left out. Answers how many were new.
 */
export async function storeItems(pool: pg.Pool, accountId: number, items: readonly HookItem[]): Promise<number> {
  const { rows } = await pool.query<{ stored: number }>({
    ...prepared(`
      with given as (
        select one, one->>'channelRef' as ref from jsonb_array_elements($2::jsonb) as one
      ), stored as (
        insert into inbox (account_id, channel_id, kind, ext_id, status, chat_id, item)
        select $1, c.id, g.one->>'kind', g.one->>'extId', g.one->>'status', g.one->>'chatId', g.one
          from given g left join channels c on c.account_id = $1 and c.vendor_ref = g.ref
         where c.id is not null or (g.ref is null and g.one->>'kind' = 'status')
        on conflict do nothing
        returning id
      ), woken as (
        select graphile_worker.add_job('receive', json_build_object('ids', json_agg(id)), max_attempts := 3)
          from stored having count(*) > 0
      )
      select (select count(*) from stored) as stored, (select count(*) from woken) as woken`),
    values: [accountId, JSON.stringify(items)],
  });
  return rows[0]?.stored ?? 0;
}

const ROW = sql.raw(
  'id, account_id, channel_id, kind, ext_id, status, chat_id, item, received_at, state, hold_until, note',
);

/** Takes one item into hand; null when somebody else has dealt with it or has it in hand. */
export async function takeItem(tx: Tx, id: number): Promise<InboxRow | null> {
  const { rows } = await sql<InboxRow>`
    select ${ROW} from inbox where id = ${id} and state <> 'done' for update skip locked`.execute(tx);
  return rows[0] ?? null;
}

/** Ids of open items among `ids`, in the order in which the vendor says they happened. */
export async function inVendorOrder(reader: Reader, ids: readonly number[]): Promise<number[]> {
  const { rows } = await sql<{ id: number }>`
    select id from inbox where id = any(${[...ids]}::bigint[]) and state = 'new'
     order by item->>'occurredAt' nulls last, id`.execute(reader);
  return rows.map((row) => row.id);
}

/** Items that a lost job left lying, and held ones whose time has come. */
export async function openItems(reader: Reader, limit: number): Promise<number[]> {
  const { rows } = await sql<{ id: number }>`
    select id from inbox
     where (state = 'new' and received_at < domain_now() - interval '2 seconds')
        or (state = 'held' and hold_until < clock_timestamp())
     order by id limit ${limit}`.execute(reader);
  return rows.map((row) => row.id);
}

export async function settleItem(tx: Tx, id: number, note: string): Promise<void> {
  await tx.updateTable('inbox').set({ state: 'done', note, hold_until: null }).where('id', '=', id).execute();
}

/** Keeps an item until its message appears. `seconds` null: as long as it takes. Real clock. */
export async function holdItem(tx: Tx, id: number, note: string, seconds: number | null): Promise<void> {
  await sql`update inbox
               set state = 'held', note = ${note},
                   hold_until = case when ${seconds}::float8 is null then null
                                     else clock_timestamp() + make_interval(secs => ${seconds}::float8) end
             where id = ${id}`.execute(tx);
}

/**
 * Until the end of the transaction nobody else connects this vendor id with a message. Without it a status that finds no
 * message yet and the message that finds no status yet pass each other, and the status is kept for ever.
 */
export async function lockExtId(tx: Tx, accountId: number, extId: string): Promise<void> {
  await sql`select pg_advisory_xact_lock(hashtextextended(${extId}, ${accountId}))`.execute(tx);
}

/** What was kept for a vendor's message id. An item in another's hand is left to him: he waits for our lock, then sees. */
export async function heldFor(tx: Tx, accountId: number, extId: string): Promise<InboxRow[]> {
  const { rows } = await sql<InboxRow>`
    select ${ROW} from inbox where account_id = ${accountId} and ext_id = ${extId} and state = 'held' for update skip locked`.execute(
    tx,
  );
  return rows;
}

/** Held outgoing messages of a chat with this text: perhaps our own, accepted while we were away. */
export async function heldEchoOf(
  tx: Tx,
  channelId: number,
  chatId: string | null,
  text: string,
): Promise<InboxRow | null> {
  if (chatId === null) return null;
  const { rows } = await sql<InboxRow>`
    select ${ROW} from inbox
     where channel_id = ${channelId} and chat_id = ${chatId} and kind = 'message' and state = 'held' and item->>'text' = ${text}
     order by id limit 1 for update skip locked`.execute(tx);
  return rows[0] ?? null;
}

/** Whether the lead wrote something that is stored but not worked on yet. */
export async function hasUnreadInbound(tx: Tx, channelId: number, chatId: string | null): Promise<boolean> {
  if (chatId === null) return false;
  const { rows } = await sql<{ there: boolean }>`
    select exists (select 1 from inbox where channel_id = ${channelId} and chat_id = ${chatId} and state = 'new'
                      and kind = 'message' and status = 'inbound') as there`.execute(tx);
  return rows[0]?.there ?? false;
}
