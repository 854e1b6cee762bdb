create table lead_documents (
  id bigint not null generated always as identity,
  lead_id bigint not null,
  product_id bigint not null,
  name text not null,
  type text not null,
  document jsonb not null default '{"text_data": ""}'::jsonb,
  document_url text,
  created_at timestamptz(3) not null default domain_now(),
  revision integer not null default 1,
  constraint lead_documents_pkey PRIMARY KEY (id),
  constraint lead_documents_lead_id_product_id_fkey FOREIGN KEY (lead_id, product_id) REFERENCES leads(id, product_id) ON DELETE CASCADE,
  constraint lead_documents_name_check CHECK (btrim(name) <> ''::text),
  constraint lead_documents_type_check CHECK (btrim(type) <> ''::text)
);

-- leads: a lead's documents of a type
CREATE INDEX lead_documents_lead ON lead_documents USING btree (lead_id, type, id);

-- leads: list a product's documents
CREATE INDEX lead_documents_product ON lead_documents USING btree (product_id, id);

-- migrations/functions/increment_revision.sql
CREATE TRIGGER revision BEFORE UPDATE ON lead_documents FOR EACH ROW WHEN (old.* IS DISTINCT FROM new.*) EXECUTE FUNCTION increment_revision();
