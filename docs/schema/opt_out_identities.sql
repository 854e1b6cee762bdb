create table opt_out_identities (
  opt_out_id bigint not null,
  company_id bigint not null,
  identity_hash bytea not null,
  constraint opt_out_identities_pkey PRIMARY KEY (opt_out_id, identity_hash),
  constraint opt_out_identities_opt_out_id_company_id_fkey FOREIGN KEY (opt_out_id, company_id) REFERENCES opt_outs(id, company_id) ON DELETE CASCADE
);

-- leads: the wishes of a person
CREATE INDEX opt_out_identities_hash ON opt_out_identities USING btree (company_id, identity_hash);
