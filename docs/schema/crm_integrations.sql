create table crm_integrations (
  id bigint not null generated always as identity,
  company_id bigint not null,
  name text not null,
  crm_type text not null default 'amocrm'::text,
  is_active boolean not null default true,
  created_at timestamptz(3) not null default domain_now(),
  constraint crm_integrations_pkey PRIMARY KEY (id),
  constraint crm_integrations_id_company_id_key UNIQUE (id, company_id),
  constraint crm_integrations_company_id_fkey FOREIGN KEY (company_id) REFERENCES companies(id) ON DELETE CASCADE,
  constraint crm_integrations_crm_type_check CHECK (crm_type = 'amocrm'::text),
  constraint crm_integrations_name_check CHECK (btrim(name) <> ''::text)
);

-- crm: list a company's integrations
CREATE INDEX crm_integrations_company ON crm_integrations USING btree (company_id, id);
