-- The values of an attempt by which its origin is found.
create or replace function outcome_origin_key(o outcomes) returns text language sql stable
  return row(o.channel_id, o.started_by, o.source, o.import_id, o.crm_pipeline_id, o.crm_step_id, o.prepared_message_id,
    o.text_prompt_id, o.text_prompt_version)::text;
