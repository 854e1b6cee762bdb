create table prompt_groups (
  id bigint generated always as identity primary key,
  product_id bigint not null references products on delete cascade,
  name text not null check (btrim(name) <> ''),
  description text,
  created_at timestamptz(3) not null default domain_now(),
  unique (id, product_id)
);
create index prompt_groups_product on prompt_groups (product_id, id);
-- A group is deleted only when it is empty: a prompt that lost its group would become the product's prompt.
alter table prompts add foreign key (group_id, product_id) references prompt_groups (id, product_id);

-- When the present text was saved.
alter table prompts add column saved_at timestamptz(3) not null default domain_now();

create table prepared_messages (
  id bigint generated always as identity primary key,
  product_id bigint not null references products on delete cascade,
  name text not null check (btrim(name) <> ''),
  type text not null check (type in ('initial', 'ping')),
  message text not null check (btrim(message) <> ''),
  is_follow_up boolean not null default false,
  created_at timestamptz(3) not null default domain_now(),
  unique (id, product_id)
);
create index prepared_messages_product on prepared_messages (product_id, type, id);

create table document_prompts (
  id bigint generated always as identity primary key,
  product_id bigint not null references products on delete cascade,
  prompt_id bigint not null,
  document_type text not null check (btrim(document_type) <> ''),
  name text not null check (btrim(name) <> ''),
  type text not null default 'initial' check (type in ('initial')),
  config jsonb not null default '{}',
  created_at timestamptz(3) not null default domain_now(),
  unique (id, product_id),
  foreign key (prompt_id, product_id) references prompts (id, product_id)
);
create index document_prompts_product on document_prompts (product_id, id);
create index document_prompts_prompt on document_prompts (prompt_id);

create table lead_documents (
  id bigint generated always as identity primary key,
  lead_id bigint not null,
  product_id bigint not null,
  name text not null check (btrim(name) <> ''),
  type text not null check (btrim(type) <> ''),
  document jsonb not null default '{"text_data": ""}',
  document_url text,
  created_at timestamptz(3) not null default domain_now(),
  foreign key (lead_id, product_id) references leads (id, product_id) on delete cascade
);
create index lead_documents_lead on lead_documents (lead_id, type, id);
create index lead_documents_product on lead_documents (product_id, id);

create table classification_configs (
  id bigint generated always as identity primary key,
  product_id bigint not null unique references products on delete cascade,
  config jsonb not null,
  created_at timestamptz(3) not null default domain_now(),
  unique (id, product_id)
);

create table classification_results (
  id bigint generated always as identity primary key,
  product_id bigint not null,
  dialogue_id bigint not null,
  config_id bigint not null,
  result jsonb not null,
  created_at timestamptz(3) not null default domain_now(),
  foreign key (dialogue_id, product_id) references dialogues (id, product_id) on delete cascade,
  foreign key (config_id, product_id) references classification_configs (id, product_id) on delete cascade
);
create index classification_results_dialogue on classification_results (dialogue_id, id);
create index classification_results_product on classification_results (product_id, id);
create index classification_results_config on classification_results (config_id, id);

create table ping_configs (
  id bigint generated always as identity primary key,
  product_id bigint not null unique references products on delete cascade,
  is_enabled boolean not null default true,
  config jsonb not null,
  created_at timestamptz(3) not null default domain_now()
);

create table schedules (
  id bigint generated always as identity primary key,
  product_id bigint not null unique references products on delete cascade,
  timezone text not null,
  config jsonb not null,
  created_at timestamptz(3) not null default domain_now()
);

create table crm_integrations (
  id bigint generated always as identity primary key,
  company_id bigint not null references companies on delete cascade,
  name text not null check (btrim(name) <> ''),
  crm_type text not null default 'amocrm' check (crm_type in ('amocrm')),
  is_active boolean not null default true,
  created_at timestamptz(3) not null default domain_now(),
  unique (id, company_id)
);
create index crm_integrations_company on crm_integrations (company_id, id);

-- The company stands in both keys, so that no product is ever joined with another company's integration.
create table product_integrations (
  id bigint generated always as identity primary key,
  product_id bigint not null,
  crm_integration_id bigint not null,
  company_id bigint not null,
  config jsonb not null,
  created_at timestamptz(3) not null default domain_now(),
  unique (product_id, crm_integration_id),
  foreign key (product_id, company_id) references products (id, company_id) on delete cascade,
  foreign key (crm_integration_id, company_id) references crm_integrations (id, company_id)
);
create index product_integrations_integration on product_integrations (crm_integration_id);

-- How a key is shown: … and its last four characters.
alter table company_llms add column key_mask text not null default '…';
create index company_llms_company on company_llms (company_id, id);
