/** The inbox: items of vendors' hooks, stored before the 200 response. */
import { sql } from 'kysely';
import type pg from 'pg';
import type { ChannelVendor } from '../../channels/contract.ts';
import type { HookItem } from '../../channels/driver.ts';
import type { InboxRow, ItemNote } from '../../conversations/store/tables.ts';
import type { Reader, Tx } from '../../platform/db.ts';
import { prepared } from '../../platform/statements.ts';

/** The items of one hook, and its account: by id, or by the hash of its hook secret. */
export interface IncomingHook {
  readonly account: number | { readonly vendor: ChannelVendor; readonly secretHash: Buffer };
  readonly items: readonly HookItem[];
}

/** A new item, with the trace id it has from now on. */
export interface StoredItem {
  readonly id: number;
  readonly trace: string;
  readonly kind: string;
  readonly status: string;
}

/** Build the statement of `storeHooks`; `isKeyed`: some items have a key of ours. */
const storeStatement = (isKeyed: boolean) =>
  prepared(`
    with asked as materialized (
      select q.n::int, a.id as account_id
        from unnest($1::bigint[], $2::text[], $3::bytea[]) with ordinality as q (id, vendor, hash, n)
        join vendor_accounts a on a.id = q.id or (a.hook_secret_hash = q.hash and a.vendor = q.vendor)
    ), given as materialized (
      select a.n, a.account_id, c.id as channel_id, one->>'kind' as kind, one->>'extId' as ext_id, one->>'status' as status,
             one->>'chatId' as chat_id, one as item
        from asked a cross join lateral jsonb_array_elements($4::jsonb->(a.n - 1)) as one
        left join channels c on c.account_id = a.account_id and c.vendor_ref = one->>'channelRef'
       where c.id is not null or (one->>'channelRef' is null and one->>'kind' = 'status')
    ), stored as (
      insert into inbox (account_id, channel_id, kind, ext_id, status, chat_id, item)
      select distinct on (account_id, kind, ext_id, status) account_id, channel_id, kind, ext_id, status, chat_id, item from given
       order by account_id, kind, ext_id, status, item->>'key' is null
      on conflict do nothing
      returning id, account_id, kind, ext_id, status, chat_id, trace
    )${isKeyed ? UPDATE_KEYED_ITEMS : ''}, fresh as (
      select * from stored${isKeyed ? ' union all select * from keyed' : ''}
    ), woken as (
      select graphile_worker.add_jobs(array_agg(
               ('receive', json_build_object('ids', ids), null, null, 3, null, null, null)::graphile_worker.job_spec))
        from (select json_agg(id order by id) as ids from fresh group by account_id, coalesce(chat_id, ext_id)) as chats
      having count(*) > 0
    ), counted as (
      select n, json_agg(json_build_object('id', id, 'trace', trace, 'kind', kind, 'status', status)) as items
        from (select distinct on (s.id) g.n, s.id, s.trace, kind, status
                from fresh s join given g using (account_id, kind, ext_id, status) order by s.id, g.n) as firsts
       group by n
    )
    select (select json_agg(n) from asked) as known, (select json_agg(counted) from counted) as stored,
           (select count(*) from woken) as woken`);

const UPDATE_KEYED_ITEMS = `, keyed as (
      update inbox i set item = g.item, state = 'new', parked_until = null, note = null, note_detail = null, attempts = 0, retry_at = null from given g
       where i.account_id = g.account_id and i.kind = g.kind and i.ext_id = g.ext_id and i.status = g.status
         and i.state <> 'done' and i.item->>'key' is null and g.item->>'key' is not null
      returning i.id, i.account_id, i.kind, i.ext_id, i.status, i.chat_id, i.trace
    )`;

/**
 * Store the new items of several hooks and enqueue their jobs, in one statement. Duplicates conflict with the unique
 * key; items of other accounts' channels are skipped. Of two reports about a message whose id is unknown, the one
 * with our key counts, whichever arrived first: without the key the message could not be found. Returns the new items
 * of each hook, or null if its account is unknown. There is one job per chat, so that chats do not wait for each
 * other. Rows are inserted in key order, so that two nodes with the same hooks cannot deadlock.
 */
export async function storeHooks(
  pool: pg.Pool,
  hooks: readonly IncomingHook[],
): Promise<(readonly StoredItem[] | null)[]> {
  const isKeyed = hooks.some(({ items }) => items.some(({ key }) => key !== undefined));
  const { rows } = await pool.query<{ known: number[] | null; stored: { n: number; items: StoredItem[] }[] | null }>({
    ...storeStatement(isKeyed),
    values: [
      hooks.map(({ account }) => (typeof account === 'number' ? account : null)),
      hooks.map(({ account }) => (typeof account === 'number' ? null : account.vendor)),
      hooks.map(({ account }) => (typeof account === 'number' ? null : account.secretHash)),
      JSON.stringify(hooks.map(({ items }) => items)),
    ],
  });
  const known = new Set(rows[0]?.known);
  const stored = new Map(rows[0]?.stored?.map(({ n, items }) => [n, items]));
  return hooks.map((_, index) => (known.has(index + 1) ? (stored.get(index + 1) ?? []) : null));
}

const ITEM_COLUMNS = sql.raw(
  'id, account_id, channel_id, kind, ext_id, status, chat_id, item, received_at, state, parked_until, note, note_detail, attempts, retry_at, trace',
);

/**
 * Claim one item; null if it is processed or claimed already. Locks the vendor id first and the row second, as
 * everywhere else. So the holder of an id's lock never finds a parked row locked by a transaction that waits for the
 * id.
 */
export async function claimItem(tx: Tx, id: number): Promise<InboxRow | null> {
  await sql`
    select pg_advisory_xact_lock(hashtextextended(ext_id, account_id)) from inbox where id = ${id}`.execute(tx);
  const { rows } = await sql<InboxRow>`
    select ${ITEM_COLUMNS} from inbox where id = ${id} and state <> 'done' for update skip locked`.execute(tx);
  return rows[0] ?? null;
}

/** Return the ids of open items among `ids`, in the order in which the vendor says they happened. */
export async function sortByVendorTime(reader: Reader, ids: readonly number[]): Promise<number[]> {
  const { rows } = await sql<{ id: number }>`
    select id from inbox where id = any(${[...ids]}::bigint[]) and state = 'new'
     order by item->>'occurredAt' nulls last, id`.execute(reader);
  return rows.map((row) => row.id);
}

/** Return items whose job was lost, parked items that are due, and items whose retry is due. */
export async function findOpenItems(reader: Reader, limit: number): Promise<number[]> {
  const { rows } = await sql<{ id: number }>`
    select id from inbox
     where ((state = 'new' and received_at < domain_now() - interval '2 seconds')
         or (state = 'parked' and parked_until < clock_timestamp())
         or state = 'failed')
       and (retry_at is null or retry_at <= clock_timestamp())
     order by id limit ${limit}`.execute(reader);
  return rows.map((row) => row.id);
}

/** Set an item to processed, with what became of it: a message, or why not. */
export async function markProcessed(
  tx: Tx,
  id: number,
  outcome: ItemNote | { note: 'message' | 'earlier_attempt'; messageId: number },
): Promise<void> {
  const result =
    typeof outcome === 'string'
      ? { note: outcome, note_detail: null }
      : { note: outcome.note, note_detail: String(outcome.messageId) };
  const change = { ...result, state: 'done', parked_until: null, retry_at: null } as const;
  await tx.updateTable('inbox').set(change).where('id', '=', id).execute();
}

/**
 * After this many attempts, some minutes, an item is set aside as `failed`; later messages of its chat are then answered.
 */
const MAX_ATTEMPTS = 8;
const MAX_RETRY_DELAY_SECONDS = 3600;

/**
 * Defer an item that could not be processed. The delay doubles, up to one hour. Items set aside (`failed`) are
 * retried too: a later version may be able to process them. Returns the number of attempts; null if the item is done.
 */
export async function deferItem(
  reader: Reader,
  { id, error, pauseSeconds }: { id: number; error: string; pauseSeconds: number },
): Promise<number | null> {
  const { rows } = await sql<{ attempts: number }>`
    update inbox
       set attempts = attempts + 1, note = 'error', note_detail = ${error},
           state = case when attempts + 1 >= ${MAX_ATTEMPTS} then 'failed' else state end,
           retry_at = clock_timestamp() + make_interval(
             secs => least(${MAX_RETRY_DELAY_SECONDS}::float8, ${pauseSeconds}::float8 * 2 ^ least(attempts, 20)))
     where id = ${id} and state <> 'done' returning attempts`.execute(reader);
  return rows[0]?.attempts ?? null;
}

/** Park an item until its message appears. `seconds` null: without a limit. Real clock. */
export async function parkItem(
  tx: Tx,
  { id, note, seconds }: { id: number; note: ItemNote; seconds: number | null },
): Promise<void> {
  await sql`update inbox
               set state = 'parked', note = ${note}, note_detail = null, attempts = 0, retry_at = null,
                   parked_until = case when ${seconds}::float8 is null then null
                                     else clock_timestamp() + make_interval(secs => ${seconds}::float8) end
             where id = ${id}`.execute(tx);
}

/**
 * Lock a vendor id until the transaction ends, so that no other transaction links it to a message. Otherwise a status
 * that finds no message yet and a message that finds no status yet could miss each other, and the status would stay
 * parked. Claiming an item takes the lock of its id.
 */
export async function lockExternalId(tx: Tx, accountId: number, extId: string): Promise<void> {
  await sql`select pg_advisory_xact_lock(hashtextextended(${extId}, ${accountId}))`.execute(tx);
}

/**
 * Lock the items parked for a vendor's message id, whose lock the caller holds. Waits for items locked by others,
 * which may fail before processing them.
 */
export async function lockParkedItems(tx: Tx, accountId: number, extId: string): Promise<InboxRow[]> {
  const { rows } = await sql<InboxRow>`
    select ${ITEM_COLUMNS} from inbox where account_id = ${accountId} and ext_id = ${extId} and state = 'parked' for update`.execute(
    tx,
  );
  return rows;
}

/**
 * Find a parked outbound message of a chat with this text: possibly our own, accepted while this process was down.
 */
export async function findParkedEcho(
  tx: Tx,
  { channelId, chatId, text }: { channelId: number; chatId: string | null; text: string },
): Promise<InboxRow | null> {
  if (chatId === null) return null;
  const { rows } = await sql<InboxRow>`
    select ${ITEM_COLUMNS} from inbox
     where channel_id = ${channelId} and chat_id = ${chatId} and kind = 'message' and state = 'parked' and item->>'text' = ${text}
     order by id limit 1 for update skip locked`.execute(tx);
  return rows[0] ?? null;
}
