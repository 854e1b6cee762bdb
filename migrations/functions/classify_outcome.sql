-- Refers an attempt that has begun to its origin and its course, and stores those that are new.
create or replace function classify_outcome() returns trigger language plpgsql as $$
declare
  wanted text := outcome_origin_key(new);
begin
  if new.origin_id is null or wanted <> outcome_origin_key(old) then
    select id into new.origin_id from outcome_origins where product_id = new.product_id and key = wanted limit 1;
    if not found then
      insert into outcome_origins (product_id, key, channel_id, started_by, source, import_id, crm_pipeline_id, crm_step_id,
        prepared_message_id, text_prompt_id, text_prompt_version)
      values (new.product_id, wanted, new.channel_id, new.started_by, new.source, new.import_id, new.crm_pipeline_id,
        new.crm_step_id, new.prepared_message_id, new.text_prompt_id, new.text_prompt_version)
      returning id into new.origin_id;
    end if;
  end if;
  wanted := outcome_course_key(new);
  if new.course_id is null or wanted <> outcome_course_key(old) then
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

create or replace trigger classify_outcome before insert or update on outcomes for each row
  when (new.started_at is not null) execute function classify_outcome();
