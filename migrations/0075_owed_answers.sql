-- A limit of first messages that is raised counts from the next 'Send at'; until then, these do.
alter table products add column previous_limits jsonb, add column previous_limits_until timestamptz,
  add constraint products_previous_limits check ((previous_limits is null) = (previous_limits_until is null));
comment on column products.previous_limits is 'Limits of first messages by messenger that count until previous_limits_until, since the settings have higher ones';

-- An operator gave a dialogue back to the bot and had it stay silent: up to this message of the lead, nothing is owed.
alter table dialogues add column closed_msg_id bigint, add column closed_at timestamptz(3),
  add constraint dialogues_closed check ((closed_msg_id is null) = (closed_at is null));
comment on column dialogues.closed_msg_id is 'The last message of the lead for which people decided that it gets no answer';
