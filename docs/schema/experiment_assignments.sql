create table experiment_assignments (
  id bigint not null generated always as identity,
  experiment_id bigint not null,
  product_id bigint not null,
  lead_id bigint not null,
  attempt smallint not null,
  arm smallint,
  assigned_at timestamptz(3) not null default domain_now(),
  excluded text,
  constraint experiment_assignments_pkey PRIMARY KEY (id),
  constraint experiment_assignments_experiment_id_lead_id_key UNIQUE (experiment_id, lead_id),
  constraint experiment_assignments_experiment_id_product_id_fkey FOREIGN KEY (experiment_id, product_id) REFERENCES experiments(id, product_id) ON DELETE CASCADE,
  constraint experiment_assignments_lead_id_product_id_fkey FOREIGN KEY (lead_id, product_id) REFERENCES leads(id, product_id) ON DELETE CASCADE,
  constraint experiment_assignments_excluded_check CHECK (excluded = ANY (ARRAY['same_person'::text, 'united'::text]))
);

-- conversations: arms of a lead; outcomes: experiments of an attempt
CREATE INDEX experiment_assignments_lead ON experiment_assignments USING btree (lead_id, attempt);
