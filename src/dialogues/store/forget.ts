/** The SQL of taking a person out of what outlives his rows. */
import { sql } from 'kysely';
import type { Tx } from '../../platform/db.ts';

export async function deleteRuns(tx: Tx, dialogues: readonly number[]): Promise<void> {
  await sql`delete from llm_runs
             where dialogue_id = any(${[...dialogues]}::bigint[])
                or message_id in (select id from messages where dialogue_id = any(${[...dialogues]}::bigint[]))`.execute(
    tx,
  );
}

/** What is not worked on yet stays: it is a message that has just come. */
export async function emptyInbox(tx: Tx, dialogues: readonly number[]): Promise<void> {
  await sql`update inbox i set item = '{}', note = null, chat_id = null
              from dialogues d
             where d.id = any(${[...dialogues]}::bigint[]) and i.channel_id = d.channel_id
               and i.chat_id in (d.chat_id, d.address) and i.state = 'done'`.execute(tx);
}

export async function emptyTrail(tx: Tx, leadId: number): Promise<void> {
  await sql`update audit set before = null, after = null
             where (noun = 'lead' and row_id = ${leadId})
                or (noun in ('contact', 'dialogue', 'message', 'lead_document') and (before->>'lead_id' = ${String(leadId)} or after->>'lead_id' = ${String(leadId)}))
                or (noun = 'contact' and row_id in (select id from contacts where lead_id = ${leadId}))
                or (noun = 'dialogue' and row_id in
                     (select d.id from dialogues d join contacts c on c.id = d.contact_id where c.lead_id = ${leadId}))
                or (noun = 'classification_result' and coalesce(before, after)->>'dialogue_id' in
                     (select d.id::text from dialogues d join contacts c on c.id = d.contact_id where c.lead_id = ${leadId}))
                or (noun = 'message' and row_id in
                     (select m.id from messages m join contacts c on c.id = m.contact_id where c.lead_id = ${leadId}))`.execute(
    tx,
  );
}
