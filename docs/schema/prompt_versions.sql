create table prompt_versions (
  prompt_id bigint not null,
  version integer not null,
  text text not null,
  author text,
  created_at timestamptz(3) not null default domain_now(),
  constraint prompt_versions_pkey PRIMARY KEY (prompt_id, version),
  constraint prompt_versions_prompt_id_fkey FOREIGN KEY (prompt_id) REFERENCES prompts(id) ON DELETE CASCADE
);
