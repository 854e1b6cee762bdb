/** SQL of operators' actions on messages. */

import { sql } from 'kysely';
import type pg from 'pg';
import type { MessageRow } from '../../conversations/store/tables.ts';
import type { Reader, Tx } from '../../platform/db.ts';
import { prepared } from '../../platform/statements.ts';
import { OF_COMPANIES } from '../../products/product.ts';

/** Find a message to a contact by its client key, in any of the contact's dialogues. */
export function findMessageToContact(
  reader: Reader,
  contactId: number,
  clientKey: string,
): Promise<MessageRow | undefined> {
  return reader
    .selectFrom('messages')
    .selectAll()
    .where('contact_id', '=', contactId)
    .where('client_key', '=', clientKey)
    .executeTakeFirst();
}

/**
 * Lock the dialogue of a message. The claim, which decides whether the message has left, takes its locks in this
 * order too.
 */
export async function lockDialogueOfMessage(tx: Tx, messageId: number): Promise<void> {
  await sql`
    select 1 from dialogues where id = (select dialogue_id from messages where id = ${messageId}) for update`.execute(
    tx,
  );
}

/** Return the contact's main dialogue, else the one with the latest message. */
export async function findMainDialogueId(reader: Reader, contactId: number): Promise<number | null> {
  const { rows } = await sql<{ id: number }>`
    select id from dialogues where contact_id = ${contactId}
     order by is_main desc, last_msg_created_at desc nulls last, id desc limit 1`.execute(reader);
  return rows[0]?.id ?? null;
}

/** Make a scheduled message due now, and the parts of its text before it, regardless of working hours. */
export async function sendImmediately(tx: Tx, id: number): Promise<void> {
  await sql`
    update messages m set scheduled_at = least(m.scheduled_at, domain_now()), originally_scheduled_at = null, retry_at = null,
                          schedule_enabled = false
      from messages f
     where f.id = ${id} and m.dialogue_id = f.dialogue_id and m.status = 'scheduled'
       and (m.id = f.id or (m.part_group = f.part_group and m.id < f.id))`.execute(tx);
}

/**
 * Requeue a message, under a new key or that of the earlier try. With the old key the message stays marked as
 * possibly delivered (`unconfirmed_at`): if the vendor no longer recognises the key when the message is claimed, it
 * is not sent. The vendor's id of that try is kept, since its echo may still arrive.
 */
export async function requeueMessageRow(tx: Tx, id: number, keepKey: boolean): Promise<void> {
  await sql`
    update messages set
      status = 'scheduled', scheduled_at = domain_now(), retry_at = null, reason = null, error_code = null, ext_id = null,
      previous_ext_ids = case when ext_id is null then previous_ext_ids else previous_ext_ids || ext_id end,
      attempts = 0, retry_count = retry_count + 1,
      turn = (select d.turn from dialogues d where d.id = messages.dialogue_id),
      unconfirmed_at = case when ${keepKey} then coalesce(unconfirmed_at, clock_timestamp()) end,
      send_key = case when ${keepKey} then send_key else gen_random_uuid() end,
      send_key_used_at = case when ${keepKey} then send_key_used_at end
     where id = ${id}`.execute(tx);
}

/** Mark an unconfirmed message as sent. */
export async function markConfirmedSent(tx: Tx, id: number): Promise<void> {
  await sql`
    update messages set status = 'sent', unconfirmed_at = null, reason = null, sent_at = coalesce(sent_at, domain_now())
     where id = ${id}`.execute(tx);
}

/** Hide a message; the row stays. */
export async function hideMessage(tx: Tx, id: number): Promise<void> {
  await sql`update messages set removed_at = domain_now() where id = ${id}`.execute(tx);
}

/** Return those of the ids that occur in a column of messages of the companies; null: of any company. */
export async function findSourcesOfMessages(
  pool: pg.Pool,
  {
    field,
    ids,
    companies,
  }: {
    field: 'prompt_id' | 'prepared_message_id' | 'ping_config_id';
    ids: readonly number[];
    companies: readonly number[] | null;
  },
): Promise<Set<number>> {
  const scope = companies === null ? '' : ` and ${OF_COMPANIES.replaceAll('$', '$2')}`;
  const { rows } = await pool.query<{ id: number }>({
    ...prepared(`select w.id from unnest($1::bigint[]) as w (id)
                  where exists (select 1 from messages t where t.${field} = w.id and t.removed_at is null${scope})`),
    values: companies === null ? [ids] : [ids, companies],
  });
  return new Set(rows.map((row) => row.id));
}
