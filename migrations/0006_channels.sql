-- One row for each API key we hold: hooks, pace and a dead key belong to the account, not to the channel.
create table vendor_accounts (
  id bigint generated always as identity primary key,
  vendor text not null check (vendor in ('wazzup24', 'chatpush')),
  -- How the key is shown: … and its last four characters.
  key_mask text not null,
  -- Keyed hash of vendor and API key: finds the account without keeping the key readable.
  key_hash bytea not null,
  api_key_sealed text not null,
  hook_secret_hash bytea not null unique,
  hook_secret_sealed text not null,
  hook_registered_at timestamptz(3),
  -- Set when the vendor said the key is wrong; all sends of the account wait.
  dead_reason text,
  created_at timestamptz(3) not null default domain_now(),
  unique (vendor, key_hash)
);

create table channels (
  id bigint generated always as identity primary key,
  account_id bigint not null references vendor_accounts,
  name text not null check (btrim(name) <> ''),
  number text,
  vendor text not null check (vendor in ('wazzup24', 'chatpush')),
  channel_type text not null check (channel_type in ('telegram', 'whatsapp')),
  -- The vendor's reference of the channel within the account.
  vendor_ref text not null,
  config jsonb not null default '{}',
  is_active boolean not null default true,
  is_session_active boolean not null default false,
  state text,
  -- Sends wait until then (real clock) after a channel-level refusal.
  paused_until timestamptz(3),
  pause_reason text,
  created_at timestamptz(3) not null default domain_now(),
  unique (account_id, vendor_ref)
);

create table product_channels (
  product_id bigint not null references products on delete cascade,
  channel_id bigint not null references channels,
  inbound_enabled boolean not null default false,
  delay_messages_symbols_per_second int check (delay_messages_symbols_per_second >= 1),
  delay_messages_seconds int check (delay_messages_seconds >= 0),
  primary key (product_id, channel_id)
);
create unique index product_channels_inbound on product_channels (channel_id) where inbound_enabled;
create index product_channels_channel on product_channels (channel_id);
