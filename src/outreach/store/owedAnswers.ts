/** SQL of what we owe a lead, and when it was last answered: expiry counts from there. */
import { type RawBuilder, sql } from 'kysely';

/**
 * When the last message of the lead in dialogue `o` was answered: when the last message of ours after it was sent that is
 * no follow-up, since an answer may have parts. One that the bot had written before it is no answer to it. People may have
 * closed it without one.
 */
export const ANSWER_TO_LAST = sql`
  select case when o.closed_msg_id >= o.last_user_msg_id then o.closed_at else (
    select max(m.thread_at) from messages m
     where m.dialogue_id = o.id and m.side = 'bot' and m.status in ('sent', 'delivered', 'read')
       and (m.thread_at, m.id) > (o.last_user_msg_at, o.last_user_msg_id)
       and m.ping_step_number is null and m.origin is distinct from 'hand_over'
       and (m.author <> 'bot' or m.turn is null or m.turn >= o.turn)) end as at
   where o.last_user_msg_id is not null`;

/**
 * True if a message `w` of dialogue `d` that meets a condition is scheduled or being sent. Two questions, since one of both
 * statuses fits no index and reads the whole dialogue.
 */
export const isWaiting = (d: string, condition = 'true'): RawBuilder<boolean> =>
  sql.raw(
    `(${['scheduled', 'sending']
      .map(
        (status) =>
          `exists (select from messages w where w.dialogue_id = ${d}.id and w.status = '${status}' and ${condition})`,
      )
      .join(' or ')})`,
  );

/** True if an answer is owed in dialogue `o`: it is unanswered, or what answers it is being written or waits to be sent. */
export const OWES_ANSWER = sql`
  (o.last_user_msg_id is not null and answer.at is null) or o.turn_due_at is not null
   or ${isWaiting('o', 'w.ping_step_number is null')}`;
