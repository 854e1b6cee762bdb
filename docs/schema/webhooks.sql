create table webhooks (
  id bigint not null generated always as identity,
  company_id bigint not null,
  only_product_id bigint,
  url text not null,
  events jsonb not null,
  secret_sealed text not null,
  secret_mask text not null,
  is_active boolean not null default true,
  created_at timestamptz(3) not null default domain_now(),
  revision integer not null default 1,
  constraint webhooks_pkey PRIMARY KEY (id),
  constraint webhooks_id_company_id_key UNIQUE (id, company_id),
  constraint webhooks_company_id_fkey FOREIGN KEY (company_id) REFERENCES companies(id) ON DELETE CASCADE,
  constraint webhooks_only_product_id_company_id_fkey FOREIGN KEY (only_product_id, company_id) REFERENCES products(id, company_id) ON DELETE CASCADE
);

-- webhooks: list a company's webhooks; find those that want an event
CREATE INDEX webhooks_company ON webhooks USING btree (company_id, id);

-- products: delete a product with its webhooks
CREATE INDEX webhooks_product ON webhooks USING btree (only_product_id) WHERE only_product_id IS NOT NULL;

-- migrations/functions/increment_revision.sql
CREATE TRIGGER revision BEFORE UPDATE ON webhooks FOR EACH ROW WHEN (old.url IS DISTINCT FROM new.url OR old.events IS DISTINCT FROM new.events OR old.secret_sealed IS DISTINCT FROM new.secret_sealed OR old.is_active IS DISTINCT FROM new.is_active) EXECUTE FUNCTION increment_revision();
