/** Delete the model runs of leads, which outlive the leads' rows. */
import { sql } from 'kysely';
import type { Tx } from '../../platform/db.ts';

export async function deleteRuns(tx: Tx, leadIds: readonly number[], dialogues: readonly number[]): Promise<void> {
  await sql`delete from llm_runs
             where lead_id = any(${[...leadIds]}::bigint[]) or dialogue_id = any(${[...dialogues]}::bigint[])
                or message_id in (select id from messages where dialogue_id = any(${[...dialogues]}::bigint[]))`.execute(
    tx,
  );
}

/**
 * Redact processed inbox items. Unprocessed items stay: they are messages that have just arrived. Items set aside
 * after repeated failure (`failed`) are given up.
 */
export async function redactInbox(tx: Tx, dialogues: readonly number[]): Promise<void> {
  await sql`update inbox i set item = '{}', note = null, note_detail = null, chat_id = null, state = 'done', retry_at = null
              from dialogues d
             where d.id = any(${[...dialogues]}::bigint[]) and i.channel_id = d.channel_id
               and i.chat_id in (d.chat_id, d.address) and i.state in ('done', 'failed')`.execute(tx);
}

/** Redact audit entries through a database function: the audit log is append-only for the application's role. */
export async function redactAuditLog(tx: Tx, leadIds: readonly number[], dialogues: readonly number[]): Promise<void> {
  await sql`select redact_audit(${[...leadIds]}::bigint[], ${[...dialogues]}::bigint[])`.execute(tx);
}
