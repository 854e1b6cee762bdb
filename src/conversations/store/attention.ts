/**
 * SQL of what a dialogue needs from people, as far as it is read from messages and operators. `attention`, `inbox_state` and
 * their times are generated from facts by the database.
 */
import { sql } from 'kysely';
import { kindsOfRole } from '../../channels/messageKindContract.ts';
import type { HandOverReason } from '../../leads/lead.ts';
import type { Tx } from '../../platform/db.ts';

/** Kinds that need nobody if they start no turn. */
const QUIET_KINDS = [...kindsOfRole('turn'), ...kindsOfRole('sign'), ...kindsOfRole('activity')];

/**
 * Return since when the lead waits, by the messages of a dialogue; null: it waits for nothing. An answer that was scheduled is
 * cancelled, or one that failed is removed.
 */
export async function findWaitingSince(tx: Tx, id: number): Promise<string | null> {
  const { rows } = await sql<{ since: string | null }>`
    select min(m.thread_at) as since from dialogues d join messages m on m.dialogue_id = d.id
     where d.id = ${id} and m.side = 'user' and m.kind <> 'system' and m.removed_at is null and m.deleted_at is null
       and not (m.is_sign and m.kind = any(${QUIET_KINDS}::text[]))
       and m.id > coalesce(d.closed_msg_id, 0)
       and not exists (select from messages o where o.dialogue_id = d.id and o.side = 'bot' and o.origin is distinct from 'hand_over'
                          and ((o.status = 'scheduled' and o.author = 'operator')
                               or (o.status in ('sending', 'sent', 'delivered', 'read', 'unconfirmed') and o.thread_at > m.thread_at)))`.execute(
    tx,
  );
  return rows[0]?.since ?? null;
}

/** Whom a hand-over of a dialogue falls to: the company's next operator if its product says so; null: nobody. */
export async function findNextOperator(tx: Tx, dialogueId: number): Promise<number | null> {
  const { rows } = await sql<{ id: number | null }>`
    select ${NEXT_OPERATOR} as id from dialogues d join products p on p.id = d.product_id
     where d.id = ${dialogueId} and d.assignee_id is null and p.round_robin`.execute(tx);
  return rows[0]?.id ?? null;
}

/** Record that a dialogue was handed over to people who do not know of it yet. One turn is handed over once. */
export async function recordHandOver(
  tx: Tx,
  { id, reason, detail }: { id: number; reason: HandOverReason; detail: string | null },
): Promise<void> {
  await sql`
    with handed as materialized (
      select d.id, d.product_id, d.turn, c.lead_id, d.assignee_id, p.target_minutes
        from dialogues d join contacts c on c.id = d.contact_id join products p on p.id = d.product_id where d.id = ${id}
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
