/**
 * SQL of what a dialogue needs from people, as far as it is read from messages and operators. `attention`, `inbox_state` and
 * their times are generated from facts by the database.
 */
import { type RawBuilder, sql } from 'kysely';
import { kindsOfRole } from '../../channels/messageKindContract.ts';
import type { HandOverReason } from '../../leads/lead.ts';
import type { Tx } from '../../platform/db.ts';

/** For `set`, in an update of dialogues `d`: whether the lead still waits after a message queued at `queuedAt` left. */
export const stillWaits = (queuedAt: RawBuilder<unknown>): RawBuilder<unknown> =>
  sql`case when d.waiting_since is not null and d.last_user_msg_at > ${queuedAt} then d.last_user_msg_at end`;

/** Kinds that need nobody if they start no turn. */
const QUIET_KINDS = [...kindsOfRole('turn'), ...kindsOfRole('sign'), ...kindsOfRole('activity')];

/** Set since when the lead waits from the messages: an answer that was scheduled is cancelled, or one that failed removed. */
export async function restoreWaiting(tx: Tx, id: number): Promise<void> {
  await sql`
    update dialogues d set waiting_since = (
      select min(m.thread_at) from messages m
       where m.dialogue_id = d.id and m.side = 'user' and m.kind <> 'system' and m.removed_at is null and m.deleted_at is null
         and not (m.is_sign and m.kind = any(${QUIET_KINDS}::text[]))
         and m.id > coalesce(d.closed_msg_id, 0)
         and not exists (select from messages o where o.dialogue_id = d.id and o.side = 'bot' and o.origin is distinct from 'hand_over'
                            and ((o.status = 'scheduled' and o.author = 'operator')
                                 or (o.status in ('sending', 'sent', 'delivered', 'read', 'unconfirmed') and o.thread_at > m.thread_at))))
     where d.id = ${id} and d.done_at is null`.execute(tx);
}

/**
 * Note that a locked dialogue is handed over to people who do not know of it yet, and assign it to the company's next
 * operator if the product says so. One turn is handed over once.
 */
export async function openHandOver(
  tx: Tx,
  { id, reason, detail }: { id: number; reason: HandOverReason; detail: string | null },
): Promise<void> {
  await sql`
    with handed as materialized (
      select d.id, d.product_id, d.turn, c.lead_id, p.target_minutes,
             coalesce(d.assignee_id, case when p.round_robin then ${NEXT_OPERATOR} end) as assignee_id
        from dialogues d join contacts c on c.id = d.contact_id join products p on p.id = d.product_id where d.id = ${id}
    ), opened as (
      update dialogues d set hand_over_open = true, done_at = null, snoozed_until = null, snoozed_until_reply = false,
             assignee_id = h.assignee_id from handed h where d.id = h.id
    ), event as (
      insert into lead_events (lead_id, product_id, event_type, event_data)
      select lead_id, product_id, 'handed_over', jsonb_build_object('reason', ${reason}::text) from handed
    )
    insert into hand_overs (product_id, dialogue_id, lead_id, turn, reason, detail, assignee_id, due_at)
    select product_id, id, lead_id, turn, ${reason}, ${detail}, assignee_id, domain_now() + make_interval(mins => target_minutes)
      from handed on conflict (dialogue_id, turn) do nothing`.execute(tx);
}

/**
 * The member of the product's company after the one who got its last hand-over; the first one after the last. Nobody if
 * that member is being disabled or removed.
 */
const NEXT_OPERATOR = sql`(
  select o.id from operators o join operator_companies m on m.operator_id = o.id and m.company_id = p.company_id
   where o.is_active
   order by o.id <= coalesce((select h.assignee_id from hand_overs h where h.product_id = p.id and h.assignee_id is not null
                               order by h.id desc limit 1), 0), o.id limit 1 for key share)`;
