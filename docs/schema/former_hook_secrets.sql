create table former_hook_secrets (
  secret_hash bytea not null,
  account_id bigint not null,
  valid_until timestamptz(3),
  constraint former_hook_secrets_pkey PRIMARY KEY (secret_hash),
  constraint former_hook_secrets_account_id_fkey FOREIGN KEY (account_id) REFERENCES vendor_accounts(id) ON DELETE CASCADE
);

-- channels: the former addresses of an account; delete an account with them
CREATE INDEX former_hook_secrets_account ON former_hook_secrets USING btree (account_id);
