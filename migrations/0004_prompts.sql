create table prompts (
  id bigint generated always as identity primary key,
  product_id bigint not null references products on delete cascade,
  name text not null check (btrim(name) <> ''),
  type text not null check (type in
    ('prompt', 'classification', 'qualification', 'document', 'ping', 'subprompt', 'refusal_qualification')),
  text text not null,
  group_id bigint,
  rag_description text,
  author text,
  version int not null default 1,
  created_at timestamptz(3) not null default domain_now(),
  unique (id, product_id)
);
create index prompts_product on prompts (product_id, type, created_at);
create index prompts_group on prompts (group_id) where group_id is not null;

-- Every text that was ever saved.
create table prompt_versions (
  prompt_id bigint not null references prompts on delete cascade,
  version int not null,
  text text not null,
  author text,
  created_at timestamptz(3) not null default domain_now(),
  primary key (prompt_id, version)
);
