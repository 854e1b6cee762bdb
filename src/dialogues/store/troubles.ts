/** The SQL of messages that did not get through: one list, and one rule for which of them may be sent again. */
import { sql } from 'kysely';
import type pg from 'pg';
import { channelVendors } from '../../channels/contract.ts';
import { driverOf } from '../../channels/drivers.ts';
import { silencedStages } from '../../leads/contract.ts';
import type { Tx } from '../../platform/db.ts';
import { type Listing, readGroups, readIds } from '../../platform/http/listQuery.ts';
import { RETRY_BATCH, type Reason, type TroubleObstacle } from '../troubleContract.ts';

const quoted = (words: readonly string[]) => words.map((word) => `'${word}'`).join(', ');

/** Until when the vendor recognises the key, by its channel `h`. */
const WINDOW = `case h.vendor ${channelVendors
  .map((vendor) => `when '${vendor}' then interval '${driverOf(vendor).keyWindowMs} milliseconds'`)
  .join(' ')} end`;

/**
 * What sending a message again comes to. What binds the bot when it claims one is asked here already, so that nothing is
 * queued only to be cancelled; and whoever asked to be left alone gets nothing out of a crowd, whoever wrote it.
 */
const FATE = `case
  when t.status = 'scheduled' then 'refused'
  when not l.is_active then case when l.recognized_deactivation_request then 'opted_out' else 'inactive' end
  when t.author = 'bot' and d.owner <> 'bot' then 'human'
  when t.author = 'bot' and l.stage in (${quoted(silencedStages)}) then 'stage'
  when t.author = 'bot' and not p.is_active then 'product_off'
  when t.status = 'error' then 'new_key'
  when t.send_key_used_at > clock_timestamp() - ${WINDOW} then 'same_key'
  else 'doubtful' end`;

export type Fate = TroubleObstacle | 'same_key' | 'new_key' | 'doubtful';

const FROM = `messages t join dialogues d on d.id = t.dialogue_id join contacts c on c.id = t.contact_id
  join leads l on l.id = c.lead_id join products p on p.id = t.product_id join companies k on k.id = p.company_id
  join channels h on h.id = t.channel_id`;

const STATE = "case t.status when 'scheduled' then 'refused' else t.status end";

export const TROUBLE_LISTING: Listing = {
  from: FROM,
  select: {
    id: 't.id',
    state: STATE,
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
  search: ['t.message', 't.reason'],
  within: null,
  // The words of the indices `messages_trouble` and `messages_trouble_channel`; with others they no longer serve.
  where: `t.removed_at is null
    and (t.status in ('error', 'unconfirmed') or (t.status = 'scheduled' and t.retry_at is not null))`,
  id: 't.id',
};

const MOST_REASONS = 50;

export function reasonsOf(pool: pg.Pool, narrowing: object): Promise<Reason[]> {
  const { state = '', reason = '', error_code: code = '', reason_key: key = '' } = TROUBLE_LISTING.select;
  const columns = { state, reason, error_code: code, reason_key: key, latest: 'max(t.thread_at)' };
  const by = ['state', 'reason', 'error_code'];
  return readGroups<Reason>(pool, TROUBLE_LISTING, { ...narrowing }, columns, by, MOST_REASONS);
}

const CHOSEN: Listing = {
  ...TROUBLE_LISTING,
  select: { ...TROUBLE_LISTING.select, chosen: 't.id' },
  conditions: { after: 't.id > $' },
};

export interface Which {
  readonly narrowing: object;
  readonly ids: readonly number[] | null;
}

const queryOf = ({ narrowing, ids }: Which) => ({ ...narrowing, ...(ids === null ? {} : { chosen: ids }) });

/** How many of these have which fate. */
export function fates(pool: pg.Pool, which: Which): Promise<{ fate: Fate; count: number }[]> {
  if (which.ids?.length === 0) return Promise.resolve([]);
  return readGroups(pool, CHOSEN, queryOf(which), { fate: FATE }, ['fate'], 20);
}

/** The next of them, oldest first. */
export function nextOf(pool: pg.Pool, which: Which, after: number): Promise<number[]> {
  if (which.ids?.length === 0) return Promise.resolve([]);
  return readIds(pool, CHOSEN, { ...queryOf(which), after: [after] }, null, RETRY_BATCH);
}

/** The fate of a message that is locked; null: it is in no trouble, or was sent since `since` (real clock). */
export async function fateOf(tx: Tx, id: number, since: string): Promise<Fate | null> {
  const { rows } = await sql<{ fate: Fate }>`
    select ${sql.raw(FATE)} as fate from ${sql.raw(FROM)}
     where ${sql.raw(TROUBLE_LISTING.where ?? 'true')} and t.id = ${id}
       and (t.claimed_at is null or t.claimed_at < ${since}::timestamptz)`.execute(tx);
  return rows[0]?.fate ?? null;
}

export async function realNow(pool: pg.Pool): Promise<string> {
  const { rows } = await pool.query<{ now: string }>('select clock_timestamp()::timestamptz(3) as now');
  const [row] = rows;
  if (!row) throw new Error('No clock');
  return row.now;
}
