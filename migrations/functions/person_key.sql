-- The key of the person behind an address: the same for the national variants of one number. The same rules as `personKey`
-- in src/leads/phoneNumber.ts; a test compares them. Indexes are made of it: a change needs a migration that makes them
-- again. PL/pgSQL and not SQL, so that its text is not put into every statement anew.
create or replace function person_key(address text) returns text immutable strict parallel safe language plpgsql as $$
begin
  return case
    when address ~ '^55[1-9]{2}9[6-9][0-9]{7}$' then left(address, 4) || right(address, 8)
    when address ~ '^521[0-9]{10}$' then '52' || right(address, 10)
    when address ~ '^549[0-9]{10}$' then '54' || right(address, 10)
    when address ~ '^225(0[157]|2[157])[0-9]{8}$' then '225' || right(address, 8)
    when address ~ '^22901[0-9]{8}$' then '229' || right(address, 8)
    else address
  end;
end $$;
