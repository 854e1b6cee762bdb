-- Stamps a message that is exchanged with the attempt it belongs to. A lead who writes after having refused, been ignored
-- or failed begins another attempt; the lead is locked then.
create or replace function stamp_message() returns trigger language plpgsql as $$
declare
  lead record;
begin
  select l.id, l.attempt, new.side = 'user' and o.outcome in ('refused', 'ignore', 'failed') as is_back into lead
    from contacts c join leads l on l.id = c.lead_id
    left join outcomes o on o.lead_id = l.id and o.attempt = l.attempt
   where c.id = new.contact_id;
  new.attempt := coalesce(lead.attempt, 1);
  if lead.is_back then
    new.attempt := lead.attempt + 1;
    insert into outcomes (lead_id, attempt, product_id) values (lead.id, new.attempt, new.product_id) on conflict do nothing;
    update leads set attempt = new.attempt where id = lead.id;
  end if;
  return new;
end $$;

create or replace trigger stamp_message_new before insert on messages for each row
  when (is_exchanged(new.side, new.kind, new.status)) execute function stamp_message();

create or replace trigger stamp_message before update of status on messages for each row
  when (is_exchanged(new.side, new.kind, new.status) and not is_exchanged(old.side, old.kind, old.status))
  execute function stamp_message();
