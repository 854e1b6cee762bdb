/**
 * SQL of what a dialogue needs from people. Only facts are written here: `attention`, `inbox_state` and their times are
 * generated from them by the database.
 */
import { type RawBuilder, sql } from 'kysely';
import type { HandOverReason } from '../../leads/lead.ts';
import type { Tx } from '../../platform/db.ts';

/** For `set`, in an update of dialogues `d`: whether the lead still waits after a message queued at `queuedAt` left. */
export const stillWaits = (queuedAt: RawBuilder<unknown>): RawBuilder<unknown> =>
  sql`case when d.waiting_since is not null and d.last_user_msg_at > ${queuedAt} then d.last_user_msg_at end`;

/** For `set`: a person has seen to the dialogue. */
export const SEEN_TO = sql`waiting_since = null, hand_over_open = false, failed_since = null, unconfirmed_since = null,
  snoozed_until = null, snoozed_until_reply = false`;

/**
 * Note that a person has written. In a dialogue of people the operator becomes the assignee if there is none, and the one
 * who is replying if another person was; why the bot handed over stays. What the bot could not answer is answered, unless the bot still will. `operator`: null for one who wrote
 * from the phone.
 */
export async function recordHumanMessage(
  tx: Tx,
  id: number,
  operator: { readonly id: number; readonly login: string } | null,
): Promise<void> {
  const { id: operatorId, login } = operator ?? { id: null, login: null };
  const replies = sql`owner = 'human' and owner_reason in ('phone', 'operator')
                      and ${login}::text is not null and owner_reason_detail is distinct from ${login}::text`;
  await sql`update dialogues set ${SEEN_TO}, done_at = null, human_at = domain_now(),
                    no_answer = case when turn_due_at is not null then no_answer end,
                    no_answer_detail = case when turn_due_at is not null then no_answer_detail end,
                    assignee_id = case when owner = 'human' then coalesce(assignee_id, ${operatorId}::bigint) else assignee_id end,
                    owner_since = case when ${replies} then domain_now() else owner_since end,
                    owner_reason = case when ${replies} then 'operator' else owner_reason end,
                    owner_reason_detail = case when ${replies} then ${login}::text else owner_reason_detail end
             where id = ${id}`.execute(tx);
}

/** Note that the dialogues of a lead need nobody any more: the lead has left. */
export async function endAttentionOfLead(tx: Tx, leadId: number): Promise<void> {
  await sql`
    update dialogues d set ${SEEN_TO}, no_answer = null, no_answer_detail = null from contacts c
     where c.id = d.contact_id and c.lead_id = ${leadId}
       and (d.attention is not null or d.waiting_since is not null or d.inbox_state = 'snoozed')`.execute(tx);
}

/** Set since when the lead waits from the messages: an answer that was scheduled is cancelled, or one that failed removed. */
export async function restoreWaiting(tx: Tx, id: number): Promise<void> {
  await sql`
    update dialogues d set waiting_since = (
      select min(m.thread_at) from messages m
       where m.dialogue_id = d.id and m.side = 'user' and m.kind <> 'system' and m.removed_at is null
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
