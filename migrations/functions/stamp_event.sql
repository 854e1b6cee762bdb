-- Stamps an event with the attempt of its lead. Back in line after an end, a lead begins another attempt.
create or replace function stamp_event() returns trigger language plpgsql as $$
begin
  select l.attempt + (new.event_type = 'stage_changed' and new.event_data->>'to' = 'initial'
                      and new.event_data->>'from' in ('success', 'refused', 'ignore', 'failed'))::int
    into new.attempt from leads l where l.id = new.lead_id;
  return new;
end $$;

create or replace trigger stamp_event before insert on lead_events for each row execute function stamp_event();
