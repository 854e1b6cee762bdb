create table companies (
  id bigint generated always as identity primary key,
  name text not null check (btrim(name) <> ''),
  created_at timestamptz(3) not null default domain_now()
);
create index companies_created on companies (created_at);

create table operator_companies (
  operator_id bigint not null references operators on delete cascade,
  company_id bigint not null references companies on delete cascade,
  primary key (operator_id, company_id)
);
create index operator_companies_company on operator_companies (company_id);

create table products (
  id bigint generated always as identity primary key,
  company_id bigint not null references companies,
  name text not null check (btrim(name) <> ''),
  crm_id text,
  is_active boolean not null default true,
  config jsonb not null default '{"lead_expires_in_hours": 0, "models_config": null, "messaging_config": null}',
  created_at timestamptz(3) not null default domain_now(),
  unique (id, company_id)
);
create index products_company on products (company_id);

-- Nodes keep sessions and the company of a product in memory; this tells them to forget.
create function forget() returns trigger language plpgsql as $$
begin
  perform pg_notify('forget', tg_table_name);
  return null;
end $$;
-- By row: a sweep that finds nothing to delete has nothing to tell.
create trigger forget after delete on sessions for each row execute function forget();
create trigger forget after update or delete on operators for each statement execute function forget();
create trigger forget after insert or update or delete on operator_companies for each statement execute function forget();
create trigger forget after update or delete on products for each statement execute function forget();
create trigger forget after delete on companies for each statement execute function forget();
