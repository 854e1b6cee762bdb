-- Adds messages that were exchanged to the ledger of outcomes: of ours and of leads. What most messages change is added to
-- all leads at once, in the order of leads: another one follows in a conversation, or ours begins a lead's first attempt, one
-- for each lead. The others are counted one by one, which takes several times as long.
create or replace function count_exchanged(ours bigint[], theirs bigint[]) returns void language plpgsql set plan_cache_mode = force_generic_plan as $$
declare
  counted bigint[];
  again bigint[];
  others bigint[];
  stamps smallint[];
  rest messages;
begin
  if cardinality(ours) > 0 then
    with given as (
      select distinct on (c.lead_id) c.lead_id, l.attempt, m.id, m.attempt as stamped, m.author, m.status, m.prompt_id, m.prompt_version,
             coalesce(m.sent_at, m.created_at) as at, m.origin is not distinct from 'first' as is_text,
             m.author = 'bot' and m.turn is not null and m.origin is null as is_answer,
             m.model_vendor || '/' || m.model_name as model, m.channel_id, m.prepared_message_id,
             l.import_id, l.crm_id, l.imported_pipeline_id, l.imported_step_id
        from messages m join contacts c on c.id = m.contact_id join leads l on l.id = c.lead_id
       where m.id = any(ours) and m.ping_step_number is null and m.author <> 'operator'
       order by c.lead_id, coalesce(m.sent_at, m.created_at), m.id
    ), added as (
      update outcomes o set
        last_at = g.at, last_message_id = g.id, last_author = g.author, sent = o.sent + 1,
        last_answer_message_id = case when g.is_answer then g.id else o.last_answer_message_id end,
        last_model = case when g.is_answer then g.model else o.last_model end,
        answers = case when g.is_answer then o.answers || jsonb_build_object(answer_key(g.prompt_id, g.prompt_version, g.model),
                       coalesce((o.answers->>answer_key(g.prompt_id, g.prompt_version, g.model))::int, 0) + 1) else o.answers end
        from given g
       where o.lead_id = g.lead_id and o.attempt = g.attempt and not o.is_stale
         and (o.last_at, o.last_message_id) < (g.at, g.id) and o.written_at is not null
         and (o.replied_at is not null or o.answered_at is null) and (o.text_message_id is not null or not g.is_text)
         and (not g.is_answer or o.answer_message_id is not null
              and (o.last_prompt_id, o.last_prompt_version) is not distinct from (g.prompt_id, g.prompt_version))
         and (g.status = 'sent' or o.read_at is not null and o.delivered_at is not null and o.read_at <= g.at and o.delivered_at <= g.at)
      returning g.id, g.attempt, g.stamped <> g.attempt as is_new_stamp
    ), begun as (
      update outcomes o set
        started_at = g.at, started_by = 'us', first_message_id = g.id, channel_id = g.channel_id,
        source = lead_source(g.import_id, g.crm_id, 'us'), import_id = g.import_id, crm_pipeline_id = g.imported_pipeline_id,
        crm_step_id = g.imported_step_id, last_at = g.at, last_message_id = g.id, last_author = g.author, sent = o.sent + 1,
        written_at = g.at, text_message_id = case when g.is_text then g.id end,
        prepared_message_id = case when g.is_text then g.prepared_message_id end,
        text_prompt_id = case when g.is_text then g.prompt_id end,
        text_prompt_version = case when g.is_text then g.prompt_version end
        from given g
       where o.lead_id = g.lead_id and o.attempt = g.attempt and g.attempt = 1 and not o.is_stale
         and o.started_at is null and not g.is_answer and g.status = 'sent'
      returning g.id, g.attempt, g.stamped <> g.attempt as is_new_stamp
    )
    select array_agg(id), array_agg(id) filter (where is_new_stamp), array_agg(attempt) filter (where is_new_stamp)
      into counted, again, stamps from (select * from added union all select * from begun) as all_of_them;
  end if;
  if cardinality(theirs) > 0 then
    with given as (
      select distinct on (c.lead_id) c.lead_id, l.attempt, m.id, m.attempt as stamped, coalesce(m.sent_at, m.created_at) as at
        from messages m join contacts c on c.id = m.contact_id join leads l on l.id = c.lead_id
       where m.id = any(theirs)
       order by c.lead_id, coalesce(m.sent_at, m.created_at), m.id
    ), added as (
      update outcomes o set last_at = g.at, last_message_id = g.id, received = o.received + 1
        from given g
       where o.lead_id = g.lead_id and o.attempt = g.attempt and not o.is_stale
         and (o.outcome in ('refused', 'ignore', 'failed')) is not true
         and (o.last_at, o.last_message_id) < (g.at, g.id) and o.answered_at is not null and o.language is not null
         and (o.last_step_message_id is null or not exists (
               select from outcome_steps s where s.message_id = o.last_step_message_id and s.answered_at is null))
      returning g.id, g.attempt, g.stamped <> g.attempt as is_new_stamp
    )
    select counted || array_agg(id), again || array_agg(id) filter (where is_new_stamp), stamps || array_agg(attempt) filter (where is_new_stamp)
      into counted, again, stamps from added;
  end if;
  if again is not null then
    update messages m set attempt = a.attempt from unnest(again, stamps) as a (id, attempt) where m.id = a.id;
  end if;
  if coalesce(cardinality(counted), 0) = coalesce(cardinality(ours), 0) + coalesce(cardinality(theirs), 0) then return; end if;
  others := array(select m.id from messages m where m.id = any(ours || theirs) and (m.id = any(counted)) is not true);
  -- All are stamped before one is counted: a recount for one of them counts the others of its lead too, by their stamps.
  for rest in select * from messages m where m.id = any(others) order by coalesce(m.sent_at, m.created_at), m.id loop
    perform stamp_message(rest);
  end loop;
  for rest in select * from messages m where m.id = any(others) order by coalesce(m.sent_at, m.created_at), m.id loop
    perform count_message(rest);
  end loop;
end $$;
