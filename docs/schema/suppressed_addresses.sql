create table suppressed_addresses (
  product_id bigint not null,
  address_hash bytea not null,
  suppressed_at timestamptz(3) not null default domain_now(),
  constraint suppressed_addresses_pkey PRIMARY KEY (product_id, address_hash),
  constraint suppressed_addresses_product_id_fkey FOREIGN KEY (product_id) REFERENCES products(id) ON DELETE CASCADE
);
