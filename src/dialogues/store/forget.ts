/** The SQL of taking a person out of what outlives his rows. */
import { sql } from 'kysely';
import type { Tx } from '../../platform/db.ts';

export async function deleteRuns(tx: Tx, leadIds: readonly number[], dialogues: readonly number[]): Promise<void> {
  await sql`delete from llm_runs
             where lead_id = any(${[...leadIds]}::bigint[]) or dialogue_id = any(${[...dialogues]}::bigint[])
                or message_id in (select id from messages where dialogue_id = any(${[...dialogues]}::bigint[]))`.execute(
    tx,
  );
}

/** What is not worked on yet stays: it is a message that has just come. One that was set aside is given up. */
export async function emptyInbox(tx: Tx, dialogues: readonly number[]): Promise<void> {
  await sql`update inbox i set item = '{}', note = null, chat_id = null, state = 'done', retry_at = null
              from dialogues d
             where d.id = any(${[...dialogues]}::bigint[]) and i.channel_id = d.channel_id
               and i.chat_id in (d.chat_id, d.address) and i.state in ('done', 'failed')`.execute(tx);
}

/** One statement for each way by which a row of the trail speaks of a person, so that each has its index. */
export async function emptyTrail(tx: Tx, leadIds: readonly number[], dialogues: readonly number[]): Promise<void> {
  const leads = sql`any(${[...leadIds]}::bigint[])`;
  const talks = sql`any(${[...dialogues]}::bigint[])`;
  const ways = [
    sql`noun = 'lead' and row_id = ${leads}`,
    sql`coalesce(after, before) ? 'lead_id' and coalesce(after, before)->>'lead_id' = any(${leadIds.map(String)}::text[])`,
    sql`coalesce(after, before) ? 'dialogue_id'
        and coalesce(after, before)->>'dialogue_id' = any(${dialogues.map(String)}::text[])`,
    sql`noun = 'contact' and row_id in (select id from contacts where lead_id = ${leads})`,
    sql`noun = 'dialogue' and row_id = ${talks}`,
    sql`noun = 'message' and row_id in 
        (select m.id from messages m join contacts c on c.id = m.contact_id where c.lead_id = ${leads})`,
  ];
  for (const way of ways) await sql`update audit set before = null, after = null where ${way}`.execute(tx);
}
