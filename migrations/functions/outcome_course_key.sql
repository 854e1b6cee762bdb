-- The values of an attempt by which its course is found.
create or replace function outcome_course_key(o outcomes) returns text language sql stable
  return row(o.language, o.operator, o.prompt_id, o.prompt_version, o.model, o.last_prompt_id, o.last_prompt_version,
    o.outcome, o.ended_by, o.steps_sent, o.steps_answered, o.steps_opted_out)::text;
