create table company_llms (
  id bigint not null generated always as identity,
  company_id bigint not null,
  vendor text not null,
  api_key_sealed text not null,
  config jsonb not null default '{}'::jsonb,
  is_active boolean not null default true,
  created_at timestamptz(3) not null default domain_now(),
  key_mask text not null default '…'::text,
  worked_at timestamptz(3),
  revision integer not null default 1,
  refused jsonb not null default '{}'::jsonb,
  tested_at timestamptz(3),
  test jsonb,
  constraint company_llms_pkey PRIMARY KEY (id),
  constraint company_llms_company_id_fkey FOREIGN KEY (company_id) REFERENCES companies(id) ON DELETE CASCADE,
  constraint company_llms_test CHECK ((tested_at IS NULL) = (test IS NULL)),
  constraint company_llms_vendor_check CHECK (vendor = ANY (ARRAY['chatgpt'::text, 'gemini'::text, 'anthropic'::text]))
);

-- Rule: a company has at most one active key of a vendor
CREATE UNIQUE INDEX company_llms_active ON company_llms USING btree (company_id, vendor) WHERE is_active;

-- llm: list a company's keys
CREATE INDEX company_llms_company ON company_llms USING btree (company_id, id);

-- migrations/functions/reevaluate_after_llm_key.sql
CREATE TRIGGER reevaluate AFTER INSERT OR DELETE OR UPDATE ON company_llms FOR EACH ROW EXECUTE FUNCTION reevaluate_after_llm_key();

-- migrations/functions/increment_revision.sql
CREATE TRIGGER revision BEFORE UPDATE ON company_llms FOR EACH ROW WHEN (old.api_key_sealed IS DISTINCT FROM new.api_key_sealed OR old.key_mask IS DISTINCT FROM new.key_mask OR old.config IS DISTINCT FROM new.config OR old.is_active IS DISTINCT FROM new.is_active) EXECUTE FUNCTION increment_revision();
