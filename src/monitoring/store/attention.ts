/** SQL of what needs the attention of a company's operators. Every query is bounded. */
import type pg from 'pg';
import type { AttentionState } from '../../conversations/attentionContract.ts';
import { prepared } from '../../platform/statements.ts';
import { DELIVERY_FAILURE } from './queues.ts';

export interface Waiting {
  readonly attention: AttentionState;
  /** Whether they are assigned to others. */
  readonly isOthers: boolean;
  readonly count: number;
  /** How many have waited for longer than their product's target. */
  readonly late: number;
}

const MOST_WAITING = 10_000;

const WAITING = `
  select attention, "isOthers", count(*)::int as count, count(*) filter (where is_late)::int as late from (
    select d.attention, coalesce(d.assignee_id, 0) not in (0, $2) as "isOthers",
           d.attention_since + make_interval(mins => p.target_minutes) < domain_now() as is_late
      from products p join dialogues d on d.product_id = p.id
     where p.company_id = $1 and d.inbox_state = 'needs_human' limit ${MOST_WAITING}) w
   group by 1, 2 order by 1, 2`;

/** Count the dialogues of a company that need people, by what they need, and whether others are to see to them. */
export async function countWaiting(pool: pg.Pool, companyId: number, operatorId: number): Promise<Waiting[]> {
  const { rows } = await pool.query<Waiting>({ ...prepared(WAITING), values: [companyId, operatorId] });
  return rows;
}

export interface ChannelState {
  readonly isRejected: boolean;
  readonly isPaused: boolean;
  readonly isConnected: boolean;
}

const CHANNELS = `
  select a.key_rejected_reason is not null as "isRejected", coalesce(h.paused_until > clock_timestamp(), false) as "isPaused",
         h.is_session_active as "isConnected"
    from channels h join vendor_accounts a on a.id = h.account_id
   where h.is_active and h.id in (select channel_id from product_channels where company_id = $1)
   order by h.id limit 1000`;

/** Read the state of the channels that products of a company use. */
export async function channelStates(pool: pg.Pool, companyId: number): Promise<ChannelState[]> {
  const { rows } = await pool.query<ChannelState>({ ...prepared(CHANNELS), values: [companyId] });
  return rows;
}

export interface FailureCounts {
  readonly disconnected: number;
  readonly failed: number;
  readonly unconfirmed: number;
}

const FAILURES = `
  select (select count(*)::int from crm_integrations i join amocrm_accounts a on a.crm_integration_id = i.id
           where i.company_id = $1 and i.is_active and a.state = 'reconnect') as disconnected,
         count(*) filter (where status = 'error')::int as failed, count(*) filter (where status = 'unconfirmed')::int as unconfirmed
    from (select m.status from messages m
           where ${DELIVERY_FAILURE} and m.product_id in (select id from products where company_id = $1) limit 1000) f`;

/** Count what else of a company has failed. */
export async function countFailures(pool: pg.Pool, companyId: number): Promise<FailureCounts> {
  const { rows } = await pool.query<FailureCounts>({ ...prepared(FAILURES), values: [companyId] });
  const [row] = rows;
  if (!row) throw new Error('No counts');
  return row;
}
