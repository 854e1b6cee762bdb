create table channels (
  id bigint not null generated always as identity,
  account_id bigint not null,
  name text not null,
  number text,
  vendor text not null,
  channel_type text not null,
  vendor_ref text not null,
  config jsonb not null default '{}'::jsonb,
  is_active boolean not null default true,
  is_session_active boolean not null default false,
  state text,
  paused_until timestamptz(3),
  pause_reason text,
  created_at timestamptz(3) not null default domain_now(),
  first_messages_stopped_at timestamptz(3),
  first_messages_stopped_reason text,
  first_messages_resumed_at timestamptz(3),
  qr text,
  revision integer not null default 1,
  company_id bigint,
  constraint channels_pkey PRIMARY KEY (id),
  constraint channels_account_id_vendor_ref_key UNIQUE (account_id, vendor_ref),
  constraint channels_account_id_company_id_fkey FOREIGN KEY (account_id, company_id) REFERENCES vendor_account_companies(account_id, company_id),
  constraint channels_account_id_fkey FOREIGN KEY (account_id) REFERENCES vendor_accounts(id),
  constraint channels_company_id_fkey FOREIGN KEY (company_id) REFERENCES companies(id),
  constraint channels_id_company_id_fkey FOREIGN KEY (id, company_id) REFERENCES channel_companies(channel_id, company_id) DEFERRABLE INITIALLY DEFERRED,
  constraint channels_channel_type_check CHECK (channel_type = ANY (ARRAY['telegram'::text, 'whatsapp'::text])),
  constraint channels_name_check CHECK (btrim(name) <> ''::text),
  constraint channels_vendor_check CHECK (vendor = ANY (ARRAY['wazzup24'::text, 'chatpush'::text]))
);

-- migrations/functions/let_owner_use.sql
CREATE TRIGGER let_owner_use AFTER INSERT OR UPDATE OF company_id ON channels FOR EACH ROW EXECUTE FUNCTION let_owner_use();

-- migrations/functions/reevaluate_after_channel.sql
CREATE TRIGGER reevaluate AFTER UPDATE ON channels FOR EACH ROW WHEN (old.is_active IS DISTINCT FROM new.is_active OR old.paused_until IS DISTINCT FROM new.paused_until OR old.first_messages_stopped_at IS DISTINCT FROM new.first_messages_stopped_at OR old.config IS DISTINCT FROM new.config OR old.is_session_active IS DISTINCT FROM new.is_session_active) EXECUTE FUNCTION reevaluate_after_channel();

-- migrations/functions/increment_revision.sql
CREATE TRIGGER revision BEFORE UPDATE ON channels FOR EACH ROW WHEN (old.name IS DISTINCT FROM new.name OR old.number IS DISTINCT FROM new.number OR old.vendor IS DISTINCT FROM new.vendor OR old.channel_type IS DISTINCT FROM new.channel_type OR old.vendor_ref IS DISTINCT FROM new.vendor_ref OR old.account_id IS DISTINCT FROM new.account_id OR old.config IS DISTINCT FROM new.config OR old.is_active IS DISTINCT FROM new.is_active OR old.company_id IS DISTINCT FROM new.company_id) EXECUTE FUNCTION increment_revision();
