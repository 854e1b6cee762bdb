-- Counts the attempts of leads from their messages, events and runs. The ledger must have the same rows.
create or replace function outcome_facts(leads bigint[]) returns table (
  lead_id bigint, attempt smallint, started_at timestamptz, started_by text, first_message_id bigint, channel_id bigint,
  last_at timestamptz, last_message_id bigint, last_author text, sent integer, received integer,
  written_at timestamptz, delivered_at timestamptz, read_at timestamptz, answered_at timestamptz, qualified_at timestamptz,
  ended_at timestamptz, outcome text, ended_by text, replied_at timestamptz, opted_out_at timestamptz,
  handed_over_at timestamptz, language text, operator text, text_message_id bigint, prepared_message_id bigint,
  text_prompt_id bigint, text_prompt_version integer, answer_message_id bigint, prompt_id bigint, prompt_version integer,
  model text, last_answer_message_id bigint, last_prompt_id bigint, last_prompt_version integer, last_model text,
  answers jsonb, steps integer, last_step_message_id bigint, cost numeric, source text, import_id bigint,
  steps_sent bigint, steps_answered bigint, steps_opted_out bigint, crm_pipeline_id bigint, crm_step_id bigint,
  refusal_reason text
) language sql stable as $$
  with exchanged as materialized (
    select c.lead_id, m.*, coalesce(m.sent_at, m.created_at) as at, m.model_vendor || '/' || m.model_name as model,
           m.author = 'bot' and m.turn is not null and m.origin is null as is_answer,
           min(coalesce(m.sent_at, m.created_at)) filter (where m.side = 'user') over (partition by c.lead_id, m.attempt) as answered_at
      from contacts c join dialogues d on d.contact_id = c.id join messages m on m.dialogue_id = d.id
     where c.lead_id = any(leads) and is_exchanged(m.side, m.kind, m.status)
  ), said as (
    select e.lead_id, e.attempt, min(at) as started_at,
           case (array_agg(side order by at, id))[1] when 'user' then 'lead' else 'us' end as started_by,
           (array_agg(id order by at, id))[1] as first_message_id, (array_agg(channel_id order by at, id))[1] as channel_id,
           max(at) as last_at, (array_agg(id order by at desc, id desc))[1] as last_message_id,
           (array_agg(author order by at desc, id desc) filter (where side = 'bot'))[1] as last_author,
           count(*) filter (where side = 'bot')::int as sent, count(*) filter (where side = 'user')::int as received,
           min(at) filter (where side = 'bot') as written_at,
           min(coalesce(sent_confirmation_at, at)) filter (where side = 'bot' and status in ('delivered', 'read')) as delivered_at,
           min(coalesce(read_at, at)) filter (where side = 'bot' and status = 'read') as read_at,
           min(e.answered_at) as answered_at, min(at) filter (where side = 'bot' and at > e.answered_at) as replied_at,
           (array_agg(language_of(message) order by at, id) filter (where side = 'user' and language_of(message) is not null))[1] as language,
           (array_agg(operator order by at desc, id desc) filter (where author = 'operator' and operator is not null))[1] as operator,
           (array_agg(id order by at, id) filter (where origin = 'first'))[1] as text_message_id,
           (array_agg(id order by at, id) filter (where is_answer))[1] as answer_message_id,
           (array_agg(id order by at desc, id desc) filter (where is_answer))[1] as last_answer_message_id,
           count(*) filter (where ping_step_number is not null)::int as steps,
           (array_agg(id order by at desc, id desc) filter (where ping_step_number is not null))[1] as last_step_message_id
      from exchanged e group by e.lead_id, e.attempt
  ), answers as (
    select a.lead_id, a.attempt, jsonb_object_agg(a.key, a.count) as answers
      from (select e.lead_id, e.attempt, answer_key(prompt_id, prompt_version, model) as key, count(*) as count from exchanged e
             where is_answer group by 1, 2, 3) as a group by 1, 2
  ), events as (
    select v.lead_id, v.attempt,
           min(created_at) filter (where event_type = 'deactivated' and is_opt_out(event_data)) as opted_out_at,
           min(created_at) filter (where event_type = 'handed_over') as handed_over_at,
           min(created_at) filter (where event_type = 'stage_changed' and event_data->>'to' in ('pending', 'success')
                                     and v.id > coalesce(v.back_id, 0)) as qualified_at,
           max(v.id) filter (where event_type = 'stage_changed') as stage_id
      from (select e.*, max(e.id) filter (where event_type = 'stage_changed' and event_data->>'to' in ('initial', 'started', 'ongoing'))
                          over (partition by e.lead_id, e.attempt) as back_id
              from lead_events e where e.lead_id = any(leads)) as v
     group by v.lead_id, v.attempt
  ), ends as (
    select e.lead_id, e.attempt, e.event_data->>'to' as outcome, e.created_at as ended_at, e.event_data->>'by' as ended_by,
           case when e.event_data->>'to' = 'refused' then refusal_reason(e.event_data) end as refusal_reason
      from events v join lead_events e on e.id = v.stage_id
     where e.event_data->>'to' in ('success', 'refused', 'ignore', 'failed')
  ), runs as (
    select r.lead_id, r.attempt, sum(r.cost) as cost from llm_runs r
     where r.lead_id = any(leads) and r.cost is not null group by 1, 2
  ), follow_ups as (
    select f.lead_id, f.attempt, bit_or(1::bigint << (step - 1)) as sent,
           bit_or(1::bigint << (step - 1)) filter (where f.answered_at is not null) as answered,
           bit_or(1::bigint << (step - 1)) filter (where opted_out) as opted_out
      from follow_up_facts(leads) f group by 1, 2
  )
  select l.id, n.attempt::smallint, s.started_at, s.started_by, s.first_message_id, s.channel_id, s.last_at, s.last_message_id, s.last_author,
         coalesce(s.sent, 0), coalesce(s.received, 0), s.written_at, s.delivered_at, s.read_at, s.answered_at,
         v.qualified_at, z.ended_at, z.outcome, z.ended_by,
         s.replied_at, v.opted_out_at, v.handed_over_at, s.language, s.operator, s.text_message_id, f.prepared_message_id,
         f.prompt_id, f.prompt_version, s.answer_message_id, a.prompt_id, a.prompt_version, a.model_vendor || '/' || a.model_name,
         s.last_answer_message_id, b.prompt_id, b.prompt_version, b.model_vendor || '/' || b.model_name,
         coalesce(w.answers, '{}'), coalesce(s.steps, 0), s.last_step_message_id, coalesce(r.cost, 0),
         case when s.started_at is not null then lead_source(l.import_id, l.crm_id, i.started_by) end,
         case when s.started_at is not null then l.import_id end,
         coalesce(u.sent, 0), coalesce(u.answered, 0), coalesce(u.opted_out, 0),
         case when s.started_at is not null then l.imported_pipeline_id end, case when s.started_at is not null then l.imported_step_id end,
         z.refusal_reason
    from leads l cross join lateral generate_series(1, l.attempt) as n (attempt)
    left join said s on s.lead_id = l.id and s.attempt = n.attempt
    left join said i on i.lead_id = l.id and i.attempt = 1
    left join follow_ups u on u.lead_id = l.id and u.attempt = n.attempt
    left join answers w on w.lead_id = l.id and w.attempt = n.attempt
    left join events v on v.lead_id = l.id and v.attempt = n.attempt
    left join ends z on z.lead_id = l.id and z.attempt = n.attempt
    left join runs r on r.lead_id = l.id and r.attempt = n.attempt
    -- By their keys: the planner expects a thousand attempts of each lead, and read all of some ten thousand messages for them.
    left join lateral (select m.* from messages m where m.id = s.text_message_id offset 0) f on true
    left join lateral (select m.* from messages m where m.id = s.answer_message_id offset 0) a on true
    left join lateral (select m.* from messages m where m.id = s.last_answer_message_id offset 0) b on true
   where l.id = any(leads)
$$;
