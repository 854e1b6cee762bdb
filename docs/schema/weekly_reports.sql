create table weekly_reports (
  product_id bigint not null,
  week date not null,
  event_id uuid not null,
  created_at timestamptz(3) not null default domain_now(),
  constraint weekly_reports_pkey PRIMARY KEY (product_id, week),
  constraint weekly_reports_product_id_fkey FOREIGN KEY (product_id) REFERENCES products(id) ON DELETE CASCADE
);
