create table prompts (
  id bigint not null generated always as identity,
  product_id bigint not null,
  name text not null,
  type text not null,
  text text not null,
  group_id bigint,
  rag_description text,
  author text,
  version integer not null default 1,
  created_at timestamptz(3) not null default domain_now(),
  saved_at timestamptz(3) not null default domain_now(),
  revision integer not null default 1,
  live_version integer,
  live_text text,
  live_since timestamptz(3),
  constraint prompts_pkey PRIMARY KEY (id),
  constraint prompts_id_product_id_key UNIQUE (id, product_id),
  constraint prompts_group_id_product_id_fkey FOREIGN KEY (group_id, product_id) REFERENCES prompt_groups(id, product_id),
  constraint prompts_product_id_fkey FOREIGN KEY (product_id) REFERENCES products(id) ON DELETE CASCADE,
  constraint prompts_live CHECK (num_nulls(live_version, live_text, live_since) = ANY (ARRAY[0, 3])),
  constraint prompts_name_check CHECK (btrim(name) <> ''::text),
  constraint prompts_type_check CHECK (type = ANY (ARRAY['prompt'::text, 'classification'::text, 'qualification'::text, 'document'::text, 'ping'::text, 'subprompt'::text, 'refusal_qualification'::text]))
);

-- prompts: prompts of a group
CREATE INDEX prompts_group ON prompts USING btree (group_id) WHERE group_id IS NOT NULL;

-- prompts: list a product's prompts of a type
CREATE INDEX prompts_product ON prompts USING btree (product_id, type, created_at);

-- migrations/functions/reevaluate_after_setting.sql
CREATE TRIGGER reevaluate AFTER UPDATE ON prompts FOR EACH ROW EXECUTE FUNCTION reevaluate_after_setting();

-- migrations/functions/increment_revision.sql
CREATE TRIGGER revision BEFORE UPDATE ON prompts FOR EACH ROW WHEN (old.* IS DISTINCT FROM new.*) EXECUTE FUNCTION increment_revision();
