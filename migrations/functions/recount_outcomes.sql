-- Recounts the attempts of leads. The rows are locked first: what another transaction has added before is committed
-- when the facts are read, and what it adds afterwards is added to the new count. An attempt that another transaction has
-- begun since then is not locked, and left as that one counts it. Leads whose history is not counted yet are left to the
-- sweep that numbers their attempts.
create or replace function recount_outcomes(leads bigint[]) returns void language plpgsql as $$
declare
  locked bigint[];
  made bigint[];
begin
  locked := array(select o.id from outcomes o where o.lead_id = any(leads) order by o.lead_id, o.attempt for update);
  leads := array(select l from unnest(leads) as l where not exists (select from outcomes o where o.lead_id = l and o.is_stale));
  with inserted as (
    insert into outcomes (lead_id, attempt, product_id)
    select l.id, n, l.product_id from leads l cross join generate_series(2, l.attempt) as n where l.id = any(leads)
    on conflict do nothing returning id
  )
  select array_agg(id) into made from inserted;
  locked := locked || made;
  update outcomes o set
    started_at = f.started_at, started_by = f.started_by, first_message_id = f.first_message_id, channel_id = f.channel_id,
    last_at = f.last_at, last_message_id = f.last_message_id, last_author = f.last_author, sent = f.sent,
    received = f.received, written_at = f.written_at, delivered_at = f.delivered_at, read_at = f.read_at,
    answered_at = f.answered_at, qualified_at = f.qualified_at, ended_at = f.ended_at, outcome = f.outcome,
    ended_by = f.ended_by, refusal_reason = f.refusal_reason, replied_at = f.replied_at, opted_out_at = f.opted_out_at, handed_over_at = f.handed_over_at,
    language = f.language, operator = f.operator, text_message_id = f.text_message_id,
    prepared_message_id = f.prepared_message_id, text_prompt_id = f.text_prompt_id,
    text_prompt_version = f.text_prompt_version, answer_message_id = f.answer_message_id, prompt_id = f.prompt_id,
    prompt_version = f.prompt_version, model = f.model, last_answer_message_id = f.last_answer_message_id,
    last_prompt_id = f.last_prompt_id, last_prompt_version = f.last_prompt_version, last_model = f.last_model,
    answers = f.answers, source = f.source, import_id = f.import_id,
    crm_pipeline_id = f.crm_pipeline_id, crm_step_id = f.crm_step_id, steps_sent = f.steps_sent,
    steps_answered = f.steps_answered, steps_opted_out = f.steps_opted_out, steps = f.steps, last_step_message_id = f.last_step_message_id, cost = f.cost
    from outcome_facts(leads) f where o.lead_id = f.lead_id and o.attempt = f.attempt and o.id = any(locked);
  delete from outcome_steps s using outcomes o
   where s.lead_id = any(leads) and o.lead_id = s.lead_id and o.attempt = s.attempt and o.id = any(locked);
  insert into outcome_steps (message_id, lead_id, attempt, product_id, ping_config_id, step, sent_at, answered_at, opted_out, prepared_message_id)
  select f.* from follow_up_facts(leads) f join outcomes o on o.lead_id = f.lead_id and o.attempt = f.attempt where o.id = any(locked);
end $$;
