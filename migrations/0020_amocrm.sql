-- amoCRM. What an integration is to the company stands in crm_integrations; this is its account and the keys to it.
create table amocrm_accounts (
  crm_integration_id bigint primary key references crm_integrations on delete cascade,
  -- amoCRM's own number of the account; the disconnect hook names it.
  account_id bigint not null,
  account_name text not null,
  -- Where its API is called; checked against the vendor's domains before it was stored.
  host text not null,
  client_id text not null,
  -- Null: the integration of this installation, whose secret is a setting.
  client_secret_sealed text,
  redirect_uri text not null,
  access_token_sealed text,
  refresh_token_sealed text,
  -- Real clock, as everything here.
  access_expires_at timestamptz(3),
  refreshed_at timestamptz(3),
  -- Rises with each pair, so that an answer that came late never replaces a newer pair.
  pair int not null default 0,
  -- One refresh at a time: who is at it, and until when nobody else is.
  refresh_by uuid,
  refresh_until timestamptz(3),
  state text not null default 'connected' check (state in ('connected', 'reconnect', 'disconnected')),
  state_reason text,
  state_since timestamptz(3) not null default clock_timestamp(),
  -- A disconnect hook came and is not yet confirmed.
  disconnect_asked_at timestamptz(3),
  hook_secret_hash bytea not null unique,
  hook_secret_sealed text not null,
  hooks text not null default 'unknown' check (hooks in ('unknown', 'subscribed', 'unavailable')),
  hooks_reason text,
  -- When the account is to be looked at again: keep-alive, subscription, poll.
  look_at timestamptz(3) not null default clock_timestamp(),
  -- Who looks, since when: two at once would ask everything twice.
  held_by uuid,
  held_at timestamptz(3),
  hooks_checked_at timestamptz(3),
  polled_at timestamptz(3),
  -- Unix seconds by amoCRM's clock: changes before it have been seen.
  polled_until bigint not null default 0,
  -- Settings changed: cards that stand in the first step already are looked for.
  whole_wanted int not null default 1,
  whole_done int not null default 0,
  tries int not null default 0,
  last_sync_at timestamptz(3),
  last_sync jsonb not null default '{}',
  last_error text,
  last_error_at timestamptz(3),
  -- Pipelines with steps and fields, as last read.
  directory jsonb,
  directory_read_at timestamptz(3)
);
create index amocrm_accounts_due on amocrm_accounts (look_at) where state <> 'disconnected';
create index amocrm_accounts_account on amocrm_accounts (account_id, client_id);

-- A connection that was begun: by whose session, for which company. Kept as hashes, for half an hour.
create table amocrm_states (
  state_hash bytea primary key,
  session_hash bytea not null,
  company_id bigint not null references companies on delete cascade,
  -- 'ordinary': by the installation's own integration; 'external': amoCRM makes one and posts its secrets.
  flow text not null check (flow in ('ordinary', 'external')),
  created_at timestamptz(3) not null default clock_timestamp(),
  secrets_at timestamptz(3),
  client_id text,
  client_secret_sealed text,
  landed_at timestamptz(3)
);
create index amocrm_states_created on amocrm_states (created_at);

-- A card as last read or written. The lead may be gone; then the card is not taken again.
create table crm_cards (
  product_id bigint not null references products on delete cascade,
  card_id bigint not null,
  crm_integration_id bigint not null references crm_integrations on delete cascade,
  lead_id bigint,
  pipeline_id bigint,
  status_id bigint,
  -- Unix seconds by the CRM's clock.
  card_updated_at bigint,
  -- When the read that is kept here began (real clock).
  read_at timestamptz(3),
  note text,
  -- The stage that is still to be written to the CRM.
  wish text check (wish in ('initial', 'started', 'ongoing', 'pending', 'refused', 'ignore', 'success', 'failed')),
  wish_no int not null default 0,
  wish_at timestamptz(3),
  tries int not null default 0,
  retry_at timestamptz(3),
  error text,
  -- Who writes, since when: two writes at once could arrive in the wrong order.
  held_by uuid,
  held_at timestamptz(3),
  primary key (product_id, card_id),
  foreign key (lead_id, product_id) references leads (id, product_id) on delete set null (lead_id)
);
create index crm_cards_lead on crm_cards (lead_id) where lead_id is not null;
create index crm_cards_wish on crm_cards (retry_at) where wish is not null;
create index crm_cards_integration on crm_cards (crm_integration_id, card_id);

-- Cards and contacts that a hook told of, to be read again. Any number of hooks about one is one row.
create table crm_changes (
  crm_integration_id bigint not null references crm_integrations on delete cascade,
  entity text not null check (entity in ('card', 'person')),
  entity_id bigint not null,
  -- Rises with each hook: what came while it was read calls for another look.
  told int not null default 1,
  told_at timestamptz(3) not null default clock_timestamp(),
  tries int not null default 0,
  retry_at timestamptz(3),
  held_by uuid,
  held_at timestamptz(3),
  primary key (crm_integration_id, entity, entity_id)
);
create index crm_changes_due on crm_changes (retry_at);

alter table leads add column crm_pending boolean not null default false;

-- Whoever moves a lead that stands in the CRM has its card moved too; what shall stay here takes the wish back.
create function crm_of_lead() returns trigger language plpgsql as $$
begin
  insert into crm_cards as c (product_id, card_id, crm_integration_id, lead_id, wish, wish_no, wish_at)
  select new.product_id, new.crm_id::bigint, p.crm_integration_id, new.id, new.stage, 1, clock_timestamp()
    from product_integrations p join crm_integrations i on i.id = p.crm_integration_id
   where p.product_id = new.product_id and i.is_active
   order by p.id limit 1
  on conflict (product_id, card_id) do update
    set lead_id = excluded.lead_id, wish = excluded.wish, wish_no = c.wish_no + 1, wish_at = excluded.wish_at, tries = 0, retry_at = null, error = null
    where coalesce(c.lead_id, excluded.lead_id) = excluded.lead_id;
  new.crm_pending := found;
  return new;
end $$;
create trigger crm_of_lead before update of stage on leads for each row
  when (old.stage is distinct from new.stage and new.crm_id ~ '^[1-9][0-9]{0,14}$')
  execute function crm_of_lead();

-- Settings changed: the first step may be another one.
create function crm_of_setting() returns trigger language plpgsql as $$
begin
  update amocrm_accounts set whole_wanted = whole_wanted + 1, look_at = clock_timestamp()
   where crm_integration_id = new.crm_integration_id and state = 'connected';
  return null;
end $$;
create trigger crm_of_setting after insert or update on product_integrations
  for each row execute function crm_of_setting();
