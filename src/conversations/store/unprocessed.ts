/** Reads inbound messages that are stored but not processed yet. */
import { type RawBuilder, sql } from 'kysely';
import type { Reader } from '../../platform/db.ts';

/**
 * Condition: the chat of the dialogue `d` has no inbound message that is not processed yet. One look into the index for
 * each dialogue, whatever the planner expects of the inbox.
 */
export const hasNoUnprocessedInbound = (d: string): RawBuilder<boolean> => sql`
  (select i.id from inbox i where i.channel_id = ${sql.ref(`${d}.channel_id`)} and i.chat_id = ${sql.ref(`${d}.chat_id`)} and i.state = 'new'
      and i.kind = 'message' and i.status = 'inbound' limit 1) is null`;

/** Whether a chat has an inbound message that is not processed yet. */
export async function hasUnprocessedInbound(tx: Reader, channelId: number, chatId: string | null): Promise<boolean> {
  if (chatId === null) return false;
  const { rows } = await sql<{ there: boolean }>`
    select exists (select 1 from inbox where channel_id = ${channelId} and chat_id = ${chatId} and state = 'new'
                      and kind = 'message' and status = 'inbound') as there`.execute(tx);
  return rows[0]?.there ?? false;
}

/** Return those of the leads that have written something that is not processed yet, in any of their chats. */
export async function findLeadsWithUnprocessedInbound(tx: Reader, leadIds: readonly number[]): Promise<Set<number>> {
  const { rows } = await sql<{ lead_id: number }>`
    select c.lead_id from contacts c join dialogues d on d.contact_id = c.id
     where c.lead_id = any(${[...leadIds]}::bigint[])
       and exists (select 1 from inbox i where i.channel_id = d.channel_id and i.chat_id in (d.chat_id, d.address) and i.state = 'new'
                                           and i.kind = 'message' and i.status = 'inbound')`.execute(tx);
  return new Set(rows.map((row) => row.lead_id));
}
