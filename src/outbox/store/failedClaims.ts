/** SQL of messages that could not be claimed for a fault of ours. */
import { sql } from 'kysely';
import type { Tx } from '../../platform/db.ts';

/**
 * Defer the first due message of a dialogue by as long as it has been due, so that the pause doubles: at least 5 seconds,
 * at most 5 minutes (real clock). Returns the message.
 */
export async function deferDueMessage(
  tx: Tx,
  dialogueId: number,
  reason: string,
): Promise<{ id: number; product_id: number }[]> {
  const { rows } = await sql<{ id: number; product_id: number }>`
    update messages set reason = ${reason},
           retry_at = clock_timestamp() + least(interval '5 minutes', greatest(interval '5 seconds', domain_now() - scheduled_at))
     where status = 'scheduled'
       and id = (select id from messages where dialogue_id = ${dialogueId} and status = 'scheduled' and scheduled_at <= domain_now()
                  order by scheduled_at, id limit 1)
    returning id, product_id`.execute(tx);
  return rows;
}
