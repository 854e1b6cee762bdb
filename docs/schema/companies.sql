create table companies (
  id bigint not null generated always as identity,
  name text not null,
  created_at timestamptz(3) not null default domain_now(),
  llm_daily_budget numeric,
  revision integer not null default 1,
  constraint companies_pkey PRIMARY KEY (id),
  constraint companies_llm_daily_budget_check CHECK (llm_daily_budget >= 0::numeric),
  constraint companies_name_check CHECK (btrim(name) <> ''::text)
);

-- companies: list companies by time of creation
CREATE INDEX companies_created ON companies USING btree (created_at);

-- migrations/functions/notify_access_changed.sql
CREATE TRIGGER notify_access_changed AFTER DELETE ON companies FOR EACH STATEMENT EXECUTE FUNCTION notify_access_changed();

-- migrations/functions/increment_revision.sql
CREATE TRIGGER revision BEFORE UPDATE ON companies FOR EACH ROW WHEN (old.name IS DISTINCT FROM new.name) EXECUTE FUNCTION increment_revision();
