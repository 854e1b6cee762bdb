-- Since when a lead is active and in stage initial: its first message becomes due after that.
create or replace function set_eligible_since() returns trigger language plpgsql as $$
begin
  if (new.is_active and new.stage = 'initial') and not (old.is_active and old.stage = 'initial') then
    new.eligible_since := domain_now();
  end if;
  return new;
end $$;

create or replace trigger set_eligible_since before update of is_active, stage on leads for each row
  execute function set_eligible_since();
