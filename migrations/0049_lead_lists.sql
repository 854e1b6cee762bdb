-- Operators pause and resume the first messages and follow-ups of a product. Replies continue.
alter table products
  add column outreach_paused_at timestamptz(3),
  add column outreach_paused_by text,
  add constraint products_outreach_paused check ((outreach_paused_at is null) = (outreach_paused_by is null));

-- Tags that new leads get at an import: a list of {field, operator, value, tag}.
alter table products
  add column tag_rules jsonb not null default '[]';

-- One row for each import of leads from a file.
create table lead_imports (
  id bigint primary key generated always as identity,
  product_id bigint not null references products on delete cascade,
  import_key uuid not null,
  name text not null check (btrim(name) <> ''),
  operator text,
  leads integer not null default 0,
  created_at timestamptz(3) not null default domain_now(),
  unique (product_id, import_key),
  unique (id, product_id)
);
create index lead_imports_product on lead_imports (product_id, id);
comment on index lead_imports_product is 'leads: list a product''s imports';

create function lower_tags(tags text[]) returns text[] language sql immutable strict parallel safe
  return array(select lower(one) from unnest(tags) as one);

alter table leads
  add column tags text[] not null default '{}',
  add column owner_id bigint references operators on delete set null,
  add column import_id bigint,
  add constraint leads_import_id_product_id_fkey foreign key (import_id, product_id) references lead_imports (id, product_id);

-- Imports of version 1.0.0 have a key, and their operator in the audit log.
insert into lead_imports (product_id, import_key, name, operator, leads, created_at)
select i.product_id, i.import_key, 'Import', a.operator, i.leads, i.created_at
  from (select product_id, import_key, count(*) as leads, min(created_at) as created_at, min(id) as first_lead_id
          from leads where import_key is not null group by product_id, import_key) as i
  left join lateral (
    select operator from audit where noun = 'lead' and row_id = i.first_lead_id and action = 'imported' order by id limit 1) as a on true
 order by i.created_at;
update leads l set import_id = i.id from lead_imports i where i.product_id = l.product_id and i.import_key = l.import_key;
alter table leads drop column import_key;

create index leads_tags on leads using gin (lower_tags(tags)) where tags <> '{}';
comment on index leads_tags is 'leads: filter leads by tag. A lead without tags costs nothing here';
create index leads_owner on leads (owner_id, id) where owner_id is not null;
comment on index leads_owner is 'leads: filter leads by owner; access: delete an operator';
create index leads_import on leads (import_id, id) where import_id is not null;
comment on index leads_import is 'leads: filter leads by import; the leads of one import, to undo it';
create index leads_crm_fields on leads using gin (crm_fields jsonb_path_ops) where crm_fields <> '{}';
comment on index leads_crm_fields is 'leads: filter leads by the value of a CRM field';

-- The state of a list under a name, of one operator or shared with the company.
create table saved_views (
  id bigint primary key generated always as identity,
  operator_id bigint not null references operators on delete cascade,
  company_id bigint not null references companies on delete cascade,
  page text not null,
  name text not null check (btrim(name) <> ''),
  params jsonb not null default '{}',
  is_shared boolean not null default false,
  created_at timestamptz(3) not null default clock_timestamp()
);
create index saved_views_page on saved_views (company_id, page, operator_id);
comment on index saved_views_page is 'companies: the saved views of a page';
create index saved_views_operator on saved_views (operator_id);
comment on index saved_views_operator is 'access: delete an operator with their saved views';
