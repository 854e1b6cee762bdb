-- One number may have national variants, under which a messenger knows one person. A person is found by any of them.
create function person_key(address text) returns text immutable strict parallel safe language plpgsql as $$
begin
  return case
    when address ~ '^55[1-9]{2}9[6-9][0-9]{7}$' then left(address, 4) || right(address, 8)
    when address ~ '^521[0-9]{10}$' then '52' || right(address, 10)
    when address ~ '^549[0-9]{10}$' then '54' || right(address, 10)
    when address ~ '^225(0[157]|2[157])[0-9]{8}$' then '225' || right(address, 8)
    when address ~ '^22901[0-9]{8}$' then '229' || right(address, 8)
    else address
  end;
end $$;

drop index contacts_address;
create index contacts_person on contacts (person_key(address), contact_type);
comment on index contacts_person is 'conversations: find the contacts of the person who wrote; leads, outreach: the leads of one person';
create index dialogues_person on dialogues (channel_id, person_key(address));
comment on index dialogues_person is 'conversations: find the dialogue of a person; outreach: whether somebody else writes with them';

-- Nobody gets a second first message. Those that people with variants of one number got before stay as a record.
alter table first_messages add column is_repeat boolean not null default false;
update first_messages f set is_repeat = true
 where exists (select 1 from first_messages o
                where o.product_id = f.product_id and person_key(o.address) = person_key(f.address) and o.address <> f.address
                  and (o.refused, o.created_at, o.message_id) < (f.refused, f.created_at, f.message_id));
create unique index first_messages_person on first_messages (product_id, person_key(address)) where not is_repeat;
comment on index first_messages_person is 'Rule: a person gets one first message of a product, ever';

-- Leads that wait for a first message are evaluated again: a number that is not valid is not written to.
update outreach o set next_at = domain_now(), retry_at = null, attempts = 0
  from leads l where l.id = o.lead_id and l.stage = 'initial' and l.is_active;
