/**
 * Messages whose final status the vendor has not reported: polled by the vendor's id, matched by our key. Real clock.
 */
import { sql } from 'kysely';
import type { ChannelVendor } from '../../channels/contract.ts';
import type { Reader } from '../../platform/db.ts';

/** Messages older than this are polled no more: a read after that is not awaited. */
const MAX_AGE_HOURS = 48;
/** Most messages claimed for one account at once. */
const MAX_PER_ACCOUNT = 20;

export interface PolledMessage {
  readonly id: number;
  readonly extId: string;
}

const MESSAGES_TO_POLL = sql`
  messages m join channels c on c.id = m.channel_id join vendor_accounts a on a.id = c.account_id
   where m.status_due_at <= statement_timestamp() and a.key_rejected_reason is null`;

export const STATUSES_DUE_IN = sql<number | null>`select 0 from ${MESSAGES_TO_POLL} order by m.status_due_at limit 1`;

/** Return the accounts with messages due for polling. */
export async function findAccountsToPoll(reader: Reader): Promise<{ account_id: number; vendor: ChannelVendor }[]> {
  const { rows } = await sql<{ account_id: number; vendor: ChannelVendor }>`
    select distinct c.account_id, c.vendor from ${MESSAGES_TO_POLL}`.execute(reader);
  return rows;
}

/**
 * Claim an account's messages that are due for polling. Intervals grow with the message's age; messages with a final
 * status, too old, or without an id are not polled again. WhatsApp messages that were delivered are not polled
 * either, since the vendor then reports by itself.
 */
export async function claimMessagesToPoll(
  reader: Reader,
  accountId: number,
  seconds: number,
): Promise<PolledMessage[]> {
  const { rows } = await sql<{ id: number; ext_id: string | null; due: string | null; status: string }>`
    update messages m
       set status_due_at = case
             when m.ext_id is null or m.status not in ('sent', 'delivered') then null
             when m.status = 'delivered' and c.channel_type = 'whatsapp' then null
             when m.send_key_used_at < clock_timestamp() - make_interval(hours => ${MAX_AGE_HOURS}) then null
             else clock_timestamp() + greatest(make_interval(secs => ${seconds}),
                                               least((clock_timestamp() - m.send_key_used_at) / 2, interval '1 hour')) end
      from channels c
     where c.id = m.channel_id and m.id in (
       select n.id from messages n join channels h on h.id = n.channel_id
        where n.status_due_at <= clock_timestamp() and h.account_id = ${accountId}
        order by n.status_due_at limit ${MAX_PER_ACCOUNT} for update of n skip locked)
     returning m.id, m.ext_id, m.status_due_at as due, m.status`.execute(reader);
  return rows.flatMap((row) => (row.due !== null && row.ext_id !== null ? [{ id: row.id, extId: row.ext_id }] : []));
}

/** Find a message by our key, if its vendor id is unknown. Returns its id. */
export async function findMessageBySendKey(reader: Reader, accountId: number, key: string): Promise<number | null> {
  if (!/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(key)) return null;
  const { rows } = await sql<{ id: number }>`
    select m.id from messages m join channels c on c.id = m.channel_id
     where m.send_key = ${key}::uuid and m.ext_id is null and m.status in ('sending', 'unconfirmed')
       and c.account_id = ${accountId}`.execute(reader);
  return rows[0]?.id ?? null;
}
