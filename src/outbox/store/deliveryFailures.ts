/** SQL of delivery failures: one list, and one rule for which messages may be retried. */
import { sql } from 'kysely';
import type pg from 'pg';
import { channelVendors } from '../../channels/contract.ts';
import { driverOf } from '../../channels/drivers.ts';
import { HAS_OTHER_CONVERSATION } from '../../conversations/store/conversation.ts';
import { botStoppedStages } from '../../leads/contract.ts';
import type { Tx } from '../../platform/db.ts';
import { type Listing, readGroups, readIds } from '../../platform/http/listQuery.ts';
import { type FailureReason, RETRY_BATCH, type RetryBlock } from '../deliveryFailureContract.ts';

const sqlList = (words: readonly string[]) => words.map((word) => `'${word}'`).join(', ');

/** How long the vendor of channel `h` recognises a key. */
const KEY_WINDOW = `case h.vendor ${channelVendors
  .map((vendor) => `when '${vendor}' then interval '${driverOf(vendor).keyWindowMs} milliseconds'`)
  .join(' ')} end`;

/**
 * The outcome of retrying a message. Applies the bot's checks of the claim here already, so that nothing is queued
 * only to be cancelled. A lead who opted out gets nothing from a bulk retry, no matter who wrote the message. Nobody gets
 * a first message in a conversation.
 */
const RETRY_OUTCOME = `case
  when t.status = 'scheduled' then 'refused'
  when not l.is_active then case when l.recognized_deactivation_request then 'opted_out' else 'inactive' end
  when t.author = 'bot' and d.owner <> 'bot' then 'human'
  when t.author = 'bot' and l.stage in (${sqlList(botStoppedStages)}) then 'stage'
  when t.author = 'bot' and not p.is_active then 'product_off'
  when t.origin = 'first' and ${HAS_OTHER_CONVERSATION} then 'talked'
  when t.status = 'error' then 'new_key'
  when t.send_key_used_at > clock_timestamp() - ${KEY_WINDOW} then 'same_key'
  else 'doubtful' end`;

export type RetryOutcome = RetryBlock | 'same_key' | 'new_key' | 'doubtful';

const TABLES = `messages t join dialogues d on d.id = t.dialogue_id join contacts c on c.id = t.contact_id
  join leads l on l.id = c.lead_id join products p on p.id = t.product_id join companies k on k.id = p.company_id
  join channels h on h.id = t.channel_id`;

const FAILURE_STATE = "case t.status when 'scheduled' then 'refused' else t.status end";

export const DELIVERY_FAILURE_LISTING: Listing = {
  from: TABLES,
  select: {
    id: 't.id',
    state: FAILURE_STATE,
    message: 'left(t.message, 500)',
    author: 't.author',
    operator: 't.operator',
    reason: 't.reason',
    error_code: 't.error_code',
    reason_key: "md5(coalesce(t.reason, ''))",
    retry_count: 't.retry_count',
    thread_at: 't.thread_at',
    dialogue_id: 't.dialogue_id',
    lead_name: 'l.name',
    channel_id: 't.channel_id',
    channel_name: 'h.name',
    vendor: 'h.vendor',
    product_id: 't.product_id',
    product_name: 'p.name',
    company_id: 'p.company_id',
    company_name: 'k.name',
  },
  conditions: { retry_block: `(${RETRY_OUTCOME}) = $` },
  search: ['t.message', 't.reason'],
  scopeCondition: null,
  // Must match the predicates of the indexes `messages_failures` and `messages_failures_channel`, or they are not used.
  where: `t.removed_at is null
    and (t.status in ('error', 'unconfirmed') or (t.status = 'scheduled' and t.retry_at is not null))`,
  id: 't.id',
};

const MAX_REASONS = 50;

export function countByReason(pool: pg.Pool, narrowing: object): Promise<FailureReason[]> {
  const { state = '', reason = '', error_code: code = '', reason_key: key = '' } = DELIVERY_FAILURE_LISTING.select;
  const columns = { state, reason, error_code: code, reason_key: key, latest: 'max(t.thread_at)' };
  const by = ['state', 'reason', 'error_code'];
  return readGroups<FailureReason>(pool, {
    listing: DELIVERY_FAILURE_LISTING,
    query: { ...narrowing },
    columns,
    by,
    limit: MAX_REASONS,
  });
}

const SELECTED: Listing = {
  ...DELIVERY_FAILURE_LISTING,
  select: { ...DELIVERY_FAILURE_LISTING.select, chosen: 't.id' },
  conditions: { ...DELIVERY_FAILURE_LISTING.conditions, after: 't.id > $' },
};

export interface FailureSelection {
  readonly narrowing: object;
  readonly ids: readonly number[] | null;
}

const toQuery = ({ narrowing, ids }: FailureSelection) => ({ ...narrowing, ...(ids === null ? {} : { chosen: ids }) });

/** Count the messages by the outcome of a retry. */
export function countByOutcome(
  pool: pg.Pool,
  selection: FailureSelection,
): Promise<{ fate: RetryOutcome; count: number }[]> {
  if (selection.ids?.length === 0) return Promise.resolve([]);
  return readGroups(pool, {
    listing: SELECTED,
    query: toQuery(selection),
    columns: { fate: RETRY_OUTCOME },
    by: ['fate'],
    limit: 20,
  });
}

/** Return the ids of the next batch, oldest first. */
export function findNextIds(pool: pg.Pool, selection: FailureSelection, after: number): Promise<number[]> {
  if (selection.ids?.length === 0) return Promise.resolve([]);
  return readIds(pool, {
    listing: SELECTED,
    query: { ...toQuery(selection), after: [after] },
    companies: null,
    limit: RETRY_BATCH,
  });
}

/**
 * Return the retry outcome of a locked message; null if it has not failed, or was sent since `since` (real clock).
 */
export async function findRetryOutcome(tx: Tx, id: number, since: string): Promise<RetryOutcome | null> {
  const { rows } = await sql<{ fate: RetryOutcome }>`
    select ${sql.raw(RETRY_OUTCOME)} as fate from ${sql.raw(TABLES)}
     where ${sql.raw(DELIVERY_FAILURE_LISTING.where ?? 'true')} and t.id = ${id}
       and (t.claimed_at is null or t.claimed_at < ${since}::timestamptz)`.execute(tx);
  return rows[0]?.fate ?? null;
}

export async function readRealTime(pool: pg.Pool): Promise<string> {
  const { rows } = await pool.query<{ now: string }>('select clock_timestamp()::timestamptz(3) as now');
  const [row] = rows;
  if (!row) throw new Error('No clock');
  return row.now;
}
