create table company_llms (
  id bigint generated always as identity primary key,
  company_id bigint not null references companies on delete cascade,
  vendor text not null check (vendor in ('chatgpt', 'gemini', 'anthropic')),
  api_key_sealed text not null,
  config jsonb not null default '{}',
  is_active boolean not null default true,
  created_at timestamptz(3) not null default domain_now()
);
create unique index company_llms_active on company_llms (company_id, vendor) where is_active;

create table llm_runs (
  id bigint generated always as identity primary key,
  created_at timestamptz(3) not null default domain_now(),
  product_id bigint not null references products on delete cascade,
  dialogue_id bigint,
  message_id bigint,
  purpose text not null,
  name text not null,
  model_vendor text not null,
  model_name text not null,
  execution_ms int not null,
  token_input_usage int,
  token_output_usage int,
  metadata jsonb not null default '{}',
  error text
);
create index llm_runs_message on llm_runs (message_id) where message_id is not null;
create index llm_runs_dialogue on llm_runs (dialogue_id) where dialogue_id is not null;
create index llm_runs_product on llm_runs (product_id, id);
