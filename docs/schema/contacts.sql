create table contacts (
  id bigint not null generated always as identity,
  lead_id bigint not null,
  product_id bigint not null,
  contact text not null,
  contact_type text not null,
  address text not null,
  is_main boolean not null default false,
  created_at timestamptz(3) not null default domain_now(),
  revision integer not null default 1,
  constraint contacts_pkey PRIMARY KEY (id),
  constraint contacts_id_product_id_key UNIQUE (id, product_id),
  constraint contacts_lead_id_contact_type_address_key UNIQUE (lead_id, contact_type, address),
  constraint contacts_lead_id_product_id_fkey FOREIGN KEY (lead_id, product_id) REFERENCES leads(id, product_id) ON DELETE CASCADE,
  constraint contacts_contact_check CHECK (btrim(contact) <> ''::text),
  constraint contacts_contact_type_check CHECK (contact_type = ANY (ARRAY['telegram'::text, 'whatsapp'::text]))
);

-- Rule: a lead has at most one main contact of a messenger
CREATE UNIQUE INDEX contacts_main ON contacts USING btree (lead_id, contact_type) WHERE is_main;

-- conversations: find the contacts of the person who wrote; leads, outreach: the leads of one person
CREATE INDEX contacts_person ON contacts USING btree (person_key(address), contact_type);

-- leads: list a product's contacts
CREATE INDEX contacts_product ON contacts USING btree (product_id, id);

-- migrations/functions/recount_removed.sql
CREATE TRIGGER recount_removed AFTER DELETE ON contacts FOR EACH ROW EXECUTE FUNCTION recount_removed();

-- migrations/functions/increment_revision.sql
CREATE TRIGGER revision BEFORE UPDATE ON contacts FOR EACH ROW WHEN (old.* IS DISTINCT FROM new.*) EXECUTE FUNCTION increment_revision();
