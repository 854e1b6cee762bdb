-- What identifies the author of an answer: the version of a prompt, and the model.
create or replace function answer_key(prompt_id bigint, prompt_version integer, model text) returns text
  language sql immutable parallel safe
  return coalesce(prompt_id::text, '') || ':' || coalesce(prompt_version::text, '') || ':' || coalesce(model, '');
