/** SQL of hand-overs and their summaries. The columns of note and task are written by the CRM. */
import { type Selectable, sql } from 'kysely';
import type pg from 'pg';
import { dueIf } from '../../jobs/store/dueWork.ts';
import type { HandOverReason } from '../../leads/lead.ts';
import type { Reader, Row, Tables, Tx } from '../../platform/db.ts';
import { type Claimable, type Claimant, claim, isUnclaimed, release } from '../../platform/lease.ts';
import { prepared } from '../../platform/statements.ts';
import type { DialogueHandOver, DialogueSummary } from '../handOverContract.ts';

declare module '../../platform/db.ts' {
  interface Tables {
    hand_overs: Row<
      'hand_overs',
      {
        reason: HandOverReason;
        summary: DialogueSummary;
        summary_state: DialogueHandOver['summary_state'];
        crm_state: DialogueHandOver['crm_state'];
      }
    >;
  }
}

export type HandOverRow = Selectable<Tables['hand_overs']>;

const PREFIX = 'summary_claimed';

/** Hand-overs whose dialogue an instance summarizes. */
export const SUMMARIES: Claimable<{ id: number }> = { table: 'hand_overs', key: { id: 'bigint' }, prefix: PREFIX };

const IS_DUE = sql`
  h.summary_state = 'pending' and (h.summary_retry_at is null or h.summary_retry_at <= clock_timestamp())
  and ${isUnclaimed('h', PREFIX)}`;

export const SUMMARIES_DUE_IN = dueIf(sql`exists (select 1 from hand_overs h where ${IS_DUE})`);

export async function findDueSummaries(reader: Reader, limit: number): Promise<{ id: number; product_id: number }[]> {
  const { rows } = await sql<{ id: number; product_id: number }>`
    select h.id, h.product_id from hand_overs h where ${IS_DUE} order by h.id limit ${limit}`.execute(reader);
  return rows;
}

/** Claim a hand-over to summarize its dialogue. Null if that is not due or already claimed. */
export async function claimSummary(reader: Reader, id: number, claimant: Claimant): Promise<HandOverRow | null> {
  const { rows } = await sql<HandOverRow>`
    update hand_overs h set ${claim(claimant, PREFIX)} where h.id = ${id} and ${IS_DUE} returning h.*`.execute(reader);
  return rows[0] ?? null;
}

export async function releaseSummary(reader: Reader, id: number, instanceId: string): Promise<void> {
  await sql`update hand_overs set ${release(PREFIX)}
             where id = ${id} and summary_claimed_by = ${instanceId}`.execute(reader);
}

/** Close a pending summary. Returns false if it was closed already. */
export async function closeSummary(
  tx: Tx,
  id: number,
  {
    state,
    summary,
    error,
  }: { state: 'done' | 'failed' | 'off'; summary: DialogueSummary | null; error: string | null },
): Promise<boolean> {
  const { rows } = await sql`
    update hand_overs
       set summary_state = ${state}, summary = ${summary === null ? null : JSON.stringify(summary)}::jsonb,
           summary_error = ${error?.slice(0, 500) ?? null}, summary_retry_at = null, summary_failed_at = null, summary_attempts = 0,
           ${release(PREFIX)}
     where id = ${id} and summary_state = 'pending' returning id`.execute(tx);
  return rows.length > 0;
}

/**
 * Schedule a retry after `seconds` (real clock). Returns whether it has been failing for longer than
 * `timeoutSeconds`.
 */
export async function deferSummary(
  reader: Reader,
  { id, seconds, error, timeoutSeconds }: { id: number; seconds: number; error: string; timeoutSeconds: number },
): Promise<boolean> {
  const { rows } = await sql<{ spent: boolean }>`
    update hand_overs
       set summary_attempts = summary_attempts + 1, summary_error = ${error.slice(0, 500)},
           summary_failed_at = coalesce(summary_failed_at, clock_timestamp()),
           summary_retry_at = clock_timestamp() + make_interval(secs => ${seconds}), ${release(PREFIX)}
     where id = ${id} and summary_state = 'pending'
     returning summary_failed_at < clock_timestamp() - make_interval(secs => ${timeoutSeconds}) as spent`.execute(
    reader,
  );
  return rows[0]?.spent ?? false;
}

/** Return the newest messages that were sent or received, oldest first. */
export async function findMessagesToSummarize(
  reader: Reader,
  dialogueId: number,
  limit: number,
): Promise<{ id: number; side: 'user' | 'bot'; text: string; kind: string }[]> {
  const { rows } = await sql<{ id: number; side: 'user' | 'bot'; text: string; kind: string }>`
    select id, side, text, kind from (
      select id, side, message as text, kind, thread_at from messages
       where dialogue_id = ${dialogueId} and status in ('inbound', 'sending', 'sent', 'delivered', 'read', 'unconfirmed')
         and removed_at is null and deleted_at is null and kind <> 'system'
       order by thread_at desc, id desc limit ${limit}) as newest
     order by thread_at, id`.execute(reader);
  return rows;
}

/** Store a summary with the newest hand-over of a dialogue. Returns its id; null if there is none. */
export async function storeNewestSummary(tx: Tx, dialogueId: number, summary: DialogueSummary): Promise<number | null> {
  const { rows } = await sql<{ id: number }>`
    update hand_overs
       set summary = ${JSON.stringify(summary)}::jsonb, summary_state = 'done', summary_error = null, summary_retry_at = null
     where id = (select max(id) from hand_overs where dialogue_id = ${dialogueId}) returning id`.execute(tx);
  return rows[0]?.id ?? null;
}

/** A hand-over as the API shows it. */
const SHOWN = `id, reason, detail, created_at, due_at, summary, summary_state, summary_error, crm_state, crm_note_id, crm_task_id,
  error as crm_error`;

/** Read the newest hand-over of a dialogue; null if there is none. */
export async function readNewestHandOver(pool: pg.Pool, dialogueId: number): Promise<DialogueHandOver | null> {
  const { rows } = await pool.query<DialogueHandOver>({
    ...prepared(`select ${SHOWN} from hand_overs where dialogue_id = $1 order by id desc limit 1`),
    values: [dialogueId],
  });
  return rows[0] ?? null;
}

/** Make what failed of a dialogue's newest hand-over due, and return it; null if nothing failed. */
export async function retryNewestHandOver(tx: Tx, dialogueId: number): Promise<DialogueHandOver | null> {
  const { rows } = await sql<DialogueHandOver>`
    update hand_overs
       set summary_state = case when summary_state in ('failed', 'off') then 'pending' else summary_state end,
           summary_error = case when summary_state in ('failed', 'off') then null else summary_error end,
           crm_state = case when crm_state = 'failed' then 'pending' else crm_state end,
           error = case when crm_state = 'failed' then null else error end,
           attempts = case when crm_state = 'failed' then 0 else attempts end,
           summary_wait_until = clock_timestamp() + interval '60 seconds'
     where id = (select max(id) from hand_overs where dialogue_id = ${dialogueId})
       and (summary_state in ('failed', 'off') or crm_state = 'failed')
    returning ${sql.raw(SHOWN)}`.execute(tx);
  return rows[0] ?? null;
}
