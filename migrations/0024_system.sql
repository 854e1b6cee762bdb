-- What the page of the system shows, and what its figures are counted by.

-- Which release a node runs; null: one that did not say yet.
alter table nodes add column version text;

-- Real clock. A sign-in changes nothing of what an operator may do, so the nodes need not forget what they know of him.
alter table operators add column last_sign_in_at timestamptz(3);
drop trigger forget on operators;
create trigger forget after delete or update of login, password_hash, role, is_active on operators
  for each statement execute function forget();

-- Messages that did not get through, and those that were refused and are tried again by themselves. Each is counted and
-- listed by its index, whatever the number of all others.
create index messages_trouble on messages (id) include (status)
  where removed_at is null
    and (status in ('error', 'unconfirmed') or (status = 'scheduled' and retry_at is not null));
create index messages_trouble_channel on messages (channel_id, id)
  where removed_at is null
    and (status in ('error', 'unconfirmed') or (status = 'scheduled' and retry_at is not null));

-- Runs of the last hour, of whichever product: they are written in the order of time, so a summary of blocks will do.
create index llm_runs_recent on llm_runs using brin (created_at) with (pages_per_range = 16, autosummarize = on);

-- The trail, by whatever one looks for.
create index audit_recent on audit using brin (at) with (pages_per_range = 16, autosummarize = on);
create index audit_operator on audit (operator_id, id) where operator_id is not null;
create index audit_action on audit (action, id);
create index audit_company on audit (company_id, id) where company_id is not null;
create index audit_product on audit (product_id, id) where product_id is not null;
create index audit_request on audit (request_id) where request_id is not null;
create index audit_words on audit using gin (
  (to_tsvector('simple', coalesce(before, '{}'::jsonb)) || to_tsvector('simple', coalesce(after, '{}'::jsonb)))
);
