create table document_prompts (
  id bigint not null generated always as identity,
  product_id bigint not null,
  prompt_id bigint not null,
  document_type text not null,
  name text not null,
  type text not null default 'initial'::text,
  config jsonb not null default '{}'::jsonb,
  created_at timestamptz(3) not null default domain_now(),
  revision integer not null default 1,
  constraint document_prompts_pkey PRIMARY KEY (id),
  constraint document_prompts_id_product_id_key UNIQUE (id, product_id),
  constraint document_prompts_product_id_fkey FOREIGN KEY (product_id) REFERENCES products(id) ON DELETE CASCADE,
  constraint document_prompts_prompt_id_product_id_fkey FOREIGN KEY (prompt_id, product_id) REFERENCES prompts(id, product_id),
  constraint document_prompts_document_type_check CHECK (btrim(document_type) <> ''::text),
  constraint document_prompts_name_check CHECK (btrim(name) <> ''::text),
  constraint document_prompts_type_check CHECK (type = 'initial'::text)
);

-- prompts: list a product's document prompts
CREATE INDEX document_prompts_product ON document_prompts USING btree (product_id, id);

-- prompts: document prompts that use a prompt
CREATE INDEX document_prompts_prompt ON document_prompts USING btree (prompt_id);

-- migrations/functions/increment_revision.sql
CREATE TRIGGER revision BEFORE UPDATE ON document_prompts FOR EACH ROW WHEN (old.* IS DISTINCT FROM new.*) EXECUTE FUNCTION increment_revision();
