/** Rows that follow from the demo's messages: the model's runs behind them, and the first messages' quota. */
import { sql } from 'kysely';
import type { Tx } from '../platform/db.ts';

export const MODEL = { vendor: 'chatgpt', name: 'gpt-4o-mini' };

/**
 * Insert the runs behind messages with a rendered prompt, behind unanswered turns, and behind the classifications of
 * the last 30 days. A token is estimated as four characters.
 */
export async function insertRuns(tx: Tx): Promise<void> {
  await sql`
    insert into llm_runs (product_id, dialogue_id, lead_id, message_id, purpose, name, model_vendor, model_name, error,
                          execution_ms, token_input_usage, token_output_usage, metadata, created_at)
    select r.product_id, r.dialogue_id, c.lead_id, r.message_id, r.purpose, p.name, ${MODEL.vendor}, ${MODEL.name}, r.error,
           240 + r.answer * 4, case when r.error is null then (r.system + h.length) / 4 + 1 end,
           case when r.error is null then r.answer / 4 + 1 end,
           jsonb_build_object('finish', 'stop', 'model', ${MODEL.name}::text, 'system_fingerprint', 'sandbox', 'prompt_id', p.id,
                              'prompt_version', r.version, 'turn', h.turn, 'attempts', case when r.error is null then 1 else 3 end),
           r.at
      from (select product_id, dialogue_id, id as message_id, case origin when 'ping' then 'ping' else 'chatbot' end as purpose,
                   prompt_id, prompt_version as version, null as error, length(rendered_prompt) as system,
                   length(message) as answer, created_at as at
              from messages where rendered_prompt is not null
            union all
            select d.product_id, d.id, null, 'chatbot', p.id, p.version, d.no_answer_detail, 0, 0,
                   d.last_user_msg_at + interval '7 seconds'
              from dialogues d join prompts p on p.product_id = d.product_id and p.type = 'prompt' where d.no_answer is not null
            union all
            select r.product_id, r.dialogue_id, null, 'classification', p.id, p.version, null, length(p.text),
                   length(r.result->>'reason'), r.created_at
              from classification_results r join prompts p on p.product_id = r.product_id
               and (p.type = 'classification' or r.result ? 'confirmed'
                    and p.type = case r.result->>'stage' when 'success' then 'qualification' else 'refusal_qualification' end)
             where r.created_at > domain_now() - interval '30 days') r
      join prompts p on p.id = r.prompt_id join dialogues d on d.id = r.dialogue_id join contacts c on c.id = d.contact_id
      cross join lateral (select coalesce(sum(length(message)), 0) as length, count(*) filter (where side = 'user') as turn
                            from messages where dialogue_id = d.id and created_at < r.at) h
     order by r.at`.execute(tx);
}

/** Record the leads who got a first message, and use up the day's quota by one for each that was not refused. */
export async function insertFirstMessages(tx: Tx): Promise<void> {
  await sql`
    insert into first_messages (product_id, address, lead_id, contact_id, message_id, refused, created_at)
    select m.product_id, c.address, c.lead_id, c.id, m.id, m.status = 'error', m.created_at
      from messages m join contacts c on c.id = m.contact_id where m.origin = 'first'`.execute(tx);
  await sql`
    insert into first_message_quota (product_id, channel_type, day, number, channel_id, message_id, taken_at)
    select m.product_id, c.contact_type, i.day, row_number() over (partition by m.product_id, c.contact_type, i.day order by m.id),
           m.channel_id, m.id, m.scheduled_at
      from messages m join contacts c on c.id = m.contact_id
      cross join lateral (select (m.scheduled_at at time zone 'UTC')::date as day) i
     where m.origin = 'first' and m.status <> 'error'`.execute(tx);
}
