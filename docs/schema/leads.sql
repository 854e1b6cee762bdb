create table leads (
  id bigint not null generated always as identity,
  product_id bigint not null,
  name text not null,
  crm_id text,
  crm_fields jsonb not null default '{}'::jsonb,
  created_at timestamptz(3) not null default domain_now(),
  updated_at timestamptz(3) not null default domain_now(),
  recognized_deactivation_request boolean not null default false,
  timezone text,
  status text,
  stage text not null default 'initial'::text,
  is_active boolean not null default true,
  eligible_since timestamptz(3) not null default domain_now(),
  crm_pending boolean not null default false,
  human_owner_reason text,
  human_owned_since timestamptz(3),
  revision integer not null default 1,
  human_owner_detail text,
  tags text[] not null default '{}'::text[],
  owner_id bigint,
  import_id bigint,
  attempt smallint not null default 1,
  imported_pipeline_id bigint,
  imported_step_id bigint,
  opt_out_lifted_at timestamptz(3),
  constraint leads_pkey PRIMARY KEY (id),
  constraint leads_id_product_id_key UNIQUE (id, product_id),
  constraint leads_import_id_product_id_fkey FOREIGN KEY (import_id, product_id) REFERENCES lead_imports(id, product_id),
  constraint leads_owner_id_fkey FOREIGN KEY (owner_id) REFERENCES operators(id) ON DELETE SET NULL,
  constraint leads_product_id_fkey FOREIGN KEY (product_id) REFERENCES products(id),
  constraint leads_human_owner_reason_check CHECK (human_owner_reason = ANY (ARRAY['crm_step'::text, 'crm_deleted'::text])),
  constraint leads_imported_step CHECK ((imported_pipeline_id IS NULL) = (imported_step_id IS NULL)),
  constraint leads_name_check CHECK (btrim(name) <> ''::text),
  constraint leads_stage_check CHECK (stage = ANY (ARRAY['initial'::text, 'started'::text, 'ongoing'::text, 'pending'::text, 'refused'::text, 'ignore'::text, 'success'::text, 'failed'::text]))
);

-- leads: list the leads of all products by time of creation
CREATE INDEX leads_created ON leads USING btree (created_at);

-- leads, crm: find the lead of a CRM id
CREATE INDEX leads_crm ON leads USING btree (product_id, crm_id) WHERE crm_id IS NOT NULL;

-- leads: filter leads by the value of a CRM field
CREATE INDEX leads_crm_fields ON leads USING gin (crm_fields jsonb_path_ops) WHERE crm_fields <> '{}'::jsonb;

-- leads: filter leads by import; the leads of one import, to undo it
CREATE INDEX leads_import ON leads USING btree (import_id, id) WHERE import_id IS NOT NULL;

-- leads: filter leads by owner; access: delete an operator
CREATE INDEX leads_owner ON leads USING btree (owner_id, id) WHERE owner_id IS NOT NULL;

-- leads: list a product's leads
CREATE INDEX leads_product ON leads USING btree (product_id, id);

-- outcomes: count a product's new leads. By leads_created the leads of all products are read: 8 ms instead of 1.3 ms among 100,000 leads
CREATE INDEX leads_product_created ON leads USING btree (product_id, created_at);

-- leads: filter a product's leads by stage; outcomes: count them
CREATE INDEX leads_product_stage ON leads USING btree (product_id, stage, id);

-- leads: filter leads by tag. A lead without tags costs nothing here
CREATE INDEX leads_tags ON leads USING gin (lower_tags(tags)) WHERE tags <> '{}'::text[];

-- migrations/functions/count_lead.sql
CREATE TRIGGER count_lead AFTER UPDATE OF import_id, crm_id ON leads FOR EACH ROW WHEN (old.import_id IS DISTINCT FROM new.import_id OR old.crm_id IS DISTINCT FROM new.crm_id) EXECUTE FUNCTION count_lead();

-- migrations/functions/create_outreach.sql
CREATE TRIGGER create_outreach AFTER INSERT ON leads FOR EACH ROW EXECUTE FUNCTION create_outreach();

-- migrations/functions/open_outcome.sql
CREATE TRIGGER open_outcome AFTER INSERT ON leads FOR EACH ROW EXECUTE FUNCTION open_outcome();

-- migrations/functions/increment_revision.sql
CREATE TRIGGER revision BEFORE UPDATE ON leads FOR EACH ROW WHEN (old.name IS DISTINCT FROM new.name OR old.crm_id IS DISTINCT FROM new.crm_id OR old.crm_fields IS DISTINCT FROM new.crm_fields OR old.timezone IS DISTINCT FROM new.timezone OR old.stage IS DISTINCT FROM new.stage OR old.is_active IS DISTINCT FROM new.is_active OR old.recognized_deactivation_request IS DISTINCT FROM new.recognized_deactivation_request OR old.tags IS DISTINCT FROM new.tags OR old.owner_id IS DISTINCT FROM new.owner_id) EXECUTE FUNCTION increment_revision();

-- migrations/functions/set_eligible_since.sql
CREATE TRIGGER set_eligible_since BEFORE UPDATE OF is_active, stage ON leads FOR EACH ROW WHEN (new.is_active AND new.stage = 'initial'::text AND NOT (old.is_active AND old.stage = 'initial'::text)) EXECUTE FUNCTION set_eligible_since();

-- migrations/functions/set_pending_stage.sql
CREATE TRIGGER set_pending_stage BEFORE UPDATE OF stage ON leads FOR EACH ROW WHEN (old.stage IS DISTINCT FROM new.stage AND new.crm_id ~ '^[1-9][0-9]{0,14}$'::text) EXECUTE FUNCTION set_pending_stage();
