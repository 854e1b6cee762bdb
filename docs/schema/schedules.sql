create table schedules (
  id bigint not null generated always as identity,
  product_id bigint not null,
  timezone text not null,
  config jsonb not null,
  created_at timestamptz(3) not null default domain_now(),
  revision integer not null default 1,
  constraint schedules_pkey PRIMARY KEY (id),
  constraint schedules_product_id_key UNIQUE (product_id),
  constraint schedules_product_id_fkey FOREIGN KEY (product_id) REFERENCES products(id) ON DELETE CASCADE
);

-- migrations/functions/reevaluate_after_setting.sql
CREATE TRIGGER reevaluate AFTER INSERT OR DELETE OR UPDATE ON schedules FOR EACH ROW EXECUTE FUNCTION reevaluate_after_setting();

-- migrations/functions/increment_revision.sql
CREATE TRIGGER revision BEFORE UPDATE ON schedules FOR EACH ROW WHEN (old.* IS DISTINCT FROM new.*) EXECUTE FUNCTION increment_revision();
