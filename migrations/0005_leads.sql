create table leads (
  id bigint generated always as identity primary key,
  product_id bigint not null references products,
  name text not null check (btrim(name) <> ''),
  crm_id text,
  crm_fields jsonb not null default '{}',
  created_at timestamptz(3) not null default domain_now(),
  updated_at timestamptz(3) not null default domain_now(),
  recognized_deactivation_request boolean not null default false,
  timezone text,
  status text,
  stage text not null default 'initial' check (stage in
    ('initial', 'started', 'ongoing', 'pending', 'refused', 'ignore', 'success', 'failed')),
  is_active boolean not null default true,
  unique (id, product_id)
);
create index leads_product on leads (product_id, id);
create index leads_product_stage on leads (product_id, stage, id);
create index leads_created on leads (created_at);

create table lead_events (
  id bigint generated always as identity primary key,
  lead_id bigint not null,
  product_id bigint not null,
  event_type text not null check (event_type in ('activated', 'deactivated', 'stage_changed', 'crm_status_changed')),
  event_data jsonb not null default '{}',
  created_at timestamptz(3) not null default domain_now(),
  foreign key (lead_id, product_id) references leads (id, product_id) on delete cascade
);
create index lead_events_lead on lead_events (lead_id, id);
create index lead_events_product on lead_events (product_id, id);

create table contacts (
  id bigint generated always as identity primary key,
  lead_id bigint not null,
  product_id bigint not null,
  contact text not null check (btrim(contact) <> ''),
  contact_type text not null check (contact_type in ('telegram', 'whatsapp')),
  -- Normalised: digits with country code, or a lower-case Telegram username.
  address text not null,
  is_main boolean not null default false,
  created_at timestamptz(3) not null default domain_now(),
  unique (id, product_id),
  unique (lead_id, contact_type, address),
  foreign key (lead_id, product_id) references leads (id, product_id) on delete cascade
);
create index contacts_product on contacts (product_id, id);
create index contacts_address on contacts (address, contact_type);
create unique index contacts_main on contacts (lead_id, contact_type) where is_main;
