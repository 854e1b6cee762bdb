create table llm_reservations (
  id bigint not null generated always as identity,
  company_id bigint not null,
  product_id bigint not null,
  vendor text not null,
  model text not null,
  created_at timestamptz(3) not null default domain_now(),
  amount numeric not null,
  claimed_by uuid,
  claimed_until timestamptz(3),
  is_lost boolean not null default false,
  constraint llm_reservations_pkey PRIMARY KEY (id),
  constraint llm_reservations_company_id_fkey FOREIGN KEY (company_id) REFERENCES companies(id) ON DELETE CASCADE,
  constraint llm_reservations_amount_check CHECK (amount >= 0::numeric)
);

-- llm: what a company has reserved; find reservations of ended instances
CREATE INDEX llm_reservations_open ON llm_reservations USING btree (company_id) WHERE NOT is_lost;
