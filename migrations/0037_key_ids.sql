-- The key of keyed hashes, sealed: it stays the same when the secret key changes, so that what is found by its hash
-- (accounts, addresses of people who were erased) is still found.
alter table installation add column hash_key_sealed text;

-- `npm run rekey` seals the same secrets again: that is no change that an editor has to hear of.
create or replace function raise_revision() returns trigger language plpgsql as $$
begin
  if current_setting('rapport.rekeying', true) = 'on' then return new; end if;
  new.revision := old.revision + 1;
  return new;
end $$;
