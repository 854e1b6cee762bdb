/** What waits in a dialogue is cancelled: all of it, or what is no longer wanted. */
import { sql } from 'kysely';
import type { Tx } from '../../platform/db.ts';

export async function cancelMessage(tx: Tx, id: number, reason: string): Promise<void> {
  await sql`update messages set status = 'cancelled', reason = ${reason}, retry_at = null where id = ${id} and status = 'scheduled'`.execute(
    tx,
  );
}

/** Cancels the bot's waiting messages of a dialogue; with `turnsBefore`, only answers to older turns. Gives their ids. */
export async function cancelScheduledBotMessages(
  tx: Tx,
  dialogueId: number,
  reason: string,
  turnsBefore: number | null,
): Promise<number[]> {
  const { rows } = await sql<{ id: number }>`
    update messages set status = 'cancelled', reason = ${reason}, retry_at = null
     where dialogue_id = ${dialogueId} and status = 'scheduled' and author = 'bot'
       and (${turnsBefore}::int is null or (debounce_guard and turn < ${turnsBefore}::int))
     returning id`.execute(tx);
  return rows.map((row) => row.id);
}

/** Cancels what has not left of a text in parts. Gives the ids. */
export async function cancelScheduledParts(
  tx: Tx,
  dialogueId: number,
  batch: string,
  reason: string,
): Promise<number[]> {
  const { rows } = await sql<{ id: number }>`
    update messages set status = 'cancelled', reason = ${reason}, retry_at = null
     where dialogue_id = ${dialogueId} and status = 'scheduled' and batch = ${batch} returning id`.execute(tx);
  return rows.map((row) => row.id);
}

/** Cancels all that waits in a dialogue, whoever wrote it. Gives the ids. */
export async function cancelScheduledMessages(tx: Tx, dialogueId: number, reason: string): Promise<number[]> {
  const { rows } = await sql<{ id: number }>`
    update messages set status = 'cancelled', reason = ${reason}, retry_at = null
     where dialogue_id = ${dialogueId} and status = 'scheduled' returning id`.execute(tx);
  return rows.map((row) => row.id);
}

/** Cancels the follow-ups of a dialogue that have not left. Gives their ids. */
export async function cancelFollowUps(tx: Tx, dialogueId: number, reason: string): Promise<number[]> {
  const { rows } = await sql<{ id: number }>`
    update messages set status = 'cancelled', reason = ${reason}, retry_at = null
     where dialogue_id = ${dialogueId} and status = 'scheduled' and author = 'bot' and ping_step_number is not null
     returning id`.execute(tx);
  return rows.map((row) => row.id);
}
