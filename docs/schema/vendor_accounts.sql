create table vendor_accounts (
  id bigint not null generated always as identity,
  vendor text not null,
  key_mask text not null,
  key_hash bytea not null,
  api_key_sealed text not null,
  hook_secret_hash bytea not null,
  hook_secret_sealed text not null,
  hook_registered_at timestamptz(3),
  key_rejected_reason text,
  created_at timestamptz(3) not null default domain_now(),
  next_send_at timestamptz(3),
  sessions_polled_at timestamptz(3),
  company_id bigint,
  constraint vendor_accounts_pkey PRIMARY KEY (id),
  constraint vendor_accounts_hook_secret_hash_key UNIQUE (hook_secret_hash),
  constraint vendor_accounts_vendor_key_hash_key UNIQUE (vendor, key_hash),
  constraint vendor_accounts_company_id_fkey FOREIGN KEY (company_id) REFERENCES companies(id) ON DELETE SET NULL,
  constraint vendor_accounts_id_company_id_fkey FOREIGN KEY (id, company_id) REFERENCES vendor_account_companies(account_id, company_id) DEFERRABLE INITIALLY DEFERRED,
  constraint vendor_accounts_vendor_check CHECK (vendor = ANY (ARRAY['wazzup24'::text, 'chatpush'::text]))
);

-- migrations/functions/let_owner_use.sql
CREATE TRIGGER let_owner_use AFTER INSERT OR UPDATE OF company_id ON vendor_accounts FOR EACH ROW EXECUTE FUNCTION let_owner_use();

-- migrations/functions/reevaluate_after_account.sql
CREATE TRIGGER reevaluate AFTER UPDATE ON vendor_accounts FOR EACH ROW WHEN (old.key_rejected_reason IS DISTINCT FROM new.key_rejected_reason) EXECUTE FUNCTION reevaluate_after_account();
