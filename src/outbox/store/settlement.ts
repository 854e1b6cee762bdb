/** SQL of settled sends: many at once, each kind of outcome in one statement. */
import { sql } from 'kysely';
import { OUTBOX_SWEEP } from '../../conversations/queueMessages.ts';
import { stillWaits } from '../../conversations/store/attention.ts';
import { REPORTS_SWEEP } from '../../inbox/store/items.ts';
import type { Tx } from '../../platform/db.ts';
import { release } from '../../platform/lease.ts';
import { SWEEP_CHANNEL, takeNotifications } from '../../platform/notifications.ts';
import { idList } from '../../platform/statements.ts';

/** A message that the vendor accepted under an id. */
export interface AcceptedMessage {
  readonly id: number;
  readonly dialogue_id: number;
  readonly channel_id: number;
  readonly account_id: number;
  readonly ext_id: string;
  /** The vendor's id of the chat, if it reports one. */
  readonly chat_id: string | null;
  readonly preview: string;
  /** Seconds until the vendor is asked for the delivery status; null: it reports by itself. Real clock. */
  readonly poll_after: number | null;
}

/** The domain clock, read once for all rows. */
const NOW = sql`(select domain_now())`;

/**
 * Whether another row of the channel has the vendor's id of message `g`. Tested for being not true: the planner then expects
 * it of half of the rows, and joins what is left with messages once, not once for each row.
 */
const IS_TAKEN = sql`exists (select 1 from messages o where o.channel_id = g.channel_id and o.ext_id = g.ext_id and o.id <> g.id)`;

/**
 * Mark messages accepted by the vendor, and note it in their dialogues. What the vendor has reported of them before is
 * applied next. A message whose status has risen meanwhile only gets its id. Messages are left out whose id another row
 * of the channel has: an echo that was taken for a message sent by others. The next message of each dialogue may be due
 * then. Sends the notifications of the transaction, which makes their leads due: the changes of dialogues do not. Returns
 * each message that was marked, and whether it was still being sent.
 *
 * Only the first part has the list of ids: the planner expects one row of it, and would go through the list for each.
 */
export async function markAllAccepted(
  tx: Tx,
  messages: readonly AcceptedMessage[],
): Promise<{ id: number; was_sending: boolean; has_failed: boolean }[]> {
  const { rows } = await sql<{ id: number; was_sending: boolean; has_failed: boolean }>`
    with given as materialized (
      select g.*, m.status in ('sending', 'unconfirmed') as was_sending, m.status = 'error' as has_failed, m.created_at as queued_at,
             (select set_config('rapport.saves_plan', 'on', true))
        from jsonb_to_recordset(${JSON.stringify(messages)}::jsonb) as g (id bigint, dialogue_id bigint, channel_id bigint,
               account_id bigint, ext_id text, chat_id text, preview text, poll_after float8)
        join messages m on m.id = g.id
       where m.id = any(${idList(messages.map(({ id }) => id))})
         and (${IS_TAKEN}) is not true
       order by g.id for update of m
    ), marked as (
      update messages m set
        status = case when g.was_sending then 'sent' else m.status end,
        sent_at = case when g.was_sending then coalesce(m.sent_at, ${NOW}) else m.sent_at end,
        thread_at = case when g.was_sending then ${NOW} else m.thread_at end,
        ext_id = case when g.was_sending then g.ext_id else coalesce(m.ext_id, g.ext_id) end,
        ${release()},
        unconfirmed_at = case when g.was_sending then null else m.unconfirmed_at end,
        reason = case when g.was_sending then null else m.reason end,
        error_code = case when g.was_sending then null else m.error_code end,
        status_due_at = case when g.poll_after is not null and not g.has_failed
                             then clock_timestamp() + make_interval(secs => g.poll_after) else m.status_due_at end
        from given g where m.id = g.id
    ), noted as (
      update dialogues d set
        last_bot_msg_id = g.id, last_message = g.preview, last_msg_created_at = ${NOW},
        waiting_since = ${stillWaits(sql`g.queued_at`)},
        chat_id = case when d.chat_id is null and g.chat_id is not null
                        and not exists (select 1 from dialogues o where o.channel_id = d.channel_id and o.chat_id = g.chat_id)
                       then g.chat_id else d.chat_id end
        from (select distinct on (dialogue_id) * from given order by dialogue_id, id desc) as g
       where d.id = g.dialogue_id
    ), woken as (
      update inbox i set state = 'new', retry_at = null, parked_until = null, attempts = 0
       where i.id = any(array(select o.id from inbox o join given g on o.account_id = g.account_id and o.ext_id = g.ext_id
                               where o.state = 'parked' for update of o skip locked))
      returning i.id
    ), notified as (
      select pg_notify(${SWEEP_CHANNEL}, name) from (
        select ${REPORTS_SWEEP} as name where exists (select 1 from woken)
        union all select ${OUTBOX_SWEEP} where exists (
          select 1 from messages m join given g using (dialogue_id) where m.status = 'scheduled')) as sweeps
      union all ${takeNotifications(tx)}
    )
    select id, was_sending, has_failed, (select count(*) from notified) as notified from given`.execute(tx);
  return rows;
}
