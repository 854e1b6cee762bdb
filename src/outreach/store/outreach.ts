/** When each lead is evaluated, what waits in the queues, and what must happen only once. */
import { sql } from 'kysely';
import type { ChannelType } from '../../channels/contract.ts';
import { IN_SIGHT, msUntil } from '../../jobs/store/dueWork.ts';
import type { Reader, Tx } from '../../platform/db.ts';
import type { Reason } from '../reason.ts';

/** The result of evaluating the plan for a lead. Instants are ms since 1970 UTC. */
export interface PlanResult {
  readonly leadId: number;
  readonly nextAt: number | null;
  readonly queue: { readonly type: ChannelType; readonly dueAt: number } | null;
  readonly nextAction: 'first' | 'ping' | 'expire' | null;
  readonly nextActionAt: number | null;
  readonly reason: Reason;
}

/** Check whether anything is due. Costs two index lookups. */
export async function checkDue(reader: Reader): Promise<{ replan: boolean; due: boolean }> {
  const { rows } = await sql<{ replan: boolean; due: boolean }>`
    select exists (select 1 from outreach_products where replan) as replan,
           exists (select 1 from outreach where next_at <= domain_now() and (retry_at is null or retry_at <= clock_timestamp())) as due`.execute(
    reader,
  );
  return rows[0] ?? { replan: false, due: false };
}

/** Leads to be evaluated, products to be replanned, and claims, of which some may be lost. */
export const LEADS_DUE_IN = sql<number | null>`
  case when exists (select 1 from outreach_products where replan) or exists (select 1 from outreach where claimed_by is not null) then 0
       else (select ${msUntil('o.next_at', 'o.retry_at')} from outreach o
              where o.next_at <= domain_now() + ${IN_SIGHT} and (o.retry_at is null or o.retry_at <= clock_timestamp() + ${IN_SIGHT})
              order by o.next_at limit 1) end`;

/** Queues to be worked on, and claims, of which some may be lost. */
export const QUEUES_DUE_IN = sql<number | null>`
  case when exists (select 1 from outreach_products where claimed_by is not null) then 0
       else (select extract(epoch from min(next_at) - domain_now()) * 1000 from outreach_products
              where next_at <= domain_now() + ${IN_SIGHT}) end`;

/** Lock and return leads that are due, so that no other worker evaluates them meanwhile. */
export async function lockDueLeads(tx: Tx, limit: number): Promise<number[]> {
  const { rows } = await sql<{ lead_id: number }>`
    select lead_id from outreach
     where next_at <= domain_now() and (retry_at is null or retry_at <= clock_timestamp())
     order by next_at limit ${limit} for update skip locked`.execute(tx);
  return rows.map((row) => row.lead_id);
}

export async function savePlanResults(tx: Tx, results: readonly PlanResult[]): Promise<void> {
  if (results.length === 0) return;
  const column = <T>(pick: (one: PlanResult) => T) => results.map(pick);
  const seconds = (ms: number | null) => (ms === null ? null : ms / 1000);
  await sql`
    update outreach o
       set next_at = to_timestamp(v.next_at), retry_at = null, queue_type = v.queue_type, queued_at = to_timestamp(v.queued_at),
           next_action = v.next_action, next_action_at = to_timestamp(v.next_action_at), reason = v.reason::jsonb
      from unnest(${column((one) => one.leadId)}::bigint[], ${column((one) => seconds(one.nextAt))}::float8[],
                  ${column((one) => one.queue?.type ?? null)}::text[], ${column((one) => seconds(one.queue?.dueAt ?? null))}::float8[],
                  ${column((one) => one.nextAction)}::text[], ${column((one) => seconds(one.nextActionAt))}::float8[],
                  ${column((one) => JSON.stringify(one.reason))}::text[])
           as v (lead_id, next_at, queue_type, queued_at, next_action, next_action_at, reason)
     where o.lead_id = v.lead_id`.execute(tx);
}

/** Return a token of the lead's plan row that changes with every update of the row. */
export async function planState(reader: Reader, leadId: number): Promise<string | null> {
  const { rows } = await sql<{
    state: string;
  }>`select xmin::text as state from outreach where lead_id = ${leadId}`.execute(reader);
  return rows[0]?.state ?? null;
}

/**
 * Record that a text could not be made. It is retried after `pauseSeconds` on the real clock; with null, only once a
 * fact or setting changes. Does nothing if the row has changed since `state`: the plan is then evaluated again with
 * what has changed.
 */
export async function recordFailure(
  tx: Tx,
  {
    leadId,
    reason,
    pauseSeconds,
    state = null,
  }: { leadId: number; reason: Reason; pauseSeconds: number | null; state?: string | null | undefined },
): Promise<void> {
  await sql`
    update outreach set attempts = attempts + 1, queue_type = null, queued_at = null, reason = ${JSON.stringify(reason)}::jsonb,
           next_at = case when ${pauseSeconds}::float8 is not null then domain_now() end,
           retry_at = clock_timestamp() + make_interval(secs => ${pauseSeconds}::float8)
     where lead_id = ${leadId} and (${state}::text is null or xmin::text = ${state}::text)`.execute(tx);
}

export async function readAttempts(reader: Reader, leadId: number): Promise<number> {
  const { rows } = await sql<{ attempts: number }>`select attempts from outreach where lead_id = ${leadId}`.execute(
    reader,
  );
  return rows[0]?.attempts ?? 0;
}

const LIVE_INSTANCE = sql.raw('select 1 from nodes n where n.ended_at is null and n.instance_id =');

/** Find products whose queues are due and not claimed by a live instance. */
export async function findDueQueues(reader: Reader, limit: number): Promise<number[]> {
  const { rows } = await sql<{ product_id: number }>`
    select product_id from outreach_products
     where next_at <= domain_now() and not exists (${LIVE_INSTANCE} claimed_by) order by next_at limit ${limit}`.execute(
    reader,
  );
  return rows.map((row) => row.product_id);
}

/**
 * Claim the product's first-message queue. It stays due until deferred, so if this process dies another one resumes it.
 * Returns false if another instance has claimed it.
 */
export async function claimQueue(reader: Reader, productId: number, instanceId: string): Promise<boolean> {
  const { rows } = await sql`
    update outreach_products set claimed_by = ${instanceId}, next_at = coalesce(next_at, domain_now()) where product_id = ${productId} and not exists (${LIVE_INSTANCE} claimed_by)
     returning 1`.execute(reader);
  return rows.length > 0;
}

export async function releaseQueue(reader: Reader, productId: number, instanceId: string): Promise<void> {
  await sql`update outreach_products set claimed_by = null where product_id = ${productId} and claimed_by = ${instanceId}`.execute(
    reader,
  );
}

/** Find products whose queues this instance has claimed. */
export async function findClaimedQueues(reader: Reader, instanceId: string): Promise<number[]> {
  const { rows } = await sql<{ product_id: number }>`
    select product_id from outreach_products where claimed_by = ${instanceId}`.execute(reader);
  return rows.map((row) => row.product_id);
}

/** Claim a lead's follow-up. Returns false if a live instance is already making its text. */
export async function claimFollowUp(reader: Reader, leadId: number, instanceId: string): Promise<boolean> {
  const { rows } = await sql`
    update outreach set claimed_by = ${instanceId} where lead_id = ${leadId} and not exists (${LIVE_INSTANCE} claimed_by) returning 1`.execute(
    reader,
  );
  return rows.length > 0;
}

export async function releaseFollowUp(reader: Reader, leadId: number, instanceId: string): Promise<void> {
  await sql`update outreach set claimed_by = null where lead_id = ${leadId} and claimed_by = ${instanceId}`.execute(
    reader,
  );
}

/** Find leads whose follow-ups this instance has claimed. */
export async function findClaimedFollowUps(reader: Reader, instanceId: string): Promise<number[]> {
  const { rows } = await sql<{
    lead_id: number;
  }>`select lead_id from outreach where claimed_by = ${instanceId}`.execute(reader);
  return rows.map((row) => row.lead_id);
}

/** Release the claims and make the leads due again. */
export async function requeueFollowUps(reader: Reader, leadIds: readonly number[], instanceId: string): Promise<void> {
  await sql`
    update outreach set claimed_by = null, next_at = domain_now()
     where lead_id = any(${[...leadIds]}::bigint[]) and claimed_by = ${instanceId}`.execute(reader);
}

/** Release follow-ups claimed by dead instances and make their leads due again. */
export async function reclaimFollowUps(reader: Reader): Promise<void> {
  await sql`
    update outreach set claimed_by = null, next_at = domain_now()
     where claimed_by is not null and not exists (${LIVE_INSTANCE} claimed_by)`.execute(reader);
}

/** Lock the queue of a product: its first messages are claimed one after another. */
export async function lockQueue(tx: Tx, productId: number): Promise<void> {
  await sql`select 1 from outreach_products where product_id = ${productId} for update`.execute(tx);
}

/** Lock the queues of products, in order of their ids. */
export async function lockQueues(tx: Tx, productIds: readonly number[]): Promise<void> {
  await sql`
    select 1 from outreach_products where product_id = any(${[...productIds]}::bigint[]) order by product_id for update`.execute(
    tx,
  );
}

/** Make the queues of these products due because leads have joined them. */
export async function markQueuesDue(tx: Tx, productIds: readonly number[]): Promise<void> {
  await sql`
    update outreach_products set next_at = domain_now()
     where product_id in (select product_id from outreach_products where product_id = any(${[...productIds]}::bigint[]) order by product_id for update)
       and (next_at is null or next_at > domain_now())`.execute(tx);
}

export async function deferQueue(tx: Tx, productId: number, until: number | null): Promise<void> {
  await sql`update outreach_products set next_at = to_timestamp(${until === null ? null : until / 1000}::float8)
             where product_id = ${productId}`.execute(tx);
}

/**
 * Remove a lead from the queue when its message is claimed. The plan is evaluated for it again once the message is
 * settled.
 */
export async function removeFromQueue(tx: Tx, leadId: number): Promise<void> {
  const reason: Reason = { code: 'outgoing' };
  await sql`
    update outreach set queue_type = null, queued_at = null, next_at = null, retry_at = null, attempts = 0,
           next_action = null, next_action_at = null, reason = ${JSON.stringify(reason)}::jsonb
     where lead_id = ${leadId}`.execute(tx);
}

/** Read the head of the queue of each messenger. */
export async function readQueueHead(reader: Reader, productId: number, limit: number): Promise<number[]> {
  const { rows } = await sql<{ lead_id: number }>`
    select h.lead_id from unnest(array['telegram', 'whatsapp']) as t (type)
     cross join lateral (
       select lead_id, queued_at from outreach where product_id = ${productId} and queue_type = t.type and queued_at is not null
        order by queued_at, lead_id limit ${limit}) h`.execute(reader);
  return rows.map((row) => row.lead_id);
}

/**
 * Take a quota slot of a day (of the product's zone, since 1970) for a message. With the queue locked it cannot
 * collide; if it does, the database refuses.
 */
export async function takeQuota(
  tx: Tx,
  quota: { productId: number; channelId: number; type: ChannelType; messageId: number; leadId: number; day: number },
): Promise<void> {
  await sql`
    insert into first_message_quota (product_id, channel_type, day, number, channel_id, message_id)
    select ${quota.productId}, ${quota.type}, d.day,
           (select n from generate_series(1, 1 + (select count(*)::int from first_message_quota s
                     where s.product_id = ${quota.productId} and s.channel_type = ${quota.type} and s.day = d.day)) n
             where not exists (select 1 from first_message_quota s where s.product_id = ${quota.productId} and s.channel_type = ${quota.type}
                                 and s.day = d.day and s.number = n)
             order by n limit 1),
           ${quota.channelId}, ${quota.messageId}
      from (select date '1970-01-01' + ${quota.day}::int as day) d`.execute(tx);
  await sql`
    update outreach_products set last_first_message_at = domain_now(), last_first_message_lead_id = ${quota.leadId}, last_first_message_id = ${quota.messageId}
     where product_id = ${quota.productId}`.execute(tx);
}

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

/** Free the quota slot of a message after a definite refusal. */
export async function returnQuota(tx: Tx, messageId: number): Promise<void> {
  await sql`delete from first_message_quota where message_id = ${messageId}`.execute(tx);
}

/** Restart the interval to the next first message, if this message is still the last one, and make the queue due. */
export async function restartInterval(tx: Tx, productId: number, messageId: number): Promise<void> {
  await sql`
    update outreach_products set last_first_message_at = case when last_first_message_id = ${messageId} then domain_now() else last_first_message_at end, next_at = domain_now()
     where product_id = ${productId}`.execute(tx);
}

/** Check whether another first message of the product was claimed after this one. */
export async function hasNewerFirstMessage(reader: Reader, productId: number, messageId: number): Promise<boolean> {
  const { rows } = await sql<{ overtaken: boolean }>`
    select last_first_message_id is distinct from ${messageId} as overtaken from outreach_products where product_id = ${productId}`.execute(
    reader,
  );
  return rows[0]?.overtaken ?? true;
}

/** Check whether a lead may get a first message at an address: nobody got one there, or this lead's own was refused. */
export async function canSendFirstMessage(
  tx: Tx,
  { productId, address, leadId }: { productId: number; address: string; leadId: number },
): Promise<boolean> {
  const { rows } = await sql`
    select 1 from first_messages
     where product_id = ${productId} and address = ${address} and not (lead_id = ${leadId} and refused)`.execute(tx);
  return rows.length === 0;
}

/** Record the first message to a person. Returns false if one was already recorded. */
export async function recordFirstMessage(
  tx: Tx,
  first: { productId: number; address: string; leadId: number; contactId: number; messageId: number },
): Promise<boolean> {
  const { rows } = await sql`
    insert into first_messages (product_id, address, lead_id, contact_id, message_id)
    values (${first.productId}, ${first.address}, ${first.leadId}, ${first.contactId}, ${first.messageId})
    on conflict (product_id, address) do update
       set contact_id = excluded.contact_id, message_id = excluded.message_id, refused = false
     where first_messages.lead_id = excluded.lead_id and first_messages.refused
    returning 1`.execute(tx);
  return rows.length > 0;
}

/** Mark the first message as refused for good. */
export async function markFirstMessageRefused(tx: Tx, messageId: number): Promise<void> {
  await sql`update first_messages set refused = true where message_id = ${messageId}`.execute(tx);
}

/**
 * Lock and return one product whose settings changed, or undefined. Skips locked rows, so two instances take two
 * products.
 */
export async function lockProductToReplan(tx: Tx): Promise<number | undefined> {
  const { rows } = await sql<{ product_id: number }>`
    select product_id from outreach_products where replan limit 1 for update skip locked`.execute(tx);
  return rows[0]?.product_id;
}

/** Make every lead of the product that outreach may concern due again. */
export async function replanLeads(tx: Tx, productId: number): Promise<void> {
  await sql`
    update outreach o set next_at = domain_now(), retry_at = null, attempts = 0
      from leads l
     where o.product_id = ${productId} and l.id = o.lead_id and l.is_active
       and l.stage in ('initial', 'started', 'ongoing', 'pending')`.execute(tx);
  await sql`update outreach_products set replan = false, next_at = domain_now() where product_id = ${productId}`.execute(
    tx,
  );
}

/** Move messages that were deferred to the product's old working hours back to their wanted time. */
export async function restoreWantedTimes(tx: Tx, productId: number): Promise<void> {
  await sql`
    update messages set scheduled_at = originally_scheduled_at, originally_scheduled_at = null
     where product_id = ${productId} and status = 'scheduled' and originally_scheduled_at is not null`.execute(tx);
}
