-- Keeps what a row of the ledger says in another form: what has been reached as bits, two durations, and its origin and
-- course, of which new ones are stored. Generated columns, checks and a condition of the trigger would be parsed for every
-- statement that changes a row: with them the ledger took twice as long.
create or replace function classify_outcome() returns trigger language plpgsql as $$
declare
  is_new boolean := tg_op = 'INSERT';
  wanted text;
begin
  if is_new or
      row(new.written_at, new.delivered_at, new.read_at, new.answered_at, new.replied_at, new.qualified_at,
        new.opted_out_at, new.handed_over_at, new.outcome)
      is distinct from
      row(old.written_at, old.delivered_at, old.read_at, old.answered_at, old.replied_at, old.qualified_at,
        old.opted_out_at, old.handed_over_at, old.outcome)
  then
    new.reached := (new.written_at is not null)::int + (new.delivered_at is not null)::int * 2
      + (new.read_at is not null)::int * 4 + (new.answered_at is not null)::int * 8 + (new.qualified_at is not null)::int * 16
      + case new.outcome when 'success' then 32 when 'refused' then 64 when 'ignore' then 128 when 'failed' then 256 else 0 end
      + (new.opted_out_at is not null)::int * 512 + (new.handed_over_at is not null)::int * 1024;
    new.seconds_to_answer := case when new.answered_at > new.written_at then date_part('epoch', new.answered_at - new.written_at) end;
    new.seconds_to_reply := case when new.replied_at > new.answered_at then date_part('epoch', new.replied_at - new.answered_at) end;
  end if;
  if new.started_at is null then return new; end if;
  if is_new or new.origin_id is null or
      row(new.channel_id, new.started_by, new.source, new.import_id, new.crm_pipeline_id, new.crm_step_id,
        new.prepared_message_id, new.text_prompt_id, new.text_prompt_version)
      is distinct from
      row(old.channel_id, old.started_by, old.source, old.import_id, old.crm_pipeline_id, old.crm_step_id,
        old.prepared_message_id, old.text_prompt_id, old.text_prompt_version)
  then
    wanted := outcome_origin_key(new);
    select id into new.origin_id from outcome_origins where product_id = new.product_id and key = wanted limit 1;
    if not found then
      insert into outcome_origins (product_id, key, channel_id, started_by, source, import_id, crm_pipeline_id, crm_step_id,
        prepared_message_id, text_prompt_id, text_prompt_version)
      values (new.product_id, wanted, new.channel_id, new.started_by, new.source, new.import_id, new.crm_pipeline_id,
        new.crm_step_id, new.prepared_message_id, new.text_prompt_id, new.text_prompt_version)
      returning id into new.origin_id;
    end if;
  end if;
  if is_new or new.course_id is null or
      row(new.language, new.operator, new.prompt_id, new.prompt_version, new.model, new.last_prompt_id,
        new.last_prompt_version, new.outcome, new.ended_by, new.steps_sent, new.steps_answered, new.steps_opted_out)
      is distinct from
      row(old.language, old.operator, old.prompt_id, old.prompt_version, old.model, old.last_prompt_id,
        old.last_prompt_version, old.outcome, old.ended_by, old.steps_sent, old.steps_answered, old.steps_opted_out)
  then
    wanted := outcome_course_key(new);
    select id into new.course_id from outcome_courses where product_id = new.product_id and key = wanted limit 1;
    if not found then
      insert into outcome_courses (product_id, key, language, operator, prompt_id, prompt_version, model, last_prompt_id,
        last_prompt_version, outcome, ended_by, steps_sent, steps_answered, steps_opted_out)
      values (new.product_id, wanted, new.language, new.operator, new.prompt_id, new.prompt_version, new.model,
        new.last_prompt_id, new.last_prompt_version, new.outcome, new.ended_by, new.steps_sent, new.steps_answered,
        new.steps_opted_out)
      returning id into new.course_id;
    end if;
  end if;
  return new;
end $$;

create or replace trigger classify_outcome before insert or update of
  started_at, written_at, delivered_at, read_at, answered_at, replied_at, qualified_at, opted_out_at, handed_over_at, outcome,
  channel_id, started_by, source, import_id, crm_pipeline_id, crm_step_id, prepared_message_id, text_prompt_id, text_prompt_version,
  language, operator, prompt_id, prompt_version, model, last_prompt_id, last_prompt_version, ended_by, steps_sent, steps_answered,
  steps_opted_out on outcomes for each row execute function classify_outcome();
