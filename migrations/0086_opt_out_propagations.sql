-- Opt-outs that the other leads of their person still have to follow: a sweep finds them. Until now each was a job.
create table opt_out_propagations (
  lead_id bigint primary key,
  product_id bigint not null,
  -- Rises with each request: one that came while the others followed calls for another round.
  request_count int not null default 1,
  requested_at timestamptz(3) not null default clock_timestamp(),
  attempts int not null default 0,
  retry_at timestamptz(3),
  error text,
  claimed_by uuid,
  claimed_until timestamptz(3),
  foreign key (lead_id, product_id) references leads (id, product_id) on delete cascade,
  constraint opt_out_propagations_claim_ends check ((claimed_by is null) = (claimed_until is null))
);
create index opt_out_propagations_due on opt_out_propagations (requested_at);
comment on index opt_out_propagations_due is 'conversations: opt-outs that other leads have to follow';
