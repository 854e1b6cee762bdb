/**
 * All SQL statements about notes and tasks of hand-overs. All times are of the database's real clock, but for
 * `due_at`.
 */
import { sql } from 'kysely';
import type { DialogueSummary } from '../../conversations/handOverContract.ts';
import { dueIf } from '../../jobs/store/dueWork.ts';
import type { HandOverReason } from '../../leads/lead.ts';
import type { Reader, Tx } from '../../platform/db.ts';
import { type Claimable, type Claimant, claim, isUnclaimed, release } from '../../platform/lease.ts';
import type { Piece } from '../amocrm/onCard.ts';

/** Hand-overs whose note and task an instance creates. */
export const HAND_OVERS: Claimable<{ id: number }> = { table: 'hand_overs', key: { id: 'bigint' } };

export interface ClaimedHandOver {
  readonly id: number;
  readonly product_id: number;
  readonly dialogue_id: number;
  readonly lead_name: string;
  readonly reason: HandOverReason;
  readonly detail: string | null;
  readonly summary: DialogueSummary | null;
  readonly crm_marker: string;
  /** Unix seconds. */
  readonly due: number;
  readonly attempts: number;
  readonly crm_integration_id: number;
  readonly card_id: number;
  readonly pieces: Readonly<Record<Piece, PieceState>>;
}

/** How far a note or a task has come. */
export interface PieceState {
  /** Its id in the CRM; null until it is known. */
  readonly id: string | null;
  /** When the last call that may have created it was about to leave; null if there was none. */
  readonly attempted_at: string | null;
  /** Seconds since then. */
  readonly attempted_for: number | null;
}

const COLUMNS = {
  note: { id: sql.ref('crm_note_id'), attemptedAt: sql.ref('note_attempted_at') },
  task: { id: sql.ref('crm_task_id'), attemptedAt: sql.ref('task_attempted_at') },
} as const;

/** Condition: note and task are due. They wait for the summary, but not for long. */
const IS_DUE = sql`
  h.crm_state = 'pending' and (h.retry_at is null or h.retry_at <= clock_timestamp())
  and (h.summary_state <> 'pending' or h.summary_wait_until <= clock_timestamp()) and ${isUnclaimed('h')}`;

/** Cards of the lead of `h` in integrations that are in use. */
const CARDS_OF_LEAD = sql`
  crm_cards c join crm_integrations i on i.id = c.crm_integration_id and i.is_active
  join amocrm_accounts a on a.crm_integration_id = i.id
 where c.lead_id = h.lead_id`;

/** Hand-overs with their card. If the lead has several, the one with its CRM id is preferred. */
const HAND_OVERS_WITH_CARD = sql`
  hand_overs h cross join lateral (
    select c.card_id, c.crm_integration_id, a.state, l.name as lead_name
      from leads l, ${CARDS_OF_LEAD} and l.id = h.lead_id
     order by (l.crm_id = c.card_id::text) desc, c.card_id desc limit 1) as k`;

export const HAND_OVERS_DUE_IN = dueIf(sql`
  exists (select 1 from hand_overs h where ${IS_DUE} and not exists (select 1 from ${CARDS_OF_LEAD}))
  or exists (select 1 from ${HAND_OVERS_WITH_CARD} where ${IS_DUE} and k.state = 'connected')`);

/** Close the hand-overs of leads without a card: they have no note and no task. Returns their dialogues. */
export async function closeWithoutCard(tx: Tx, limit: number): Promise<{ product_id: number; dialogue_id: number }[]> {
  const { rows } = await sql<{ product_id: number; dialogue_id: number }>`
    update hand_overs set crm_state = 'none'
     where id in (select h.id from hand_overs h where ${IS_DUE} and not exists (select 1 from ${CARDS_OF_LEAD})
                   order by h.id limit ${limit} for update skip locked)
    returning product_id, dialogue_id`.execute(tx);
  return rows;
}

export async function findDueHandOvers(
  reader: Reader,
  limit: number,
): Promise<{ integration: number; handOver: number }[]> {
  const { rows } = await sql<{ integration: number; handOver: number }>`
    select k.crm_integration_id as integration, h.id as "handOver"
      from ${HAND_OVERS_WITH_CARD} where ${IS_DUE} and k.state = 'connected' order by h.id limit ${limit}`.execute(
    reader,
  );
  return rows;
}

/** Claim a hand-over to create its note and task. Undefined if it is not due or already claimed. */
export async function claimHandOver(
  reader: Reader,
  id: number,
  claimant: Claimant,
): Promise<ClaimedHandOver | undefined> {
  const { rows } = await sql<ClaimedHandOver>`
    with card as materialized (select h.id, k.* from ${HAND_OVERS_WITH_CARD} where h.id = ${id})
    update hand_overs h set ${claim(claimant)} from card
     where h.id = card.id and ${IS_DUE}
    returning h.id, h.product_id, h.dialogue_id, h.reason, h.detail, h.summary, h.crm_marker, h.attempts,
              floor(extract(epoch from h.due_at))::bigint as due, card.lead_name, card.crm_integration_id, card.card_id,
              ${pieces}`.execute(reader);
  return rows[0];
}

const pieces = sql`jsonb_build_object(${sql.join(
  Object.entries(COLUMNS).flatMap(([piece, { id, attemptedAt }]) => [
    sql.lit(piece),
    sql`jsonb_build_object('id', h.${id}, 'attempted_at', h.${attemptedAt},
                           'attempted_for', extract(epoch from clock_timestamp() - h.${attemptedAt}))`,
  ]),
)}) as pieces`;

export async function releaseHandOver(reader: Reader, id: number, instanceId: string): Promise<void> {
  await sql`update hand_overs set ${release()} where id = ${id} and claimed_by = ${instanceId}`.execute(reader);
}

interface Attempt {
  readonly id: number;
  readonly piece: Piece;
  /** The attempt that was known before. */
  readonly before: string | null;
}

/**
 * Find the task by which people are already called to the lead of a hand-over, in another dialogue that still waits for
 * them. Its `id` is null while it is not created yet; null: there is none, and none to come. Of two hand-overs
 * the later one sees the earlier one: each is stored under a lock of the lead.
 */
export async function findTaskOfLead(reader: Reader, id: number): Promise<{ readonly id: string | null } | null> {
  const { rows } = await sql<{ id: string | null }>`
    select o.crm_task_id as id
      from hand_overs h join hand_overs o on o.lead_id = h.lead_id and o.dialogue_id <> h.dialogue_id
      join dialogues d on d.id = o.dialogue_id and d.hand_over_open
     where h.id = ${id} and o.id = (select max(id) from hand_overs where dialogue_id = o.dialogue_id)
       and (o.crm_task_id is not null or (o.crm_state = 'pending' and (o.id < h.id or o.task_attempted_at is not null)))
     order by o.crm_task_id is null, o.id limit 1`.execute(reader);
  return rows[0] ?? null;
}

/**
 * Record that a call is about to leave. Returns when; null if the claim has ended, or another instance has called or
 * found the piece meanwhile.
 */
export async function recordAttempt(
  reader: Reader,
  { id, piece, before, instanceId }: Attempt & { readonly instanceId: string },
): Promise<string | null> {
  const column = COLUMNS[piece];
  const { rows } = await sql<{ at: string }>`
    update hand_overs set ${column.attemptedAt} = clock_timestamp()
     where id = ${id} and claimed_by = ${instanceId} and claimed_until > clock_timestamp() and crm_state = 'pending'
       and ${column.id} is null and ${column.attemptedAt} is not distinct from ${before}::timestamptz
    returning ${column.attemptedAt} as at`.execute(reader);
  return rows[0]?.at ?? null;
}

/** Take back an attempt that has certainly created nothing. */
export async function forgetAttempt(
  reader: Reader,
  { id, piece, before, attempt }: Attempt & { readonly attempt: string },
): Promise<void> {
  const { attemptedAt } = COLUMNS[piece];
  await sql`update hand_overs set ${attemptedAt} = ${before}::timestamptz
             where id = ${id} and ${attemptedAt} = ${attempt}::timestamptz`.execute(reader);
}

/** Save the id of a note or a task. A fact of the CRM is saved whoever has the claim. */
export async function savePiece(tx: Tx, { id, piece, crmId }: { id: number; piece: Piece; crmId: number | string }) {
  const column = COLUMNS[piece].id;
  await sql`update hand_overs set ${column} = coalesce(${column}, ${String(crmId)}) where id = ${id}`.execute(tx);
}

/** Close a pending hand-over. Returns false if it was closed already. */
export async function closeHandOver(
  tx: Tx,
  { id, state, error }: { id: number; state: 'none' | 'done' | 'failed'; error: string | null },
): Promise<boolean> {
  const { rows } = await sql`
    update hand_overs set crm_state = ${state}, error = ${error?.slice(0, 500) ?? null}, retry_at = null, attempts = 0, ${release()}
     where id = ${id} and crm_state = 'pending' returning id`.execute(tx);
  return rows.length > 0;
}

/** Try again after `seconds`, if the claim is still this instance's. `error`: null if nothing has failed. */
export async function deferHandOver(
  reader: Reader,
  { id, instanceId, seconds, error }: { id: number; instanceId: string; seconds: number; error: string | null },
): Promise<void> {
  await sql`
    update hand_overs
       set attempts = attempts + case when ${error}::text is null then 0 else 1 end,
           error = coalesce(${error?.slice(0, 500) ?? null}, error),
           retry_at = clock_timestamp() + make_interval(secs => ${seconds}), ${release()}
     where id = ${id} and claimed_by = ${instanceId} and crm_state = 'pending'`.execute(reader);
}

/** Make the notes and tasks due that an integration refused. */
export async function retryRefusedHandOvers(reader: Reader, integrationId: number): Promise<void> {
  await sql`
    update hand_overs h set crm_state = 'pending', error = null
      from crm_cards c
     where c.crm_integration_id = ${integrationId} and c.product_id = h.product_id and c.lead_id = h.lead_id
       and h.crm_state = 'failed'`.execute(reader);
}
