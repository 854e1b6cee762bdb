-- Secrets of hook addresses that were renewed: the vendor may still send there.
create table former_hook_secrets (
  secret_hash bytea primary key,
  account_id bigint not null references vendor_accounts (id) on delete cascade,
  -- Real clock. Null: accepted until the vendor has the new address.
  valid_until timestamptz(3)
);
create index former_hook_secrets_account on former_hook_secrets (account_id);
comment on index former_hook_secrets_account is 'channels: the former addresses of an account; delete an account with them';
