/** SQL of delivery reports: find the message that is meant. */
import { sql } from 'kysely';
import type { MessageRow } from '../../conversations/store/tables.ts';
import type { Reader, Tx } from '../../platform/db.ts';

/** Find the message with a vendor's id within the account. Returns its id. */
export async function findMessageByExternalId(
  reader: Reader,
  accountId: number,
  extId: string,
): Promise<number | null> {
  const { rows } = await sql<{ id: number }>`
    select m.id from messages m join channels c on c.id = m.channel_id
     where m.ext_id = ${extId} and c.account_id = ${accountId}`.execute(reader);
  return rows[0]?.id ?? null;
}

/** Find the message that had this vendor's id in an earlier try, within the account. */
export async function findMessageByEarlierExternalId(
  reader: Reader,
  accountId: number,
  extId: string,
): Promise<MessageRow | null> {
  const { rows } = await sql<MessageRow>`
    select m.* from messages m join channels c on c.id = m.channel_id
     where m.previous_ext_ids @> array[${extId}::text] and m.previous_ext_ids <> '{}' and c.account_id = ${accountId}`.execute(
    reader,
  );
  return rows[0] ?? null;
}

/**
 * Find a message of ours with this text in this dialogue whose vendor id is unknown; it may be the reported one.
 * It may wait to be sent again. Prefers one that is being sent, else the one tried last: a report follows its send
 * quickly, and a message tried minutes before without any report has most likely not arrived.
 */
export async function findMessageWithoutExternalId(
  tx: Tx,
  dialogueId: number,
  text: string,
): Promise<Pick<MessageRow, 'id' | 'status'> | null> {
  const { rows } = await sql<Pick<MessageRow, 'id' | 'status'>>`
    select id, status from messages
     where dialogue_id = ${dialogueId} and ext_id is null and side = 'bot' and message = ${text}
       and (status in ('sending', 'sent', 'unconfirmed') or (status = 'scheduled' and unconfirmed_at is not null))
       and send_key_used_at > clock_timestamp() - interval '30 minutes'
     order by status = 'sending' desc, send_key_used_at desc, id desc limit 1`.execute(tx);
  return rows[0] ?? null;
}

/** Whether a message of the dialogue is being sent. */
export async function hasMessageSending(tx: Tx, dialogueId: number): Promise<boolean> {
  const { rows } = await sql<{ there: boolean }>`
    select exists (select 1 from messages where dialogue_id = ${dialogueId} and status = 'sending') as there`.execute(
    tx,
  );
  return rows[0]?.there ?? false;
}

/** Clear the mark and lock the message; null if another process has cleared it. */
export async function clearRecipientNotFound(tx: Tx, id: number): Promise<MessageRow | null> {
  const { rows } = await sql<MessageRow>`
    update messages set recipient_not_found = false where id = ${id} and recipient_not_found returning *`.execute(tx);
  return rows[0] ?? null;
}

export const RECIPIENTS_DUE_IN = sql<
  number | null
>`select 0 from messages where recipient_not_found order by id limit 1`;

/** Return messages without a recipient that are not settled yet. */
export async function findRecipientsNotFound(reader: Reader, limit: number): Promise<number[]> {
  const { rows } = await sql<{ id: number }>`
    select id from messages where recipient_not_found order by id limit ${limit}`.execute(reader);
  return rows.map((row) => row.id);
}
