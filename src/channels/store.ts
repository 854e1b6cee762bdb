/** Every SQL statement about channels, vendor accounts and product links. */
import { sql } from 'kysely';
import { dueIf } from '../jobs/store/dueWork.ts';
import type { Reader, Row, Tx } from '../platform/db.ts';
import type { ChannelType, ChannelVendor } from './contract.ts';

declare module '../platform/db.ts' {
  interface Tables {
    vendor_accounts: Row<'vendor_accounts', { vendor: ChannelVendor }>;
    channels: Row<'channels', { vendor: ChannelVendor; channel_type: ChannelType; config: Record<string, unknown> }>;
    product_channels: Row<'product_channels'>;
  }
}

export interface AccountRow {
  id: number;
  vendor: ChannelVendor;
  api_key_sealed: string;
  hook_secret_sealed: string;
}

export function findAccountByKey(
  reader: Reader,
  vendor: ChannelVendor,
  keyHash: Buffer,
): Promise<AccountRow | undefined> {
  return reader
    .selectFrom('vendor_accounts')
    .select(['id', 'vendor', 'api_key_sealed', 'hook_secret_sealed'])
    .where('vendor', '=', vendor)
    .where('key_hash', '=', keyHash)
    .executeTakeFirst();
}

export function findAccount(reader: Reader, id: number): Promise<AccountRow | undefined> {
  return reader
    .selectFrom('vendor_accounts')
    .select(['id', 'vendor', 'api_key_sealed', 'hook_secret_sealed'])
    .where('id', '=', id)
    .executeTakeFirst();
}

/** Reserve an id before the insert: sealed columns are bound to it. */
export async function nextAccountId(tx: Tx): Promise<number> {
  const { rows } = await sql<{
    id: number;
  }>`select nextval(pg_get_serial_sequence('vendor_accounts', 'id')) as id`.execute(tx);
  const [row] = rows;
  if (!row) throw new Error('No id');
  return row.id;
}

export async function insertAccount(
  tx: Tx,
  account: AccountRow & { key_mask: string; key_hash: Buffer; hook_secret_hash: Buffer },
): Promise<void> {
  await sql`insert into vendor_accounts (id, vendor, key_mask, key_hash, api_key_sealed, hook_secret_hash, hook_secret_sealed)
            overriding system value
            values (${account.id}, ${account.vendor}, ${account.key_mask}, ${account.key_hash}, ${account.api_key_sealed},
                    ${account.hook_secret_hash}, ${account.hook_secret_sealed})`.execute(tx);
}

/** Record that the vendor rejected the key: nothing of this account is sent until a new key is entered. */
export async function rejectAccountKey(tx: Tx, accountId: number, reason: string): Promise<void> {
  await tx.updateTable('vendor_accounts').set({ key_rejected_reason: reason }).where('id', '=', accountId).execute();
}

export interface ChannelRow {
  id: number;
  account_id: number;
  name: string;
  number: string | null;
  vendor: ChannelVendor;
  channel_type: ChannelType;
  vendor_ref: string;
  is_active: boolean;
}

const CHANNEL_COLUMNS = [
  'id',
  'account_id',
  'name',
  'number',
  'vendor',
  'channel_type',
  'vendor_ref',
  'is_active',
] as const;

export function findChannel(reader: Reader, id: number): Promise<ChannelRow | undefined> {
  return reader.selectFrom('channels').select(CHANNEL_COLUMNS).where('id', '=', id).executeTakeFirst();
}

export function findChannelByRef(reader: Reader, accountId: number, ref: string): Promise<ChannelRow | undefined> {
  return reader
    .selectFrom('channels')
    .select(CHANNEL_COLUMNS)
    .where('account_id', '=', accountId)
    .where('vendor_ref', '=', ref)
    .executeTakeFirst();
}

/** Pause sends of a channel for `seconds` (real clock), and show the reason. */
export async function pauseChannel(
  tx: Tx,
  { channelId, seconds, reason }: { channelId: number; seconds: number; reason: string },
): Promise<void> {
  await sql`update channels
               set paused_until = clock_timestamp() + make_interval(secs => ${seconds}), pause_reason = ${reason}
             where id = ${channelId}`.execute(tx);
}

/** Save the vendor's state of a channel's session, and the QR code to pair with if there is one. */
export async function setChannelState(
  tx: Tx,
  { channelId, state, qr }: { channelId: number; state: string; qr: string | null },
): Promise<void> {
  const active = state.toLowerCase() === 'active';
  await sql`update channels
               set state = ${state}, is_session_active = ${active},
                   qr = case when lower(${state}) not like 'qr%' then null else coalesce(${qr}, qr) end,
                   paused_until = case when ${active} then null else paused_until end,
                   pause_reason = case when ${active} then null else pause_reason end,
                   first_messages_stopped_at = case when ${active} then null else first_messages_stopped_at end,
                   first_messages_stopped_reason = case when ${active} then null else first_messages_stopped_reason end
             where id = ${channelId}`.execute(tx);
}

/** Save how the vendor reaches the messenger: whether a channel can write first may depend on it. */
export async function saveTransport(tx: Tx, channelId: number, transport: string): Promise<void> {
  await sql`update channels set config = config || jsonb_build_object('transport', ${transport}::text)
             where id = ${channelId} and config ->> 'transport' is distinct from ${transport}`.execute(tx);
}

export async function countLinks(tx: Tx, channelId: number): Promise<number> {
  const { rows } = await sql<{
    count: number;
  }>`select count(*) as count from product_channels where channel_id = ${channelId}`.execute(tx);
  return rows[0]?.count ?? 0;
}

export interface LinkRow {
  product_id: number;
  channel_id: number;
  inbound_enabled: boolean;
  delay_messages_symbols_per_second: number | null;
  delay_messages_seconds: number | null;
}

const LINK_COLUMNS = [
  'product_id',
  'channel_id',
  'inbound_enabled',
  'delay_messages_symbols_per_second',
  'delay_messages_seconds',
  'revision as version',
] as const;

/** A link as stored, with its version. */
export type StoredLink = LinkRow & { version: number };

export function findLink(reader: Reader, productId: number, channelId: number): Promise<StoredLink | undefined> {
  return reader
    .selectFrom('product_channels')
    .select(LINK_COLUMNS)
    .where('product_id', '=', productId)
    .where('channel_id', '=', channelId)
    .executeTakeFirst();
}

/** Lock the link until the transaction ends. */
export function lockLink(tx: Tx, productId: number, channelId: number): Promise<StoredLink | undefined> {
  return tx
    .selectFrom('product_channels')
    .select(LINK_COLUMNS)
    .where('product_id', '=', productId)
    .where('channel_id', '=', channelId)
    .forUpdate()
    .executeTakeFirst();
}

/** Update the product's link to `oldChannelId` in place. */
export async function changeLink(tx: Tx, oldChannelId: number, link: LinkRow): Promise<void> {
  await tx
    .updateTable('product_channels')
    .set(link)
    .where('product_id', '=', link.product_id)
    .where('channel_id', '=', oldChannelId)
    .execute();
}

/** Find the product that receives a channel's inbound messages from strangers. */
export async function selectInboundProduct(
  reader: Reader,
  channelId: number,
): Promise<{ id: number; name: string } | undefined> {
  const { rows } = await sql<{ id: number; name: string }>`
    select p.id, p.name from product_channels l join products p on p.id = l.product_id
     where l.channel_id = ${channelId} and l.inbound_enabled`.execute(reader);
  return rows[0];
}

export async function insertLink(tx: Tx, link: LinkRow & { company_id: number }): Promise<void> {
  await tx.insertInto('product_channels').values(link).execute();
}

export async function deleteLink(tx: Tx, productId: number, channelId: number): Promise<boolean> {
  const result = await tx
    .deleteFrom('product_channels')
    .where('product_id', '=', productId)
    .where('channel_id', '=', channelId)
    .executeTakeFirst();
  return result.numDeletedRows > 0n;
}

/** Find the oldest active channel of this type linked to the product. */
export async function selectUsableChannel(
  reader: Reader,
  productId: number,
  type: ChannelType,
): Promise<number | undefined> {
  const { rows } = await sql<{ id: number }>`
    select c.id from channels c join product_channels l on l.channel_id = c.id
     where l.product_id = ${productId} and c.channel_type = ${type} and c.is_active
     order by c.id limit 1`.execute(reader);
  return rows[0]?.id;
}

/** Stop the channel's first messages until it is heard from again, or an operator resumes them. */
export async function stopChannelFirstMessages(tx: Tx, channelId: number, reason: string): Promise<boolean> {
  const { rows } = await sql`
    update channels set first_messages_stopped_at = domain_now(), first_messages_stopped_reason = ${reason}
     where id = ${channelId} and first_messages_stopped_at is null returning 1`.execute(tx);
  return rows.length > 0;
}

/** Resume first messages. With `isManual`, messages unacknowledged so far no longer count. */
export async function resumeChannelFirstMessages(
  tx: Tx,
  channelId: number,
  { isManual }: { isManual: boolean },
): Promise<boolean> {
  const { rows } = await sql`
    update channels set first_messages_stopped_at = null, first_messages_stopped_reason = null,
           first_messages_resumed_at = case when ${isManual} then domain_now() else first_messages_resumed_at end
     where id = ${channelId} and first_messages_stopped_at is not null returning 1`.execute(tx);
  return rows.length > 0;
}

/**
 * Reserve the next send of accounts, so that the one after it is due `seconds` later on the domain clock. Returns the
 * accounts for which it is not too early. An account that is being changed is left out: the others do not wait for it.
 */
export async function reserveAccountSends(
  tx: Tx,
  accountIds: readonly number[],
  seconds: number,
): Promise<ReadonlySet<number>> {
  if (accountIds.length === 0) return new Set();
  const { rows } = await sql<{ id: number }>`
    update vendor_accounts set next_send_at = domain_now() + make_interval(secs => ${seconds})
     where id in (select id from vendor_accounts where id = any(${[...accountIds]}::bigint[]) order by id for update skip locked)
       and (next_send_at is null or next_send_at <= domain_now()) returning id`.execute(tx);
  return new Set(rows.map(({ id }) => id));
}

/** Defer the account's next send to at least `seconds` from now. */
export async function deferAccountSend(tx: Tx, accountId: number, seconds: number): Promise<void> {
  await sql`
    update vendor_accounts set next_send_at = greatest(next_send_at, domain_now() + make_interval(secs => ${seconds}))
     where id = ${accountId}`.execute(tx);
}

/** Condition on `vendor_accounts a`: it has active channels to be polled, and was not polled for so many seconds. */
const isToBePolled = (vendors: readonly ChannelVendor[], seconds: number) => sql`
  a.key_rejected_reason is null
  and (a.sessions_polled_at is null or a.sessions_polled_at < clock_timestamp() - make_interval(secs => ${seconds}))
  and exists (select 1 from channels c where c.account_id = a.id and c.is_active
                and (a.vendor = any(${[...vendors]}::text[]) or (c.channel_type = 'telegram' and not c.config ? 'transport')))`;

/**
 * Find accounts of these vendors with active channels whose sessions were not polled within `seconds`. Also finds
 * accounts of other vendors with an active Telegram channel whose transport (bot or not) the vendor has not reported
 * yet.
 */
export async function findAccountsToPoll(
  reader: Reader,
  vendors: readonly ChannelVendor[],
  seconds: number,
): Promise<number[]> {
  const { rows } = await sql<{ id: number }>`
    select a.id from vendor_accounts a where ${isToBePolled(vendors, seconds)}`.execute(reader);
  return rows.map((row) => row.id);
}

/** Claim the poll of an account until the next one is due; false if it is not due. */
export async function claimAccountToPoll(
  reader: Reader,
  id: number,
  { vendors, seconds }: { vendors: readonly ChannelVendor[]; seconds: number },
): Promise<boolean> {
  const { rows } = await sql`
    update vendor_accounts a set sessions_polled_at = clock_timestamp()
     where a.id = ${id} and ${isToBePolled(vendors, seconds)} returning 1`.execute(reader);
  return rows.length > 0;
}

export const accountsToPollDueIn = (vendors: readonly ChannelVendor[], seconds: number) =>
  dueIf(sql`exists (select 1 from vendor_accounts a where ${isToBePolled(vendors, seconds)})`);

/** Mark the account's sessions to be polled by the next sweep. */
export async function requestAccountPoll(tx: Tx, accountId: number): Promise<void> {
  await tx.updateTable('vendor_accounts').set({ sessions_polled_at: null }).where('id', '=', accountId).execute();
}

/** List the channels of an account with the last known state of their sessions. */
export function findChannelsOfAccount(
  reader: Reader,
  accountId: number,
): Promise<(ChannelRow & { state: string | null; is_session_active: boolean })[]> {
  return reader
    .selectFrom('channels')
    .select([...CHANNEL_COLUMNS, 'state', 'is_session_active'])
    .where('account_id', '=', accountId)
    .orderBy('id')
    .execute();
}

/** Read the session of a channel as last reported. */
export function findSession(
  reader: Reader,
  channelId: number,
): Promise<{ is_session_active: boolean; state: string | null; qr: string | null } | undefined> {
  return reader
    .selectFrom('channels')
    .select(['is_session_active', 'state', 'qr'])
    .where('id', '=', channelId)
    .executeTakeFirst();
}

export async function hasDialogues(reader: Reader, channelId: number): Promise<boolean> {
  const { rows } = await sql<{ used: boolean }>`
    select exists (select 1 from dialogues where channel_id = ${channelId}) as used`.execute(reader);
  return rows[0]?.used ?? false;
}
