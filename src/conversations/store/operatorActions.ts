/** SQL of operators' actions. */
import { sql } from 'kysely';
import type { Reader, Tx } from '../../platform/db.ts';

export interface ContactRow {
  id: number;
  lead_id: number;
  product_id: number;
  contact: string;
  address: string;
  contact_type: 'telegram' | 'whatsapp';
}

export async function findContact(reader: Reader, id: number): Promise<ContactRow | null> {
  const { rows } = await sql<ContactRow>`
    select id, lead_id, product_id, contact, address, contact_type from contacts where id = ${id}`.execute(reader);
  return rows[0] ?? null;
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

/** Find the dialogue that has an address or a chat id on a channel. */
export async function findDialogueAt(
  reader: Reader,
  channelId: number,
  address: string,
  chatId: string | null = null,
): Promise<{ id: number; contact_id: number } | null> {
  const { rows } = await sql<{ id: number; contact_id: number }>`
    select id, contact_id from dialogues where channel_id = ${channelId} and (address = ${address} or chat_id = ${chatId})
     limit 1`.execute(reader);
  return rows[0] ?? null;
}

/** Make a scheduled message due now, regardless of working hours. */
export async function sendImmediately(tx: Tx, id: number): Promise<void> {
  await sql`
    update messages set scheduled_at = least(scheduled_at, domain_now()), originally_scheduled_at = null, retry_at = null, schedule_enabled = false
     where id = ${id}`.execute(tx);
}

/** Whether the vendor still recognises the key of the message's earlier try (real clock). */
export async function isSendKeyValid(tx: Tx, id: number, keyWindowMs: number): Promise<boolean> {
  const { rows } = await sql<{ known: boolean }>`
    select send_key_used_at > clock_timestamp() - make_interval(secs => ${keyWindowMs / 1000}) as known
      from messages where id = ${id}`.execute(tx);
  return rows[0]?.known ?? false;
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

/** Settle an unconfirmed message as sent. */
export async function markConfirmedSent(tx: Tx, id: number): Promise<void> {
  await sql`
    update messages set status = 'sent', unconfirmed_at = null, reason = null, sent_at = coalesce(sent_at, domain_now())
     where id = ${id}`.execute(tx);
}

/** Hide a message; the row stays. */
export async function hideMessage(tx: Tx, id: number): Promise<void> {
  await sql`update messages set removed_at = domain_now() where id = ${id}`.execute(tx);
}

export async function findUnansweredDialogues(reader: Reader, productId: number): Promise<number[]> {
  const { rows } = await sql<{ id: number }>`
    select id from dialogues where product_id = ${productId} and no_answer is not null order by id`.execute(reader);
  return rows.map((row) => row.id);
}

/** Return the dialogue of a message, hidden or not; 0 if the row is gone. */
export async function findDialogueOfMessage(reader: Reader, messageId: number): Promise<number> {
  const { rows } = await sql<{ dialogue_id: number }>`
    select dialogue_id from messages where id = ${messageId}`.execute(reader);
  return rows[0]?.dialogue_id ?? 0;
}
