-- Since when a lead is active and in stage initial: its first message becomes due after that.
create or replace function set_eligible_since() returns trigger language plpgsql as $$
begin
  new.eligible_since := domain_now();
  return new;
end $$;

create or replace trigger set_eligible_since before update of is_active, stage on leads for each row
  when (new.is_active and new.stage = 'initial' and not (old.is_active and old.stage = 'initial'))
  execute function set_eligible_since();
