create table crm_cards (
  product_id bigint not null,
  card_id bigint not null,
  crm_integration_id bigint not null,
  lead_id bigint,
  pipeline_id bigint,
  status_id bigint,
  card_updated_at bigint,
  read_at timestamptz(3),
  note text,
  pending_stage text,
  pending_stage_version integer not null default 0,
  pending_stage_since timestamptz(3),
  attempts integer not null default 0,
  retry_at timestamptz(3),
  error text,
  claimed_by uuid,
  sent_pipeline_id bigint,
  sent_status_id bigint,
  claimed_until timestamptz(3),
  refused_addresses text,
  refused_at timestamptz(3),
  reread_addresses boolean not null default false,
  constraint crm_cards_pkey PRIMARY KEY (product_id, card_id),
  constraint crm_cards_crm_integration_id_fkey FOREIGN KEY (crm_integration_id) REFERENCES crm_integrations(id) ON DELETE CASCADE,
  constraint crm_cards_lead_id_product_id_fkey FOREIGN KEY (lead_id, product_id) REFERENCES leads(id, product_id) ON DELETE SET NULL (lead_id),
  constraint crm_cards_product_id_fkey FOREIGN KEY (product_id) REFERENCES products(id) ON DELETE CASCADE,
  constraint crm_cards_claim_ends CHECK ((claimed_by IS NULL) = (claimed_until IS NULL)),
  constraint crm_cards_pending_stage_check CHECK (pending_stage = ANY (ARRAY['initial'::text, 'started'::text, 'ongoing'::text, 'pending'::text, 'refused'::text, 'ignore'::text, 'success'::text, 'failed'::text]))
);

-- crm: cards of an integration that a hook or a poll names
CREATE INDEX crm_cards_integration ON crm_cards USING btree (crm_integration_id, card_id);

-- crm: the card of a lead
CREATE INDEX crm_cards_lead ON crm_cards USING btree (lead_id) WHERE lead_id IS NOT NULL;

-- crm: stages that are due to be written; monitoring counts them
CREATE INDEX crm_cards_pending ON crm_cards USING btree (retry_at) WHERE pending_stage IS NOT NULL;

-- migrations/functions/clear_refused_addresses.sql
CREATE TRIGGER clear_refused_addresses BEFORE UPDATE OF lead_id ON crm_cards FOR EACH ROW WHEN (new.lead_id IS NULL AND new.refused_addresses IS NOT NULL) EXECUTE FUNCTION clear_refused_addresses();
