-- Each lead has an outreach row, with its plan.
create or replace function create_outreach() returns trigger language plpgsql as $$
begin
  insert into outreach (lead_id, product_id) values (new.id, new.product_id);
  -- Its first message may be due.
  if new.stage = 'initial' then perform pg_notify('sweep', 'plan'); end if;
  return null;
end $$;

create or replace trigger create_outreach after insert on leads for each row execute function create_outreach();
