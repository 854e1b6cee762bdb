create table operator_recovery_codes (
  code_hash bytea not null,
  operator_id bigint not null,
  constraint operator_recovery_codes_pkey PRIMARY KEY (code_hash),
  constraint operator_recovery_codes_operator_id_fkey FOREIGN KEY (operator_id) REFERENCES operators(id) ON DELETE CASCADE
);

-- access: an operator's recovery codes
CREATE INDEX operator_recovery_codes_operator ON operator_recovery_codes USING btree (operator_id);
