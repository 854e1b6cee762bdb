-- Whether a `deactivated` event is the lead's own request: recognised in a message (`lead`) or by stage detection
-- (`classification`, which deactivates for this reason alone). Anybody else is the team.
create or replace function is_opt_out(event_data jsonb) returns boolean language sql immutable parallel safe
  return coalesce(event_data->>'by' in ('lead', 'classification'), false);
