create table product_integrations (
  id bigint not null generated always as identity,
  product_id bigint not null,
  crm_integration_id bigint not null,
  company_id bigint not null,
  config jsonb not null,
  created_at timestamptz(3) not null default domain_now(),
  revision integer not null default 1,
  constraint product_integrations_pkey PRIMARY KEY (id),
  constraint product_integrations_product_id_crm_integration_id_key UNIQUE (product_id, crm_integration_id),
  constraint product_integrations_crm_integration_id_company_id_fkey FOREIGN KEY (crm_integration_id, company_id) REFERENCES crm_integrations(id, company_id),
  constraint product_integrations_product_id_company_id_fkey FOREIGN KEY (product_id, company_id) REFERENCES products(id, company_id) ON DELETE CASCADE
);

-- crm: products of an integration
CREATE INDEX product_integrations_integration ON product_integrations USING btree (crm_integration_id);

-- migrations/functions/request_full_sync.sql
CREATE TRIGGER request_full_sync AFTER INSERT OR UPDATE ON product_integrations FOR EACH ROW EXECUTE FUNCTION request_full_sync();

-- migrations/functions/increment_revision.sql
CREATE TRIGGER revision BEFORE UPDATE ON product_integrations FOR EACH ROW WHEN (old.* IS DISTINCT FROM new.*) EXECUTE FUNCTION increment_revision();
