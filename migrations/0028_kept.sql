-- An item that cannot be worked on: others do not wait for it, and after several tries it is set aside.
alter table inbox
  drop constraint inbox_state_check,
  add constraint inbox_state_check check (state in ('new', 'held', 'failed', 'done')),
  -- In vain, since it came or was kept for its message.
  add column tries int not null default 0,
  -- Real clock: pause after a try in vain.
  add column retry_at timestamptz(3);

-- When a credential was last tested well: it may have been mended where nobody tells us.
alter table company_llms add column worked_at timestamptz(3);

-- What a model's key kept from being said is thought about again when keys change, or work again.
create function outreach_of_credential() returns trigger language plpgsql as $$
begin
  update outreach_products o set replan = true
    from products p
   where p.company_id = case when tg_op = 'DELETE' then old.company_id else new.company_id end and o.product_id = p.id;
  return null;
end $$;
create trigger outreach_of_credential after insert or update or delete on company_llms
  for each row execute function outreach_of_credential();

-- A lead that a human took over as a whole, perhaps before anybody wrote: nothing is written to it first, and its dialogues
-- begin owned by a human, for this reason.
alter table leads
  add column human_reason text,
  add column human_since timestamptz(3);
drop trigger outreach_of_lead on leads;
create trigger outreach_of_lead after update on leads for each row
  when (old.is_active is distinct from new.is_active or old.stage is distinct from new.stage
        or old.timezone is distinct from new.timezone or old.name is distinct from new.name
        or old.crm_fields is distinct from new.crm_fields or old.human_reason is distinct from new.human_reason)
  execute function outreach_of_lead();

-- Vendor ids of a message's tries before it was sent again by hand: their echoes are ours too.
alter table messages add column earlier_ext_ids text[] not null default '{}';
create index messages_earlier_ext on messages using gin (earlier_ext_ids) where earlier_ext_ids <> '{}';
