-- The reason that was stored with the stage `refused`, as refusals are grouped by it; null without one.
create or replace function refusal_reason(event_data jsonb) returns text language sql immutable parallel safe
  return nullif(left(lower(btrim(event_data->>'reason', E' .\n\r\t')), 200), '');
