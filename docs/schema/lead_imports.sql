create table lead_imports (
  id bigint not null generated always as identity,
  product_id bigint not null,
  import_key uuid not null,
  name text not null,
  operator text,
  leads integer not null default 0,
  created_at timestamptz(3) not null default domain_now(),
  constraint lead_imports_pkey PRIMARY KEY (id),
  constraint lead_imports_id_product_id_key UNIQUE (id, product_id),
  constraint lead_imports_product_id_import_key_key UNIQUE (product_id, import_key),
  constraint lead_imports_product_id_fkey FOREIGN KEY (product_id) REFERENCES products(id) ON DELETE CASCADE,
  constraint lead_imports_name_check CHECK (btrim(name) <> ''::text)
);

-- leads: list a product's imports
CREATE INDEX lead_imports_product ON lead_imports USING btree (product_id, id);
