/** Delete the model runs of leads, which outlive the leads' rows. */
import { sql } from 'kysely';
import { addressVariants } from '../../leads/address.ts';
import type { Tx } from '../../platform/db.ts';

export async function deleteRuns(tx: Tx, leadIds: readonly number[], dialogues: readonly number[]): Promise<void> {
  await sql`delete from llm_runs
             where lead_id = any(${[...leadIds]}::bigint[]) or dialogue_id = any(${[...dialogues]}::bigint[])
                or message_id in (select id from messages where dialogue_id = any(${[...dialogues]}::bigint[]))`.execute(
    tx,
  );
}

/**
 * Redact inbox items of the leads' chats, and of their addresses and the variants of those on their company's channels where no other dialogue has
 * the chat: what was received there has found no dialogue. Unprocessed items stay: they are messages that have just
 * arrived. Items set aside after repeated failure (`failed`) and those that wait for a message (`parked`) are given up.
 */
export async function redactInbox(tx: Tx, leadIds: readonly number[], dialogues: readonly number[]): Promise<void> {
  const { rows } = await sql<{ channel_id: number; address: string }>`
    select distinct h.id as channel_id, c.address
      from contacts c join products p on p.id = c.product_id join channels h on h.company_id = p.company_id
     where c.lead_id = any(${[...leadIds]}::bigint[])`.execute(tx);
  const addresses = rows.flatMap((row) => addressVariants(row.address).map((address) => ({ ...row, address })));
  await sql`
    with chats as materialized (
      select channel_id, chat_id from dialogue_chats where dialogue_id = any(${[...dialogues]}::bigint[])
    ), addresses as materialized (
      select channel_id, address from dialogues where id = any(${[...dialogues]}::bigint[])
      union
      select * from jsonb_to_recordset(${JSON.stringify(addresses)}::jsonb) as g (channel_id bigint, address text)
    )
    update inbox i set item = '{}', note = null, note_detail = null, chat_id = null, ignored_at = null, state = 'done', parked_until = null, retry_at = null
     where i.state in ('done', 'failed', 'parked') and i.chat_id is not null
       and ((i.channel_id, i.chat_id) in (select channel_id, chat_id from chats)
            or (((i.channel_id, i.chat_id) in (select channel_id, address from addresses)
                 or (i.channel_id, ltrim(lower(i.item->>'address'), '+')) in (select channel_id, address from addresses))
                and not exists (select 1 from dialogue_chats k where k.channel_id = i.channel_id and k.chat_id = i.chat_id
                                                                 and k.dialogue_id <> all(${[...dialogues]}::bigint[]))
                and not exists (select 1 from dialogues d where d.channel_id = i.channel_id and d.address = i.chat_id and d.chat_id is null
                                                            and d.id <> all(${[...dialogues]}::bigint[]))))`.execute(
    tx,
  );
}

/** Redact audit entries through a database function: the audit log is append-only for the application's role. */
export async function redactAuditLog(tx: Tx, leadIds: readonly number[], dialogues: readonly number[]): Promise<void> {
  await sql`select redact_audit(${[...leadIds]}::bigint[], ${[...dialogues]}::bigint[])`.execute(tx);
}
