/** SQL of first messages: products' queues, daily quotas, and what must happen only once. */
import { sql } from 'kysely';
import type { ChannelType, ChannelVendor } from '../../channels/contract.ts';
import { IN_SIGHT } from '../../jobs/store/dueWork.ts';
import type { Reader, Tx } from '../../platform/db.ts';
import { type Claimable, type Claimant, claim, isUnclaimed, release } from '../../platform/lease.ts';
import { wakeSweep } from '../../platform/notifications.ts';
import { planOnce } from '../../platform/statements.ts';

/** The sweep that serves the queues of first messages. */
export const QUEUES_SWEEP = 'queues';

/** Products whose queue an instance serves. It stays due until deferred. */
export const QUEUES: Claimable<{ product_id: number }> = { table: 'outreach_products', key: { product_id: 'bigint' } };

/** Queues to be worked on. */
export const QUEUES_DUE_IN = sql<number | null>`
  select extract(epoch from min(o.next_at) - domain_now()) * 1000 from outreach_products o
   where o.next_at <= domain_now() + ${IN_SIGHT} and ${isUnclaimed('o')}`;

/**
 * Claim queues that are due. They stay due until deferred, so if this process dies another one resumes them. Returns
 * their products, and the milliseconds until another queue is due; null if none is within a second.
 */
export async function claimQueues(
  reader: Reader,
  claimant: Claimant,
  limit: number,
): Promise<{ productIds: number[]; nextMs: number | null }> {
  const { rows } = await sql<{ ids: number[] | null; next_ms: number | null }>`
    with claimed as (
      update outreach_products set ${claim(claimant)}
       where product_id in (select product_id from outreach_products o where next_at <= domain_now() and ${isUnclaimed('o')}
                             order by next_at limit ${limit} for update skip locked)
      returning product_id
    )
    select (select json_agg(product_id) from claimed) as ids,
           (select extract(epoch from min(next_at) - domain_now())::float8 * 1000 from outreach_products
             where next_at > domain_now() and next_at < domain_now() + interval '1 second') as next_ms`.execute(reader);
  return { productIds: rows[0]?.ids ?? [], nextMs: rows[0]?.next_ms ?? null };
}

export async function releaseQueue(reader: Reader, productId: number, instanceId: string): Promise<void> {
  await sql`update outreach_products set ${release()} where product_id = ${productId} and claimed_by = ${instanceId}`.execute(
    reader,
  );
}

/** Release a queue until an instant, ms since 1970; null: until a lead joins it or a fact changes. */
export async function deferQueue(
  tx: Tx,
  { productId, until, instanceId }: { productId: number; until: number | null; instanceId: string },
): Promise<void> {
  await sql`
    update outreach_products
       set next_at = to_timestamp(${until === null ? null : until / 1000}::float8), claimed_by = nullif(claimed_by, ${instanceId}),
           claimed_until = case when claimed_by is distinct from ${instanceId} then claimed_until end
     where product_id = ${productId}`.execute(tx);
}

/** Lock the queues of products, in order of their ids. */
export async function lockQueues(tx: Tx, productIds: readonly number[]): Promise<void> {
  await sql`
    select 1 from outreach_products where product_id = any(${[...productIds]}::bigint[]) order by product_id for update`.execute(
    tx,
  );
}

/** A first message that is settled. */
interface SettledFirst {
  readonly id: number;
  readonly product_id: number;
  readonly changesQuota: boolean;
}

/** Columns of `SettledFirst`, by product. */
const settledProducts = (settled: readonly SettledFirst[]) => sql`(
  select product_id, array_agg(id) as ids, bool_or("changesQuota") as changes_quota
    from jsonb_to_recordset(${JSON.stringify(settled)}::jsonb) as g (id bigint, product_id bigint, "changesQuota" boolean) group by product_id)`;

/** True if product `p` has an interval between first messages. */
const HAS_INTERVAL = sql`(p.config->'messaging_config'->>'add_interval_seconds')::float8 > 0`;

/** True if settling messages changes the queue of product `o`: by its interval, or by the quota. */
const CHANGES_QUEUE = sql`(s.changes_quota or exists (select 1 from products p where p.id = o.product_id and ${HAS_INTERVAL}))`;

/** Lock the queues that change when these messages are settled, in order of their ids. */
export async function lockQueuesToSettle(tx: Tx, settled: readonly SettledFirst[]): Promise<void> {
  if (settled.length === 0) return;
  await sql`
    select 1 from outreach_products o join ${settledProducts(settled)} as s using (product_id)
     where ${CHANGES_QUEUE} order by product_id for update of o`.execute(tx);
}

/** Lock a product's queue until the transaction ends: its first messages are claimed one batch after another. */
export async function lockQueue(tx: Tx, productId: number): Promise<void> {
  await sql`select ${planOnce} from outreach_products where product_id = ${productId} for update`.execute(tx);
}

/**
 * Make the queues of these products due because leads have joined them. Returns those of which that is so: a queue that
 * is locked is left out. Its holder may be waiting for the leads that the caller has locked.
 */
export async function markQueuesDue(tx: Tx, productIds: readonly number[]): Promise<ReadonlySet<number>> {
  if (productIds.length === 0) return new Set();
  wakeSweep(tx, QUEUES_SWEEP);
  const { rows } = await sql<{ product_id: number }>`
    with locked as materialized (
      select product_id from outreach_products where product_id = any(${[...productIds]}::bigint[]) order by product_id for update skip locked
    ), marked as (
      update outreach_products set next_at = domain_now()
       where product_id in (select product_id from locked) and (next_at is null or next_at > domain_now())
    )
    select product_id from locked`.execute(tx);
  return new Set(rows.map((row) => row.product_id));
}

/** The head of a queue: the first leads of each messenger. */
const queueHead = (productId: number, limit: number) => sql<QueuedLead>`
  select h.lead_id, t.type from unnest(array['telegram', 'whatsapp']) as t (type)
   cross join lateral (
     select lead_id, queued_at from outreach where product_id = ${productId} and queue_type = t.type and queued_at is not null
      order by queued_at, lead_id limit ${limit}) h`;

export interface QueueHead {
  readonly leadIds: readonly number[];
  /** Whether others may wait behind them. */
  readonly isFull: boolean;
}

interface QueuedLead {
  readonly lead_id: number;
  readonly type: ChannelType;
}

function toQueueHead(rows: readonly QueuedLead[], limit: number): QueueHead {
  const count = (type: ChannelType) => rows.filter((row) => row.type === type).length;
  return {
    leadIds: rows.map((row) => row.lead_id),
    isFull: Math.max(count('telegram'), count('whatsapp')) >= limit,
  };
}

/** Read the head of a queue. */
export async function readQueueHead(reader: Reader, productId: number, limit: number): Promise<QueueHead> {
  const { rows } = await queueHead(productId, limit).execute(reader);
  return toQueueHead(rows, limit);
}

/**
 * Lock the leads at the head of a locked queue, then their dialogues: a deactivation is either visible afterwards or
 * comes after the claim. The leads are counted first: while there are no dialogues, a plan may not look for leads at all.
 */
export async function lockQueueHead(tx: Tx, productId: number, limit: number): Promise<QueueHead> {
  const { rows } = await sql<QueuedLead>`
    with head as materialized (${queueHead(productId, limit)}),
    locked_leads as materialized (
      select id from leads where id in (select lead_id from head) order by id for share
    ), locked_dialogues as materialized (
      select d.id from dialogues d join contacts c on c.id = d.contact_id
       where c.lead_id in (select id from locked_leads) and (select count(*) from locked_leads) >= 0 order by d.id for update of d
    )
    select lead_id, type from head where (select count(*) from locked_dialogues) >= 0`.execute(tx);
  return toQueueHead(rows, limit);
}

/** What decides whether a contact may get a first message now, beside the plan. */
export interface RecipientFacts {
  readonly contactId: number;
  /** Whether a first message to this person was claimed before; a refused one of the same lead does not count. */
  readonly isContacted: boolean;
  /** Channels with a message from this address that is stored and not processed yet. */
  readonly unprocessedOn: readonly number[];
}

/** A channel of the product. */
export interface SenderFacts {
  readonly channelId: number;
  readonly accountId: number;
  readonly vendor: ChannelVendor;
}

/** Load what decides about contacts, and the product's channels. */
export async function loadRecipients(
  tx: Tx,
  productId: number,
  contacts: readonly { readonly contactId: number; readonly leadId: number; readonly address: string }[],
): Promise<{ recipients: RecipientFacts[]; senders: SenderFacts[] }> {
  const { rows } = await sql<{ recipients: RecipientFacts[] | null; senders: SenderFacts[] | null }>`
    with senders as materialized (
      select h.id, h.account_id, h.vendor from product_channels l join channels h on h.id = l.channel_id where l.product_id = ${productId}
    )
    select (select json_agg(json_build_object('channelId', id, 'accountId', account_id, 'vendor', vendor)) from senders) as senders,
           json_agg(json_build_object(
             'contactId', g."contactId",
             'isContacted', exists (select 1 from first_messages f where f.product_id = ${productId} and person_key(f.address) = person_key(g.address) and not f.is_repeat
                                       and not (f.lead_id = g."leadId" and f.refused)),
             'unprocessedOn', array(select i.channel_id from inbox i
                                     where i.channel_id in (select id from senders) and i.state = 'new' and i.kind = 'message' and i.status = 'inbound'
                                       and (i.chat_id = g.address or jsonb_exists(i.item->'addresses', g.address))))) as recipients
      from jsonb_to_recordset(${JSON.stringify(contacts)}::jsonb) as g ("contactId" bigint, "leadId" bigint, address text)`.execute(
    tx,
  );
  return { recipients: rows[0]?.recipients ?? [], senders: rows[0]?.senders ?? [] };
}

/** A first message that is claimed. */
export interface ClaimedFirstMessage {
  readonly messageId: number;
  readonly leadId: number;
  readonly contactId: number;
  readonly channelId: number;
  readonly type: ChannelType;
  readonly address: string;
}

/** Record the first messages to people. Returns how many: nobody gets a second one. */
export async function recordFirstMessages(
  tx: Tx,
  productId: number,
  firsts: readonly ClaimedFirstMessage[],
): Promise<number> {
  const { rows } = await sql`
    insert into first_messages (product_id, address, lead_id, contact_id, message_id)
    select ${productId}, f.address, f."leadId", f."contactId", f."messageId"
      from jsonb_to_recordset(${JSON.stringify(firsts)}::jsonb) as f (address text, "leadId" bigint, "contactId" bigint, "messageId" bigint)
    on conflict (product_id, person_key(address)) where not is_repeat do update
       set contact_id = excluded.contact_id, message_id = excluded.message_id, refused = false
     where first_messages.lead_id = excluded.lead_id and first_messages.refused
    returning 1`.execute(tx);
  return rows.length;
}

/**
 * Take quota slots of a day (of the product's zone, since 1970) for messages. With the queue locked they cannot collide;
 * if they do, the database refuses.
 */
export async function takeQuotas(
  tx: Tx,
  { productId, day, firsts }: { productId: number; day: number; firsts: readonly QuotaTaker[] },
): Promise<void> {
  await sql`
    with given as materialized (
      select *, row_number() over (partition by type order by "messageId") as place
        from jsonb_to_recordset(${JSON.stringify(firsts)}::jsonb) as g (type text, "channelId" bigint, "messageId" bigint, "leadId" bigint)
    ), free as materialized (
      select t.type, d.day, n, row_number() over (partition by t.type order by n) as place
        from (select type, count(*)::int as count from given group by type) as t
       cross join (select date '1970-01-01' + ${day}::int as day) as d
       cross join lateral generate_series(1, t.count + (select count(*)::int from first_message_quota s
                     where s.product_id = ${productId} and s.channel_type = t.type and s.day = d.day)) as n
       where not exists (select 1 from first_message_quota s where s.product_id = ${productId} and s.channel_type = t.type
                           and s.day = d.day and s.number = n)
    ), taken as (
      insert into first_message_quota (product_id, channel_type, day, number, channel_id, message_id)
      select ${productId}, type, day, n, "channelId", "messageId" from given join free using (type, place)
    )
    update outreach_products
       set last_first_message_at = domain_now(), last_first_message_lead_id = l."leadId", last_first_message_id = l."messageId"
      from (select "leadId", "messageId" from given order by "messageId" desc limit 1) as l where product_id = ${productId}`.execute(
    tx,
  );
}

type QuotaTaker = Pick<ClaimedFirstMessage, 'messageId' | 'leadId' | 'channelId' | 'type'>;

/** Return the channel of the quota slot that a message has taken since an instant; null if there is none. */
export async function quotaTakenSince(
  tx: Tx,
  messageId: number,
  from: number,
): Promise<{ channelId: number; type: ChannelType } | null> {
  const { rows } = await sql<{ channel_id: number; channel_type: ChannelType }>`
    select channel_id, channel_type from first_message_quota
     where message_id = ${messageId} and taken_at >= to_timestamp(${from / 1000}::float8)`.execute(tx);
  const [row] = rows;
  return row ? { channelId: row.channel_id, type: row.channel_type } : null;
}

/** Free the quota slots of messages after a definite refusal. */
export async function returnQuotas(tx: Tx, messageIds: readonly number[]): Promise<void> {
  if (messageIds.length === 0) return;
  await sql`delete from first_message_quota where message_id = any(${[...messageIds]}::bigint[])`.execute(tx);
}

/** Mark first messages as refused for good. */
export async function markFirstMessagesRefused(tx: Tx, messageIds: readonly number[]): Promise<void> {
  if (messageIds.length === 0) return;
  await sql`update first_messages set refused = true where message_id = any(${[...messageIds]}::bigint[])`.execute(tx);
}

/** A refused first message is sent again: until its outcome is known, no other contact of its lead gets one. */
export async function unmarkFirstMessageRefused(tx: Tx, messageId: number): Promise<void> {
  await sql`update first_messages set refused = false where message_id = ${messageId} and refused`.execute(tx);
}

/**
 * Restart the intervals to the next first messages where a product's last one was settled, and make the queues due in
 * which leads wait for that.
 */
export async function restartIntervals(tx: Tx, settled: readonly SettledFirst[]): Promise<void> {
  if (settled.length === 0) return;
  const { rows } = await sql<{ is_due: boolean }>`
    update outreach_products o
       set last_first_message_at = case when o.last_first_message_id = any(s.ids) then domain_now() else o.last_first_message_at end,
           next_at = case when o.next_at is not null then domain_now() end
      from ${settledProducts(settled)} as s where o.product_id = s.product_id and ${CHANGES_QUEUE}
    returning o.next_at is not null as is_due`.execute(tx);
  if (rows.some((row) => row.is_due)) wakeSweep(tx, QUEUES_SWEEP);
}

/** Return the last first message of each of these products that has an interval between them, by product. */
export async function findLastFirstMessages(
  reader: Reader,
  messages: readonly { readonly product_id: number }[],
): Promise<Map<number, number | null>> {
  const { rows } = await sql<{ product_id: number; last: number | null }>`
    select o.product_id, o.last_first_message_id as last from outreach_products o join products p on p.id = o.product_id
     where o.product_id = any(${messages.map((one) => one.product_id)}::bigint[]) and ${HAS_INTERVAL}`.execute(reader);
  return new Map(rows.map((row) => [row.product_id, row.last]));
}
