-- What calls of models in progress may cost, for companies with a daily budget. A row is deleted in the transaction that
-- stores the call's run.
create table llm_reservations (
  id bigint primary key generated always as identity,
  company_id bigint not null references companies on delete cascade,
  product_id bigint not null,
  vendor text not null,
  model text not null,
  created_at timestamptz(3) not null default domain_now(),
  -- What the call has cost so far and what its next request may cost, US dollars.
  amount numeric not null check (amount >= 0),
  claimed_by uuid,
  claimed_until timestamptz(3),
  -- The process that made the call has ended without storing it. Its amount counts as spent until the call is stored.
  is_lost boolean not null default false
);
create index llm_reservations_open on llm_reservations (company_id) where not is_lost;
comment on index llm_reservations_open is 'llm: what a company has reserved; find reservations of ended instances';
