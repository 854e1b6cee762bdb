/** The inbox: items of vendors' hooks, stored before the 200 response. */
import { type RawBuilder, sql } from 'kysely';
import type pg from 'pg';
import type { ChannelVendor } from '../../channels/contract.ts';
import type { HookItem, HookKind } from '../../channels/driver.ts';
import type { InboxRow, ItemNote } from '../../conversations/store/tables.ts';
import { isOfDialogue } from '../../conversations/store/unprocessed.ts';
import type { Reader, Tx } from '../../platform/db.ts';
import { SWEEP_CHANNEL, wakeSweep } from '../../platform/notifications.ts';
import { prepared } from '../../platform/statements.ts';

/** The sweeps that a new item wakes: the one that receives messages, or the one that applies delivery reports. */
export const INBOX_SWEEP = 'inbox';
export const REPORTS_SWEEP = 'delivery reports';

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
        join vendor_accounts a on a.id = coalesce(q.id, account_of_hook_secret(q.hash)) and a.vendor = coalesce(q.vendor, a.vendor)
    ), given as materialized (
      select a.n, a.account_id, c.id as channel_id, one->>'kind' as kind, one->>'extId' as ext_id, one->>'status' as status,
             one->>'chatId' as chat_id, one as item
        from asked a cross join lateral jsonb_array_elements($4::jsonb->(a.n - 1)) as one
        left join channels c on c.account_id = a.account_id and c.vendor_ref = one->>'channelRef'
       where c.id is not null or (one->>'channelRef' is null and one->>'kind' in ('status', 'edit'))
    ), stored as (
      insert into inbox (account_id, channel_id, kind, ext_id, status, chat_id, item)
      select distinct on (account_id, kind, ext_id, status) account_id, channel_id, kind, ext_id, status, chat_id, item from given
       order by account_id, kind, ext_id, status, item->>'key' is null
      on conflict do nothing
      returning id, account_id, kind, ext_id, status, chat_id, trace
    )${isKeyed ? UPDATE_KEYED_ITEMS : ''}, fresh as (
      select * from stored${isKeyed ? ' union all select * from keyed' : ''}
    ), woken as (
      select pg_notify('${SWEEP_CHANNEL}', sweep)
        from (select distinct case when kind in ('channel', 'edit', 'deletion') or status = 'inbound' then '${INBOX_SWEEP}' else '${REPORTS_SWEEP}' end as sweep from fresh) as names
    ), counted as (
      select n, json_agg(json_build_object('id', id, 'trace', trace, 'kind', kind, 'status', status)) as items
        from (select distinct on (s.id) g.n, s.id, s.trace, kind, status
                from fresh s join given g using (account_id, kind, ext_id, status) order by s.id, g.n) as firsts
       group by n
    )
    select (select json_agg(n) from asked) as known, (select json_agg(counted) from counted) as stored,
           (select count(*) from woken) as woken`);

const UPDATE_KEYED_ITEMS = `, waiting as materialized (
      select i.id, g.item from inbox i join given g using (account_id, kind, ext_id, status)
       where i.state <> 'done' and i.item->>'key' is null and g.item->>'key' is not null order by i.id for update of i
    ), keyed as (
      update inbox i set item = w.item, state = 'new', parked_until = null, note = null, note_detail = null, attempts = 0, retry_at = null
        from waiting w where i.id = w.id
      returning i.id, i.account_id, i.kind, i.ext_id, i.status, i.chat_id, i.trace
    )`;

/**
 * Store the new items of several hooks and wake the workers, in one statement. Duplicates conflict with the unique key;
 * items of other accounts' channels are skipped. Of two reports about a message whose id is unknown, the one with our
 * key counts, no matter which arrived first: without the key the message could not be found. Returns the new items of
 * each hook, or null if its account is unknown. Rows are inserted in key order, so that two nodes with the same hooks
 * cannot deadlock.
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

/**
 * How often a report without a message is looked at again, and after how many seconds for the first time (real clock).
 * The message whose vendor id is being stored at this very moment is invisible to the transaction that parks the report,
 * and the report is invisible to the transaction that stores the id. The pauses double, so that the last look comes long
 * after any such transaction has ended; a transaction that stores the id later finds the report.
 */
const MAX_LOOKS = 15;
export const FIRST_PAUSE_SECONDS = 0.05;

/** The next look at a parked report of `inbox`, from the looks so far. */
export const NEXT_LOOK = `case when attempts < ${MAX_LOOKS} then clock_timestamp() + make_interval(secs => ${FIRST_PAUSE_SECONDS} * 2 ^ attempts) end`;

/** Park an item until its message appears. `seconds` null: without a limit. Real clock. */
export async function parkItem(
  tx: Tx,
  { id, note, seconds }: { id: number; note: ItemNote; seconds: number | null },
): Promise<void> {
  const change =
    seconds === null
      ? sql`parked_until = null, retry_at = ${sql.raw(NEXT_LOOK)}, attempts = attempts + 1`
      : sql`parked_until = clock_timestamp() + make_interval(secs => ${seconds}), retry_at = null, attempts = 0`;
  await sql`update inbox set state = 'parked', note = ${note}, note_detail = null, ${change} where id = ${id}`.execute(
    tx,
  );
}

/** The ids that vendors have given to messages, by account. */
export type VendorIds = readonly { readonly account_id: number; readonly ext_id: string | null }[];

/**
 * Query that has items received again that wait for messages with these ids. One that another transaction is parking or
 * has locked is looked at again by itself.
 */
export const resumeParkedItems = (ids: VendorIds): RawBuilder<{ kind: HookKind }> => sql`
  update inbox i set state = 'new', retry_at = null, parked_until = null, attempts = 0, note = null
   where i.id = any(array(select o.id from inbox o join jsonb_to_recordset(${JSON.stringify(ids)}::jsonb)
                                                     as g (account_id bigint, ext_id text) on o.account_id = g.account_id and o.ext_id = g.ext_id
                           where o.state = 'parked' order by o.id for update of o skip locked))
  returning i.kind`;

/** Wake the sweeps that receive items of these kinds. */
export function wakeForItems(tx: Tx, kinds: readonly HookKind[]): void {
  for (const kind of kinds) wakeSweep(tx, kind === 'message' || kind === 'status' ? REPORTS_SWEEP : INBOX_SWEEP);
}

/** Have the items received again that wait for a message with this vendor id. */
export async function resumeParked(tx: Tx, accountId: number, extId: string): Promise<void> {
  const { rows } = await resumeParkedItems([{ account_id: accountId, ext_id: extId }]).execute(tx);
  wakeForItems(
    tx,
    rows.map(({ kind }) => kind),
  );
}

/**
 * Make an edit of a message that never came the message itself: nobody has the words otherwise. If the message is there
 * after all, the edit is done.
 */
export async function turnIntoMessage(tx: Tx, { id, item }: Pick<InboxRow, 'id' | 'item'>): Promise<void> {
  const message = { ...(item as HookItem), kind: 'message', status: 'inbound' };
  await sql`
    insert into inbox (account_id, channel_id, kind, ext_id, status, chat_id, item, trace)
    select account_id, channel_id, 'message', ext_id, 'inbound', chat_id, ${JSON.stringify(message)}::jsonb, trace from inbox where id = ${id}
    on conflict do nothing`.execute(tx);
  wakeSweep(tx, INBOX_SWEEP);
}

/**
 * Query that finds and locks a parked outbound message of a dialogue `d` with this text: possibly our own, accepted while
 * its instance was down.
 */
export const parkedEcho = (d: string, text: RawBuilder<unknown>): RawBuilder<{ ext_id: string }> => sql`
  select i.ext_id from inbox i
   where ${sql.raw(isOfDialogue('i', d))} and i.kind = 'message' and i.state = 'parked' and i.item->>'text' = ${text}
   order by i.id limit 1 for update of i skip locked`;

/** Find and lock the parked outbound message of a dialogue with the text of a message. Returns the vendor's id. */
export async function findParkedEcho(
  tx: Tx,
  { dialogueId, text }: { dialogueId: number; text: string },
): Promise<string | null> {
  const { rows } = await sql<{ ext_id: string }>`
    select e.ext_id from dialogues d cross join lateral (${parkedEcho('d', sql`${text}`)}) as e where d.id = ${dialogueId}`.execute(
    tx,
  );
  return rows[0]?.ext_id ?? null;
}
