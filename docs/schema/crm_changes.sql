create table crm_changes (
  crm_integration_id bigint not null,
  entity text not null,
  entity_id bigint not null,
  hook_count integer not null default 1,
  reported_at timestamptz(3) not null default clock_timestamp(),
  attempts integer not null default 0,
  retry_at timestamptz(3),
  claimed_by uuid,
  claimed_until timestamptz(3),
  constraint crm_changes_pkey PRIMARY KEY (crm_integration_id, entity, entity_id),
  constraint crm_changes_crm_integration_id_fkey FOREIGN KEY (crm_integration_id) REFERENCES crm_integrations(id) ON DELETE CASCADE,
  constraint crm_changes_claim_ends CHECK ((claimed_by IS NULL) = (claimed_until IS NULL)),
  constraint crm_changes_entity_check CHECK (entity = ANY (ARRAY['card'::text, 'person'::text]))
);

-- crm: reported cards that are due to be read again
CREATE INDEX crm_changes_due ON crm_changes USING btree (retry_at);
