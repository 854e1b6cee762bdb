/** Cancel one scheduled message. */
import { sql } from 'kysely';
import type { Tx } from '../../platform/db.ts';
import { idList } from '../../platform/statements.ts';

/**
 * Cancel the bot's scheduled messages of a dialogue; with `turnsBefore`, only answers to older turns. Returns their
 * ids.
 */
export async function cancelScheduledBotMessages(
  tx: Tx,
  { dialogueId, reason, turnsBefore }: { dialogueId: number; reason: string; turnsBefore: number | null },
): Promise<number[]> {
  const { rows } = await sql<{ id: number }>`
    update messages set status = 'cancelled', reason = ${reason}, retry_at = null
     where dialogue_id = ${dialogueId} and status = 'scheduled' and author = 'bot'
       and (${turnsBefore}::int is null or (debounce_guard and turn < ${turnsBefore}::int))
     returning id`.execute(tx);
  return rows.map((row) => row.id);
}

/** Cancel the sentences of the bot's hand-overs that have not left. Returns the messages. */
export async function cancelHandOverTexts(
  tx: Tx,
  dialogueIds: readonly number[],
  reason: string,
): Promise<{ id: number; product_id: number }[]> {
  const { rows } = await sql<{ id: number; product_id: number }>`
    update messages set status = 'cancelled', reason = ${reason}, retry_at = null
     where dialogue_id = any(${idList(dialogueIds)}) and status = 'scheduled' and origin = 'hand_over'
     returning id, product_id`.execute(tx);
  return rows;
}

/** Cancel all scheduled messages of a dialogue, no matter who wrote them. Returns their ids. */
export async function cancelScheduledMessages(tx: Tx, dialogueId: number, reason: string): Promise<number[]> {
  const { rows } = await sql<{ id: number }>`
    update messages set status = 'cancelled', reason = ${reason}, retry_at = null
     where dialogue_id = ${dialogueId} and status = 'scheduled' returning id`.execute(tx);
  return rows.map((row) => row.id);
}

/** Cancel the scheduled follow-ups of a dialogue. Returns their ids. */
export async function cancelFollowUps(tx: Tx, dialogueId: number, reason: string): Promise<number[]> {
  const { rows } = await sql<{ id: number }>`
    update messages set status = 'cancelled', reason = ${reason}, retry_at = null
     where dialogue_id = ${dialogueId} and status = 'scheduled' and author = 'bot' and ping_step_number is not null
     returning id`.execute(tx);
  return rows.map((row) => row.id);
}
