create table prompt_publications (
  id bigint not null generated always as identity,
  prompt_id bigint not null,
  version integer not null,
  kind text not null,
  created_at timestamptz(3) not null default domain_now(),
  author text,
  previous_version integer,
  returns_to bigint,
  override_reason text,
  checks jsonb,
  constraint prompt_publications_pkey PRIMARY KEY (id),
  constraint prompt_publications_prompt_id_fkey FOREIGN KEY (prompt_id) REFERENCES prompts(id) ON DELETE CASCADE,
  constraint prompt_publications_prompt_id_version_fkey FOREIGN KEY (prompt_id, version) REFERENCES prompt_versions(prompt_id, version) ON DELETE CASCADE,
  constraint prompt_publications_returns_to_fkey FOREIGN KEY (returns_to) REFERENCES prompt_publications(id) ON DELETE CASCADE,
  constraint prompt_publications_kind_check CHECK (kind = ANY (ARRAY['saved'::text, 'published'::text, 'rolled_back'::text]))
);

-- prompts: the publications of a prompt; the last one
CREATE INDEX prompt_publications_prompt ON prompt_publications USING btree (prompt_id, id);

-- prompts: deleting the publications of a prompt
CREATE INDEX prompt_publications_returns_to ON prompt_publications USING btree (returns_to) WHERE returns_to IS NOT NULL;
