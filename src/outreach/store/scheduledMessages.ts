/** Messages that already wait in the outbox, as a rehearsal shows them. */
import { sql } from 'kysely';
import type { Reader } from '../../platform/db.ts';

export interface ScheduledMessage {
  readonly text: string;
  readonly channel: string;
}

/** Read for each lead the scheduled message that is sent last, by the lead's id. */
export async function readScheduledMessages(
  reader: Reader,
  leadIds: readonly number[],
): Promise<Map<number, ScheduledMessage>> {
  const { rows } = await sql<{ lead_id: number; text: string; channel: string }>`
    select distinct on (c.lead_id) c.lead_id, m.message as text, h.name as channel
      from contacts c
      join dialogues d on d.contact_id = c.id
      join messages m on m.dialogue_id = d.id and m.status = 'scheduled'
      join channels h on h.id = m.channel_id
     where c.lead_id = any(${[...leadIds]}::bigint[])
     order by c.lead_id, m.scheduled_at desc, m.id desc`.execute(reader);
  return new Map(rows.map(({ lead_id: id, text, channel }) => [id, { text, channel }]));
}
