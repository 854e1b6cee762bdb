/** Reads inbound messages that are stored but not processed yet. */
import { sql } from 'kysely';
import type { Reader } from '../../platform/db.ts';

/** Whether a chat has an inbound message that is not processed yet. */
export async function hasUnprocessedInbound(tx: Reader, channelId: number, chatId: string | null): Promise<boolean> {
  if (chatId === null) return false;
  const { rows } = await sql<{ there: boolean }>`
    select exists (select 1 from inbox where channel_id = ${channelId} and chat_id = ${chatId} and state = 'new'
                      and kind = 'message' and status = 'inbound') as there`.execute(tx);
  return rows[0]?.there ?? false;
}
