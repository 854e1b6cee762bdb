/** SQL of delivery reports: find the message that is meant, and advance its status. */
import { sql } from 'kysely';
import type { MessageRow } from '../../conversations/store/tables.ts';
import type { Reader, Tx } from '../../platform/db.ts';
import { release } from '../../platform/lease.ts';

const STATUS_RANK = { sent: 1, delivered: 2, read: 3 } as const;

/** Advance a message's status, which only rises; an error counts only before delivery. Returns whether it changed. */
export async function advanceStatus(
  tx: Tx,
  {
    id,
    status,
    at,
    error,
  }: {
    id: number;
    status: 'sent' | 'delivered' | 'read' | 'error';
    at: string | null;
    error: { code: string | null; reason: string | null };
  },
): Promise<boolean> {
  if (status === 'error') {
    const { rows } = await sql`
      update messages set status = 'error', reason = coalesce(${error.reason}, 'The vendor could not deliver it'), error_code = ${error.code},
             ${release()}
       where id = ${id} and status in ('sending', 'sent', 'unconfirmed') returning id`.execute(tx);
    return rows.length > 0;
  }
  const rank = STATUS_RANK[status];
  const { rows } = await sql`
    update messages set
      status = ${status}, ${release()}, unconfirmed_at = null, retry_at = null, reason = null, error_code = null,
      sent_at = coalesce(sent_at, ${at}::timestamptz, domain_now()),
      sent_confirmation_at = case when ${rank} >= 2 then coalesce(sent_confirmation_at, ${at}::timestamptz, domain_now()) else sent_confirmation_at end,
      read_at = case when ${rank} = 3 then coalesce(read_at, ${at}::timestamptz, domain_now()) else read_at end
     where id = ${id}
       and case status when 'sent' then 1 when 'delivered' then 2 when 'read' then 3 when 'sending' then 0 when 'unconfirmed' then 0
                       when 'scheduled' then (case when unconfirmed_at is not null then 0 else 9 end)
                       when 'error' then (case when ${rank} >= 2 then 0 else 9 end) else 9 end < ${rank}
     returning id`.execute(tx);
  return rows.length > 0;
}

/** Find and lock the message with a vendor's id within the account. */
export async function findMessageByExternalId(tx: Tx, accountId: number, extId: string): Promise<MessageRow | null> {
  const { rows } = await sql<MessageRow>`
    select m.* from messages m join channels c on c.id = m.channel_id
     where m.ext_id = ${extId} and c.account_id = ${accountId} for update of m`.execute(tx);
  return rows[0] ?? null;
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
): Promise<MessageRow | null> {
  const { rows } = await sql<MessageRow>`
    select * from messages
     where dialogue_id = ${dialogueId} and ext_id is null and side = 'bot' and message = ${text}
       and (status in ('sending', 'sent', 'unconfirmed') or (status = 'scheduled' and unconfirmed_at is not null))
       and send_key_used_at > clock_timestamp() - interval '30 minutes'
     order by status = 'sending' desc, send_key_used_at desc, id desc limit 1 for update`.execute(tx);
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

/** Mark that the vendor found no recipient at the address; the message remains to be settled. */
export async function setRecipientNotFound(tx: Tx, id: number): Promise<void> {
  await sql`update messages set recipient_not_found = true where id = ${id}`.execute(tx);
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
