-- Addresses of people who were deleted, as keyed hashes: they are not imported again and not written to first.
create table forgotten_addresses (
  product_id bigint not null references products on delete cascade,
  address_hash bytea not null,
  forgotten_at timestamptz(3) not null default domain_now(),
  primary key (product_id, address_hash)
);

-- What a file brought can be taken back together while nothing has come of it.
alter table leads add column import_key uuid;
create index leads_import on leads (product_id, import_key) where import_key is not null;
-- A lead that came without an address is known again by its id in the CRM.
create index leads_crm on leads (product_id, crm_id) where crm_id is not null;

-- A person is taken out of the trail by what its rows say of him.
create index audit_lead on audit ((coalesce(after, before) ->> 'lead_id')) where coalesce(after, before) ? 'lead_id';
create index audit_dialogue on audit ((coalesce(after, before) ->> 'dialogue_id'))
  where coalesce(after, before) ? 'dialogue_id';
