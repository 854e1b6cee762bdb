-- What of an amoCRM account could not be read, or not be used, and was left out so that the rest is read.
create table crm_skipped (
  crm_integration_id bigint not null references crm_integrations on delete cascade,
  entity text not null check (entity in ('card', 'contact', 'pipeline', 'step', 'field')),
  -- amoCRM's id; empty if the item did not have a readable one.
  entity_id text not null,
  -- Which part could not be read. Holds nothing personal: there is no lead with which it would be erased.
  reason text not null,
  times int not null default 1,
  -- Real clock.
  first_at timestamptz(3) not null default clock_timestamp(),
  last_at timestamptz(3) not null default clock_timestamp(),
  primary key (crm_integration_id, entity, entity_id)
);

alter table crm_cards
  -- Sentences about addresses of the card that were refused, and since when (real clock).
  add column refused_addresses text,
  add column refused_at timestamptz(3),
  -- Somebody asked to read the addresses again, although the lead has some.
  add column reread_addresses boolean not null default false;
update crm_cards set refused_addresses = substr(note, length('Not imported: ') + 1), refused_at = coalesce(read_at, clock_timestamp()), note = null
 where note like 'Not imported: %';
