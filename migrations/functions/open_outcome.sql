-- Begins the ledger of a lead: its first attempt has begun once a message is exchanged.
create or replace function open_outcome() returns trigger language plpgsql as $$
begin
  insert into outcomes (lead_id, attempt, product_id) values (new.id, 1, new.product_id);
  return null;
end $$;

create or replace trigger open_outcome after insert on leads for each row execute function open_outcome();
