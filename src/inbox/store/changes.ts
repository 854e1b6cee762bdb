/** SQL of edits and deletions: the message that is meant, and what was decided. */
import { type RawBuilder, sql } from 'kysely';
import { recentBefore } from '../../conversations/store/messages.ts';
import type { Tx } from '../../platform/db.ts';
import type { ChangeDecision, ChangedMessage } from '../decideChange.ts';

export interface MessageToChange extends ChangedMessage {
  readonly id: number;
  readonly product_id: number;
  readonly dialogue_id: number;
  readonly contact_id: number;
  readonly lead_id: number;
  readonly thread_at: string;
  /** Whether lists show it: nothing newer was exchanged. */
  readonly is_newest: boolean;
}

/** Whether a message of ours has left that answers message `m` of a lead, or came after it was last changed. */
const isAnswered = (m: string): RawBuilder<boolean> => sql`
  exists (select from messages o
           where o.dialogue_id = ${sql.ref(`${m}.dialogue_id`)} and o.side = 'bot' and o.origin is distinct from 'hand_over'
             and o.deleted_at is null and o.status in ('sending', 'sent', 'delivered', 'read', 'unconfirmed')
             and case when ${sql.ref(`${m}.restated_at`)} is not null then o.thread_at > ${sql.ref(`${m}.restated_at`)}
                      when o.reply_on_msg_id is not null then o.reply_on_msg_id >= ${sql.ref(`${m}.id`)}
                      else o.thread_at > ${sql.ref(`${m}.thread_at`)} end)`;

/** Lock the message with a vendor's id within the account, and load what deciding about its change needs; null: none. */
export async function lockMessageToChange(
  tx: Tx,
  { accountId, extId }: { accountId: number; extId: string },
): Promise<MessageToChange | null> {
  const { rows } = await sql<MessageToChange>`
    select m.id, m.product_id, m.dialogue_id, m.contact_id, l.id as lead_id, m.side, m.author, m.message, m.kind, m.is_sign, m.edited_at, m.deleted_at,
           m.earlier_texts, m.thread_at, (extract(epoch from domain_now() - m.thread_at) * 1000)::float8 as age_ms,
           ${isAnswered('m')} as is_answered,
           not exists (select from messages o where o.dialogue_id = m.dialogue_id and o.side = 'user' and o.kind <> 'system'
                          and o.deleted_at is null and (o.thread_at, o.id) > (m.thread_at, m.id)) as is_last,
           exists (select from messages w where w.dialogue_id = m.dialogue_id and w.id <> m.id and w.side = 'user' and w.kind <> 'system'
                      and not w.is_sign and w.deleted_at is null and w.thread_at > domain_now() - interval '24 hours'
                      and not ${isAnswered('w')}) as others_wait,
           d.turn_due_at is not null or exists (select from messages o where o.dialogue_id = d.id and o.status = 'scheduled' and o.author = 'bot'
                                                   and o.reply_on_msg_id is not null and o.ping_step_number is null) as is_answer_pending,
           (select n.id from messages n where n.dialogue_id = d.id and n.removed_at is null
               and n.status not in ('cancelled', 'scheduled', 'sending', 'error') order by n.thread_at desc, n.id desc limit 1) = m.id as is_newest,
           d.owner, p.is_active as is_product_active, ${recentBefore(sql`m.dialogue_id`, sql`m.id`)} as recent,
           json_build_object('stage', l.stage, 'is_active', l.is_active,
                             'recognized_deactivation_request', l.recognized_deactivation_request) as lead
      from messages m join channels h on h.id = m.channel_id join dialogues d on d.id = m.dialogue_id
      join contacts c on c.id = d.contact_id join leads l on l.id = c.lead_id join products p on p.id = d.product_id
     where m.ext_id = ${extId} and h.account_id = ${accountId} for update of m`.execute(tx);
  return rows[0] ?? null;
}

/** Store the new columns of a message. */
export async function changeMessage(
  tx: Tx,
  id: number,
  { change, at }: { change: NonNullable<ChangeDecision['message']>; at: string },
): Promise<void> {
  await sql`
    update messages set message = ${change.message}, earlier_texts = ${JSON.stringify(change.earlier_texts)}::jsonb,
           edited_at = ${change.edited_at}, deleted_at = ${change.deleted_at}, is_sign = ${change.is_sign},
           restated_at = case when ${change.isRestated} then greatest(domain_now(), ${at}::timestamptz) else restated_at end
     where id = ${id}`.execute(tx);
}
