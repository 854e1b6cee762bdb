create table prompt_groups (
  id bigint not null generated always as identity,
  product_id bigint not null,
  name text not null,
  description text,
  created_at timestamptz(3) not null default domain_now(),
  revision integer not null default 1,
  constraint prompt_groups_pkey PRIMARY KEY (id),
  constraint prompt_groups_id_product_id_key UNIQUE (id, product_id),
  constraint prompt_groups_product_id_fkey FOREIGN KEY (product_id) REFERENCES products(id) ON DELETE CASCADE,
  constraint prompt_groups_name_check CHECK (btrim(name) <> ''::text)
);

-- prompts: list a product's groups
CREATE INDEX prompt_groups_product ON prompt_groups USING btree (product_id, id);

-- migrations/functions/increment_revision.sql
CREATE TRIGGER revision BEFORE UPDATE ON prompt_groups FOR EACH ROW WHEN (old.* IS DISTINCT FROM new.*) EXECUTE FUNCTION increment_revision();
