-- Stamps an event with the attempt of its lead. Back in line after an end, a lead begins another attempt. While the history
-- of the lead is being counted, the event waits for it; if the history is not counted yet, it is left to the count that comes.
create or replace function stamp_event() returns trigger language plpgsql as $$
declare
  is_stale boolean;
begin
  select l.attempt, exists (select from outcomes o where o.lead_id = l.id and o.is_stale) into new.attempt, is_stale
    from leads l where l.id = new.lead_id;
  if is_stale then
    perform from leads where id = new.lead_id for key share;
    select attempt into new.attempt from leads where id = new.lead_id;
  end if;
  if new.event_type = 'stage_changed' and new.event_data->>'to' = 'initial'
      and new.event_data->>'from' in ('success', 'refused', 'ignore', 'failed') then
    new.attempt := new.attempt + 1;
  end if;
  return new;
end $$;

create or replace trigger stamp_event before insert on lead_events for each row execute function stamp_event();
