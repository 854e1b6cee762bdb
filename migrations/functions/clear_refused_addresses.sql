-- What was refused of a lead's addresses goes with the lead.
create or replace function clear_refused_addresses() returns trigger language plpgsql as $$
begin
  new.refused_addresses := null;
  new.refused_at := null;
  return new;
end $$;
create or replace trigger clear_refused_addresses before update of lead_id on crm_cards for each row
  when (new.lead_id is null and new.refused_addresses is not null)
  execute function clear_refused_addresses();
