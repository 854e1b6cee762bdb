-- What models cost, US dollars for a million tokens. As the vendors' public pages had them in November 2026; to be
-- changed in the console where a contract says otherwise.
create table llm_prices (
  vendor text not null check (vendor in ('chatgpt', 'gemini', 'anthropic')),
  model text not null check (btrim(model) <> ''),
  input_per_million numeric(12, 4) not null check (input_per_million >= 0),
  output_per_million numeric(12, 4) not null check (output_per_million >= 0),
  primary key (vendor, model)
);
insert into llm_prices (vendor, model, input_per_million, output_per_million) values
  ('chatgpt', 'gpt-4o', 2.5, 10),
  ('chatgpt', 'gpt-4o-mini', 0.15, 0.6),
  ('chatgpt', 'gpt-4.1', 2, 8),
  ('chatgpt', 'gpt-4.1-mini', 0.4, 1.6),
  ('chatgpt', 'gpt-5', 1.25, 10),
  ('chatgpt', 'gpt-5-mini', 0.25, 2),
  ('gemini', 'gemini-2.5-pro', 1.25, 10),
  ('gemini', 'gemini-2.5-flash', 0.3, 2.5),
  ('anthropic', 'claude-opus-5-5', 4, 20),
  ('anthropic', 'claude-sonnet-5-5', 2, 10),
  ('anthropic', 'claude-haiku-5-5', 0.1, 0.5),
  ('anthropic', 'claude-haiku-4-5', 1, 5);

-- US dollars; null: no price was known, or the vendor told no tokens.
alter table llm_runs add column cost numeric(14, 8);

-- What a company spent on a UTC day of the domain clock. Stays when runs go with a deleted lead.
create table llm_spending (
  company_id bigint not null references companies on delete cascade,
  day date not null,
  cost numeric(14, 8) not null default 0,
  primary key (company_id, day)
);

-- US dollars a day; null: no limit.
alter table companies add column llm_daily_budget numeric(12, 2) check (llm_daily_budget >= 0);
