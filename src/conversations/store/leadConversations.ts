import { sql } from 'kysely';
import type { Reader } from '../../platform/db.ts';

/** Count what belongs to these leads: dialogues, visible messages, and scheduled messages of the bot. */
export async function countConversations(
  reader: Reader,
  leadIds: readonly number[],
): Promise<{ dialogues: number; messages: number; waiting: number }> {
  const { rows } = await sql<{ dialogues: number; messages: number; waiting: number }>`
    with talks as (
      select d.id from dialogues d join contacts c on c.id = d.contact_id where c.lead_id = any(${[...leadIds]}::bigint[])
    )
    select (select count(*) from talks) as dialogues,
           count(*) filter (where m.removed_at is null) as messages,
           count(*) filter (where m.status = 'scheduled' and m.author = 'bot') as waiting
      from messages m where m.dialogue_id in (select id from talks)`.execute(reader);
  return rows[0] ?? { dialogues: 0, messages: 0, waiting: 0 };
}

/** Return those of the leads that have a dialogue. */
export async function findLeadsWithConversation(reader: Reader, leadIds: readonly number[]): Promise<number[]> {
  const { rows } = await sql<{ lead_id: number }>`
    select distinct c.lead_id from dialogues d join contacts c on c.id = d.contact_id
     where c.lead_id = any(${[...leadIds]}::bigint[])`.execute(reader);
  return rows.map((row) => row.lead_id);
}
