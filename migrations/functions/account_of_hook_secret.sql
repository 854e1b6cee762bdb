-- The vendor account that accepts a secret in hook addresses and as bearer token, by its hash; null: none does.
create or replace function account_of_hook_secret(hash bytea) returns bigint language sql stable
  return coalesce((select id from vendor_accounts where hook_secret_hash = hash),
                  (select account_id from former_hook_secrets
                    where secret_hash = hash and (valid_until is null or valid_until > clock_timestamp())));
