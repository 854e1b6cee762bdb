/** SQL of what browsers are sent about alerts. All times are of the database's real clock, but for `due_at`. */
import { sql } from 'kysely';
import { IS_OPEN } from '../../../access/store/sessions.ts';
import { type DueIn, IN_SIGHT, msUntil } from '../../../jobs/store/dueWork.ts';
import type { AttentionAlert } from '../../../live/contract.ts';
import type { Reader, Tx } from '../../../platform/db.ts';
import { type Claimable, type Claimant, claim, isUnclaimed, release } from '../../../platform/lease.ts';
import type { AlertSettings } from '../../alertsContract.ts';
import { SETTINGS } from './settings.ts';

export const PUSHES: Claimable<{ id: number }> = { table: 'alert_pushes', key: { id: 'bigint' } };

/** Condition for operators `o` who may see the product `p`. */
const MAY_SEE = sql`o.is_active and (o.role = 'admin' or exists (
  select from operator_companies m where m.operator_id = o.id and m.company_id = p.company_id))`;
/** Condition for alerts `a` that are for the operator of `s`. */
const IS_FOR = sql`a.ended_at is null and (a.assignee_id is null or a.assignee_id = s.operator_id)`;

/**
 * Plan what browsers are sent about alerts that have started, ended or changed hands: show each to those whom it is
 * for, and withdraw it from the others. Locks alerts, then subscriptions, then pushes: whoever removes a subscription
 * locks it before its pushes, and any other order can deadlock. Returns how many alerts there were.
 */
export async function planPushes(tx: Tx, limit: number): Promise<number> {
  const { rows } = await sql<{ id: number }>`
    update attention_alerts set planned_at = clock_timestamp()
     where id in (select id from attention_alerts where planned_at is null order by id limit ${limit} for update skip locked)
    returning id`.execute(tx);
  const ids = rows.map(({ id }) => id);
  if (ids.length === 0) return 0;
  await sql`select from push_subscriptions order by endpoint_hash for key share`.execute(tx);
  await sql`
    with changed as materialized (
      select t.id from alert_pushes t join attention_alerts a on a.id = t.alert_id
        join push_subscriptions s on s.endpoint_hash = t.endpoint_hash
       where a.id = any(${ids}::bigint[]) and t.state in ('pending', 'shown') and not (${IS_FOR}) order by t.id for update of t
    )
    update alert_pushes t set state = case when t.state = 'pending' and t.attempts = 0 then 'skipped' else 'withdrawing' end,
           attempts = 0, retry_at = null, due_at = domain_now()
      from changed where t.id = changed.id`.execute(tx);
  await sql`
    insert into alert_pushes (alert_id, endpoint_hash)
    select a.id, s.endpoint_hash from attention_alerts a join products p on p.id = a.product_id
      join push_subscriptions s on true join operators o on o.id = s.operator_id
      join operator_alert_settings n on n.operator_id = o.id and n.notifications
     where a.id = any(${ids}::bigint[]) and ${IS_FOR} and ${MAY_SEE}
     order by a.id on conflict do nothing`.execute(tx);
  return ids.length;
}

const IS_DUE = sql`p.state in ('pending', 'withdrawing') and p.due_at <= domain_now()
  and (p.retry_at is null or p.retry_at <= clock_timestamp()) and ${isUnclaimed('p')}`;

export const ALERTS_DUE_IN: DueIn = sql<number | null>`
  case when exists (select 1 from attention_alerts where planned_at is null) then 0 else (
    select ${msUntil('p.due_at', 'p.retry_at')} from alert_pushes p
     where p.state in ('pending', 'withdrawing') and p.due_at <= domain_now() + ${IN_SIGHT}
       and (p.retry_at is null or p.retry_at <= clock_timestamp() + ${IN_SIGHT}) and ${isUnclaimed('p')}
     order by 1 limit 1) end`;

export async function findDuePushes(reader: Reader, limit: number): Promise<{ id: number; host: string }[]> {
  const { rows } = await sql<{ id: number; host: string }>`
    select p.id, s.host from alert_pushes p join push_subscriptions s on s.endpoint_hash = p.endpoint_hash
     where ${IS_DUE} order by p.id limit ${limit}`.execute(reader);
  return rows;
}

/** A push with what decides about it. */
export interface ClaimedPush {
  readonly id: number;
  readonly alertId: number;
  readonly state: 'pending' | 'withdrawing';
  readonly attempts: number;
  readonly endpointHash: Buffer;
  readonly sealed: string;
  /** Whether the alert is open, and for this operator. */
  readonly isFor: boolean;
  /** Whether the operator may see the product, and the session of the browser is open. */
  readonly isAllowed: boolean;
  readonly settings: AlertSettings;
  /** Domain clock, milliseconds since the epoch. */
  readonly now: number;
  /** What it says. Null: the dialogue is gone, or needs nobody. */
  readonly content: Pick<AttentionAlert, 'dialogue_id' | 'lead_name' | 'attention' | 'last_message' | 'notice'> | null;
}

/** Claim a push that is due. Null if it is not, or another instance has claimed it. */
export async function claimPush(reader: Reader, id: number, claimant: Claimant): Promise<ClaimedPush | null> {
  const { rows } = await sql<ClaimedPush>`
    with claimed as (update alert_pushes p set ${claim(claimant)} where p.id = ${id} and ${IS_DUE} returning p.*)
    select t.id, t.alert_id as "alertId", t.state, t.attempts, t.endpoint_hash as "endpointHash",
           b.subscription_sealed as sealed, (${IS_FOR}) as "isFor",
           exists (select from sessions s join operators o on o.id = s.operator_id join products p on p.id = a.product_id
                    where s.id = b.session_id and ${sql.raw(IS_OPEN)} and ${MAY_SEE}) as "isAllowed",
           (select ${SETTINGS} from operators o left join operator_alert_settings s on s.operator_id = o.id
             where o.id = b.operator_id) as settings,
           (extract(epoch from domain_now()) * 1000)::float8 as now,
           coalesce(
             (select jsonb_build_object('dialogue_id', d.id, 'lead_name', l.name, 'attention', d.attention,
                                        'last_message', d.last_message, 'notice', null)
                from dialogues d join contacts c on c.id = d.contact_id join leads l on l.id = c.lead_id
               where d.id = a.dialogue_id and d.attention is not null),
             case when a.notice is not null then jsonb_build_object('dialogue_id', null, 'lead_name', null, 'attention', null,
                                                                    'last_message', null, 'notice', a.notice) end) as content
      from claimed t join attention_alerts a on a.id = t.alert_id
      join push_subscriptions b on b.endpoint_hash = t.endpoint_hash
      cross join lateral (select b.operator_id) as s`.execute(reader);
  return rows[0] ?? null;
}

/** Record that a push is about to be sent. False if its claim has ended, or it is to be something else now. */
export async function recordAttempt(
  reader: Reader,
  { id, state }: Pick<ClaimedPush, 'id' | 'state'>,
  instanceId: string,
): Promise<boolean> {
  const { rows } = await sql`
    update alert_pushes set attempts = attempts + 1
     where id = ${id} and state = ${state} and claimed_by = ${instanceId} and claimed_until > clock_timestamp()
    returning 1`.execute(reader);
  return rows.length > 0;
}

export type PushState = 'pending' | 'shown' | 'withdrawing' | 'withdrawn' | 'skipped' | 'failed';

/** Set what has become of a push, unless it is to be something else meanwhile. */
export async function settlePush(
  reader: Reader,
  { id, state }: Pick<ClaimedPush, 'id' | 'state'>,
  { to, error = null }: { to: PushState; error?: string | null },
): Promise<void> {
  await sql`update alert_pushes set state = ${to}, attempts = 0, retry_at = null, error = ${error}
             where id = ${id} and state = ${state}`.execute(reader);
}

/** Try again in some seconds. */
export async function retryPush(
  reader: Reader,
  { id, state }: Pick<ClaimedPush, 'id' | 'state'>,
  { seconds, error }: { seconds: number; error: string },
): Promise<void> {
  await sql`update alert_pushes set retry_at = clock_timestamp() + make_interval(secs => ${seconds}), error = ${error}
             where id = ${id} and state = ${state}`.execute(reader);
}

/** Leave a push until the quiet hours of its operator end; `until` in milliseconds of the domain clock. */
export async function deferPush(
  reader: Reader,
  { id, state }: Pick<ClaimedPush, 'id' | 'state'>,
  until: number,
): Promise<void> {
  await sql`update alert_pushes set due_at = ${new Date(until).toISOString()} where id = ${id} and state = ${state}`.execute(
    reader,
  );
}

export async function releasePush(reader: Reader, id: number, instanceId: string): Promise<void> {
  await sql`update alert_pushes set ${release()} where id = ${id} and claimed_by = ${instanceId}`.execute(reader);
}
