create table experiment_analyses (
  experiment_id bigint not null,
  product_id bigint not null,
  analysis integer not null,
  at timestamptz(3) not null default domain_now(),
  arms jsonb not null,
  decision jsonb not null,
  sentence text not null,
  constraint experiment_analyses_pkey PRIMARY KEY (experiment_id, analysis),
  constraint experiment_analyses_experiment_id_product_id_fkey FOREIGN KEY (experiment_id, product_id) REFERENCES experiments(id, product_id) ON DELETE CASCADE
);
