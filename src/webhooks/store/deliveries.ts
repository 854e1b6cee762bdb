/** SQL of what webhooks are sent. Times are of the database's real clock, but for those that operators see. */
import { sql } from 'kysely';
import { type DueIn, IN_SIGHT, msUntil } from '../../jobs/store/dueWork.ts';
import type { Reader, Tx } from '../../platform/db.ts';
import { type Claimable, type Claimant, claim, isUnclaimed, release } from '../../platform/lease.ts';
import type { DeliveredEvent } from '../contract.ts';
import type { PublishedEvent } from '../event.ts';

export const DELIVERIES: Claimable<{ id: number }> = { table: 'webhook_deliveries', key: { id: 'bigint' } };

export const DELIVERY_SOURCE = {
  table: 'webhook_deliveries',
  from: 'webhook_deliveries t',
  select: {
    ...Object.fromEntries(
      ['id', 'webhook_id', 'product_id', 'event', 'event_id', 'state', 'attempts', 'created_at', 'last_attempt_at'].map(
        (field) => [field, `t.${field}`],
      ),
    ),
    // On the clock that operators see.
    next_attempt_at: "case when t.state = 'pending' then t.retry_at + (domain_now() - clock_timestamp()) end",
    response_status: 't.response_status',
    error: 't.error',
  },
  search: [],
  scopeCondition: 't.webhook_id in (select id from webhooks where company_id = any($))',
  id: 't.id',
};

/** Store an event for each active webhook that wants it. Returns how many do. */
export async function insertDeliveries(
  tx: Tx,
  { type, productId, id, key, data, wantedSince }: PublishedEvent,
): Promise<number> {
  const { rows } = await sql`
    insert into webhook_deliveries (webhook_id, company_id, product_id, event, event_id, event_key, payload)
    select w.id, w.company_id, p.id, ${type}, ${id}, ${key}, ${JSON.stringify(data)}::jsonb
      from products p join webhooks w on w.company_id = p.company_id and (w.only_product_id is null or w.only_product_id = p.id)
     where p.id = ${productId} and w.is_active and w.events ? ${type}
       and (${wantedSince ?? null}::timestamptz is null or w.created_at <= ${wantedSince ?? null})
     order by w.id on conflict (webhook_id, event_key) do nothing returning 1`.execute(tx);
  return rows.length;
}

/** Store a test event for one webhook. Returns the delivery's id. */
export async function insertTest(tx: Tx, { webhookId, id }: { webhookId: number; id: string }): Promise<number> {
  const data = { webhook_id: webhookId, message: 'This is a test.' };
  const { rows } = await sql<{ id: number }>`
    insert into webhook_deliveries (webhook_id, company_id, product_id, event, event_id, event_key, payload)
    select id, company_id, only_product_id, 'test', ${id}, ${`test:${id}`}, ${JSON.stringify(data)}::jsonb
      from webhooks where id = ${webhookId} returning id`.execute(tx);
  const [row] = rows;
  if (!row) throw new Error('The test was not stored');
  return row.id;
}

const IS_DUE = sql`d.state = 'pending' and (d.retry_at is null or d.retry_at <= clock_timestamp()) and ${isUnclaimed('d')}`;

export const DELIVERIES_DUE_IN: DueIn = sql<number | null>`(
  select ${msUntil('d.created_at', 'd.retry_at')} from webhook_deliveries d
   where d.state = 'pending' and (d.retry_at is null or d.retry_at <= clock_timestamp() + ${IN_SIGHT}) and ${isUnclaimed('d')}
   order by 1 limit 1)`;

export async function findDueDeliveries(
  reader: Reader,
  limit: number,
): Promise<{ readonly id: number; readonly webhookId: number }[]> {
  const { rows } = await sql<{ id: number; webhookId: number }>`
    select d.id, d.webhook_id as "webhookId" from webhook_deliveries d
     where ${IS_DUE} order by d.id limit ${limit}`.execute(reader);
  return rows;
}

/** A delivery with what sending it needs. */
export interface ClaimedDelivery {
  readonly id: number;
  readonly webhookId: number;
  readonly event: DeliveredEvent;
  readonly eventId: string;
  readonly createdAt: string;
  readonly payload: Readonly<Record<string, unknown>>;
  readonly attempts: number;
  readonly url: string;
  readonly sealed: string;
}

/** Claim a delivery that is due. Null if it is not, or another instance has claimed it. */
export async function claimDelivery(reader: Reader, id: number, claimant: Claimant): Promise<ClaimedDelivery | null> {
  const { rows } = await sql<ClaimedDelivery>`
    update webhook_deliveries d set ${claim(claimant)} from webhooks w
     where d.id = ${id} and w.id = d.webhook_id and ${IS_DUE}
    returning d.id, d.webhook_id as "webhookId", d.event, d.event_id as "eventId", d.created_at as "createdAt", d.payload,
              d.attempts, w.url, w.secret_sealed as sealed`.execute(reader);
  return rows[0] ?? null;
}

/** Record that a delivery is about to be sent. False if its claim has ended, or it is not to be sent any more. */
export async function recordAttempt(reader: Reader, id: number, instanceId: string): Promise<boolean> {
  const { rows } = await sql`
    update webhook_deliveries set attempts = attempts + 1, last_attempt_at = domain_now()
     where id = ${id} and state = 'pending' and claimed_by = ${instanceId} and claimed_until > clock_timestamp()
    returning 1`.execute(reader);
  return rows.length > 0;
}

/** What an attempt came to. */
interface AttemptResult {
  /** HTTP status; null: no answer. */
  readonly status: number | null;
  /** Why it did not count as received; null: it did. */
  readonly error: string | null;
}

export async function settleDelivery(reader: Reader, id: number, { status, error }: AttemptResult): Promise<void> {
  await sql`update webhook_deliveries set state = ${error === null ? 'delivered' : 'failed'}, settled_at = clock_timestamp(),
                   retry_at = null, response_status = ${status}, error = ${error}
             where id = ${id} and state = 'pending'`.execute(reader);
}

/** Try again in some seconds, at the latest when the delivery expires; after that it has failed. */
export async function retryDelivery(
  reader: Reader,
  id: number,
  { status, error, seconds }: AttemptResult & { readonly seconds: number },
): Promise<void> {
  await sql`
    update webhook_deliveries set response_status = ${status}, error = ${error},
           state = case when expires_at <= clock_timestamp() then 'failed' else 'pending' end,
           settled_at = case when expires_at <= clock_timestamp() then clock_timestamp() end,
           retry_at = case when expires_at > clock_timestamp()
                           then least(clock_timestamp() + make_interval(secs => ${seconds}), expires_at) end
     where id = ${id} and state = 'pending'`.execute(reader);
}

export async function releaseDelivery(reader: Reader, id: number, instanceId: string): Promise<void> {
  await sql`update webhook_deliveries set ${release()} where id = ${id} and claimed_by = ${instanceId}`.execute(reader);
}

/** Have a delivery sent at once, with all its attempts. */
export async function requeueDelivery(tx: Tx, id: number): Promise<void> {
  await sql`
    update webhook_deliveries set state = 'pending', attempts = 0, retry_at = null, settled_at = null, error = null,
           response_status = null, expires_at = clock_timestamp() + interval '3 days'
     where id = ${id}`.execute(tx);
}

/** Give up what waits for a webhook that is switched off. */
export async function failPending(tx: Tx, webhookId: number, error: string): Promise<void> {
  await sql`update webhook_deliveries set state = 'failed', settled_at = clock_timestamp(), retry_at = null, error = ${error}
             where webhook_id = ${webhookId} and state = 'pending'`.execute(tx);
}

const KEPT = sql.raw(`interval '30 days'`);

export async function deleteOldDeliveries(reader: Reader): Promise<void> {
  await sql`delete from webhook_deliveries where settled_at < clock_timestamp() - ${KEPT}`.execute(reader);
}

/** What is sent about an event, in the envelope of Standard Webhooks. */
export async function readDelivery(
  reader: Reader,
  id: number,
): Promise<{
  readonly event: DeliveredEvent;
  readonly createdAt: string;
  readonly payload: Record<string, unknown>;
} | null> {
  const { rows } = await sql<{ event: DeliveredEvent; createdAt: string; payload: Record<string, unknown> }>`
    select event, created_at as "createdAt", payload from webhook_deliveries where id = ${id}`.execute(reader);
  return rows[0] ?? null;
}
