create table crm_skipped (
  crm_integration_id bigint not null,
  entity text not null,
  entity_id text not null,
  reason text not null,
  times integer not null default 1,
  first_at timestamptz(3) not null default clock_timestamp(),
  last_at timestamptz(3) not null default clock_timestamp(),
  constraint crm_skipped_pkey PRIMARY KEY (crm_integration_id, entity, entity_id),
  constraint crm_skipped_crm_integration_id_fkey FOREIGN KEY (crm_integration_id) REFERENCES crm_integrations(id) ON DELETE CASCADE,
  constraint crm_skipped_entity_check CHECK (entity = ANY (ARRAY['card'::text, 'contact'::text, 'pipeline'::text, 'step'::text, 'field'::text]))
);
