-- Whether a `deactivated` event is the person's own request: recognised in a message (`lead`) or by stage detection
-- (`classification`, which deactivates for this reason alone), or by anybody who names where it comes from (`opt_out`):
-- the model's tool, the bot's promise, an operator. Anybody else is the team.
create or replace function is_opt_out(event_data jsonb) returns boolean language sql immutable parallel safe
  return coalesce(event_data->>'by' in ('lead', 'classification') or event_data->>'opt_out' is not null, false);
