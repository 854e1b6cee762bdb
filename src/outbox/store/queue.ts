/** Selects whose message goes next where several dialogues share an account. */
import { sql } from 'kysely';
import type { MessageRow } from '../../conversations/store/tables.ts';
import type { Reader, Tx } from '../../platform/db.ts';

/** True if the dialogue of `m` has a message that is being sent, or unconfirmed for less than two minutes. */
const DIALOGUE_IS_BLOCKED = sql`exists (
  select 1 from messages s
   where s.dialogue_id = m.dialogue_id
     and (s.status = 'sending'
          or (s.status = 'unconfirmed' and s.unconfirmed_at > clock_timestamp() - interval '2 minutes')))`;

/**
 * Return dialogues with a due message that may leave: the oldest of each account first, so that no account starves
 * the others. For an account that sends one message every few minutes it returns the oldest only: of several, the
 * quickest would go first.
 */
export async function findDueDialogues(reader: Reader, limit: number): Promise<number[]> {
  const { rows } = await sql<{ dialogue_id: number }>`
    select dialogue_id from (
      select m.dialogue_id, min(m.scheduled_at) as due, a.next_send_at,
             row_number() over (partition by c.account_id order by min(m.scheduled_at), min(m.id)) as place
        from messages m join channels c on c.id = m.channel_id join vendor_accounts a on a.id = c.account_id
       where m.status = 'scheduled' and m.scheduled_at <= domain_now() and (m.retry_at is null or m.retry_at <= clock_timestamp())
         and c.is_active and (c.paused_until is null or c.paused_until <= clock_timestamp()) and a.key_rejected_reason is null
         and (a.next_send_at is null
              or (a.next_send_at <= domain_now()
                  and not ${DIALOGUE_IS_BLOCKED}))
       group by c.account_id, m.dialogue_id, a.next_send_at) waiting
     where next_send_at is null or place = 1
     order by place, due limit ${limit}`.execute(reader);
  return rows.map((row) => row.dialogue_id);
}

/**
 * Whether an older message of the account may leave: on an account that sends one a minute, the oldest goes first.
 */
export async function hasOlderDueMessage(tx: Tx, accountId: number, message: MessageRow): Promise<boolean> {
  const { rows } = await sql`
    select 1 from messages m join channels c on c.id = m.channel_id
     where c.account_id = ${accountId} and m.status = 'scheduled' and m.dialogue_id <> ${message.dialogue_id}
       and (m.scheduled_at < ${message.scheduled_at} or (m.scheduled_at = ${message.scheduled_at} and m.id < ${message.id}))
       and (m.retry_at is null or m.retry_at <= clock_timestamp())
       and c.is_active and (c.paused_until is null or c.paused_until <= clock_timestamp())
       and not ${DIALOGUE_IS_BLOCKED} limit 1`.execute(tx);
  return rows.length > 0;
}
