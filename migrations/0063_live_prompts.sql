-- What is live of a prompt, apart from what was saved last. Null: it was never published, and nothing uses it.
alter table prompts add column live_version integer;
alter table prompts add column live_text text;
alter table prompts add column live_since timestamptz(3);

-- Each time that a version went live.
create table prompt_publications (
  id bigint generated always as identity primary key,
  prompt_id bigint not null references prompts (id) on delete cascade,
  version integer not null,
  kind text not null check (kind in ('saved', 'published', 'rolled_back')),
  created_at timestamptz(3) not null default domain_now(),
  author text,
  -- What was live before it; null: nothing.
  previous_version integer,
  -- The publication to which a rollback of this one returns; null: there is none.
  returns_to bigint references prompt_publications (id) on delete cascade,
  -- Why it was published although its checks were not green; null: they were, or none were asked for.
  override_reason text,
  checks jsonb,
  foreign key (prompt_id, version) references prompt_versions (prompt_id, version) on delete cascade
);
create index prompt_publications_prompt on prompt_publications (prompt_id, id);
comment on index prompt_publications_prompt is 'prompts: the publications of a prompt; the last one';
create index prompt_publications_returns_to on prompt_publications (returns_to) where returns_to is not null;
comment on index prompt_publications_returns_to is 'prompts: deleting the publications of a prompt';

-- Everything that is saved is live. Neither a revision nor a plan changes with it.
alter table prompts disable trigger user;
update prompts set live_version = version, live_text = text, live_since = saved_at;
alter table prompts enable trigger user;
alter table prompts add constraint prompts_live check (num_nulls(live_version, live_text, live_since) in (0, 3));
insert into prompt_versions (prompt_id, version, text, author, created_at)
select id, version, text, author, saved_at from prompts on conflict do nothing;
insert into prompt_publications (prompt_id, version, kind, created_at, author)
select id, version, 'saved', saved_at, author from prompts;

-- What saving a prompt does: `off`, it is live; `warn` and `block`, it is a draft.
alter table products alter column config
  set default '{"lead_expires_in_hours": 0, "models_config": null, "messaging_config": null, "gate": "off"}';
alter table products disable trigger user;
update products set config = config || '{"gate": "off"}';
alter table products enable trigger user;
