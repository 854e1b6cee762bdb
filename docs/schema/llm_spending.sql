create table llm_spending (
  company_id bigint not null,
  day date not null,
  product_id bigint not null,
  purpose text not null,
  vendor text not null,
  model text not null,
  runs bigint not null default 0,
  unpriced bigint not null default 0,
  input_tokens bigint not null default 0,
  output_tokens bigint not null default 0,
  cost numeric not null default 0,
  constraint llm_spending_pkey PRIMARY KEY (company_id, day, product_id, purpose, vendor, model),
  constraint llm_spending_company_id_fkey FOREIGN KEY (company_id) REFERENCES companies(id) ON DELETE CASCADE
);
