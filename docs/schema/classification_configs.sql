create table classification_configs (
  id bigint not null generated always as identity,
  product_id bigint not null,
  config jsonb not null,
  created_at timestamptz(3) not null default domain_now(),
  revision integer not null default 1,
  constraint classification_configs_pkey PRIMARY KEY (id),
  constraint classification_configs_id_product_id_key UNIQUE (id, product_id),
  constraint classification_configs_product_id_key UNIQUE (product_id),
  constraint classification_configs_product_id_fkey FOREIGN KEY (product_id) REFERENCES products(id) ON DELETE CASCADE
);

-- migrations/functions/increment_revision.sql
CREATE TRIGGER revision BEFORE UPDATE ON classification_configs FOR EACH ROW WHEN (old.* IS DISTINCT FROM new.*) EXECUTE FUNCTION increment_revision();
