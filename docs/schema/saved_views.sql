create table saved_views (
  id bigint not null generated always as identity,
  operator_id bigint not null,
  company_id bigint not null,
  page text not null,
  name text not null,
  params jsonb not null default '{}'::jsonb,
  is_shared boolean not null default false,
  created_at timestamptz(3) not null default clock_timestamp(),
  revision integer not null default 1,
  constraint saved_views_pkey PRIMARY KEY (id),
  constraint saved_views_company_id_fkey FOREIGN KEY (company_id) REFERENCES companies(id) ON DELETE CASCADE,
  constraint saved_views_operator_id_fkey FOREIGN KEY (operator_id) REFERENCES operators(id) ON DELETE CASCADE,
  constraint saved_views_name_check CHECK (btrim(name) <> ''::text)
);

-- access: delete an operator with their saved views
CREATE INDEX saved_views_operator ON saved_views USING btree (operator_id);

-- companies: the saved views of a page
CREATE INDEX saved_views_page ON saved_views USING btree (company_id, page, operator_id);

-- migrations/functions/increment_revision.sql
CREATE TRIGGER revision BEFORE UPDATE ON saved_views FOR EACH ROW WHEN (old.* IS DISTINCT FROM new.*) EXECUTE FUNCTION increment_revision();
