-- Stamps a message that is exchanged, after it was stored, with the attempt it belongs to. A lead who writes after having
-- refused, been ignored or failed begins another attempt; the lead is locked then. While the history of a lead is not counted
-- yet its number is not known: the message waits for a count that runs, or is left to the count that comes.
create or replace function stamp_message(m messages) returns void language plpgsql as $$
declare
  lead record;
  own_attempt smallint;
begin
  for pass in 1..2 loop
    select l.id, l.attempt, o.is_stale, m.side = 'user' and not o.is_stale and o.outcome in ('refused', 'ignore', 'failed') as is_back
      into lead
      from contacts c join leads l on l.id = c.lead_id
      left join outcomes o on o.lead_id = l.id and o.attempt = l.attempt
     where c.id = m.contact_id;
    exit when lead.is_stale is not true or pass = 2;
    perform from leads where id = lead.id for key share;
  end loop;
  own_attempt := coalesce(lead.attempt, 1);
  if lead.is_back then
    own_attempt := lead.attempt + 1;
    insert into outcomes (lead_id, attempt, product_id) values (lead.id, own_attempt, m.product_id) on conflict do nothing;
    update leads set attempt = own_attempt where id = lead.id;
  end if;
  if m.attempt <> own_attempt then
    update messages set attempt = own_attempt where id = m.id;
  end if;
end $$;
