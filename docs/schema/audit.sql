create table audit (
  id bigint not null generated always as identity,
  at timestamptz(3) not null default domain_now(),
  operator_id bigint,
  operator text,
  action text not null,
  noun text not null,
  row_id bigint,
  product_id bigint,
  company_id bigint,
  before jsonb,
  after jsonb,
  request_id text,
  constraint audit_pkey PRIMARY KEY (id)
);

-- access: filter the audit log by action; list the actions that occur
CREATE INDEX audit_action ON audit USING btree (action, id);

-- access: filter the audit log by company
CREATE INDEX audit_company ON audit USING btree (company_id, id) WHERE company_id IS NOT NULL;

-- leads: redact the entries of a deleted lead's dialogues
CREATE INDEX audit_dialogue ON audit USING btree ((COALESCE(after, before) ->> 'dialogue_id'::text)) WHERE COALESCE(after, before) ? 'dialogue_id'::text;

-- leads: redact the entries that name a deleted lead
CREATE INDEX audit_lead ON audit USING btree ((COALESCE(after, before) ->> 'lead_id'::text)) WHERE COALESCE(after, before) ? 'lead_id'::text;

-- access: filter the audit log by operator
CREATE INDEX audit_operator ON audit USING btree (operator_id, id) WHERE operator_id IS NOT NULL;

-- access: filter the audit log by product
CREATE INDEX audit_product ON audit USING btree (product_id, id) WHERE product_id IS NOT NULL;

-- access: filter the audit log by time
CREATE INDEX audit_recent ON audit USING brin (at) WITH (pages_per_range='16', autosummarize='on');

-- access: group the entries of one request
CREATE INDEX audit_request ON audit USING btree (request_id) WHERE request_id IS NOT NULL;

-- access: the history of one row; filter by noun; list the nouns that occur
CREATE INDEX audit_row ON audit USING btree (noun, row_id, id);

-- access: search the audit log for words
CREATE INDEX audit_search ON audit USING gin ((to_tsvector('simple'::regconfig, COALESCE(before, '{}'::jsonb)) || to_tsvector('simple'::regconfig, COALESCE(after, '{}'::jsonb))));

-- migrations/functions/reject_audit_change.sql
CREATE TRIGGER append_only BEFORE DELETE OR UPDATE ON audit FOR EACH ROW EXECUTE FUNCTION reject_audit_change();

-- migrations/functions/reject_audit_change.sql
CREATE TRIGGER append_only_truncate BEFORE TRUNCATE ON audit FOR EACH STATEMENT EXECUTE FUNCTION reject_audit_change();
