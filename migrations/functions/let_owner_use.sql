-- The company that owns a channel or a vendor account may always use it.
create or replace function let_owner_use() returns trigger language plpgsql as $$
begin
  if new.company_id is null then
    return null;
  end if;
  if tg_table_name = 'channels' then
    insert into channel_companies values (new.id, new.company_id) on conflict do nothing;
  else
    insert into vendor_account_companies values (new.id, new.company_id) on conflict do nothing;
  end if;
  return null;
end $$;

create or replace trigger let_owner_use after insert or update of company_id on channels for each row
  execute function let_owner_use();

create or replace trigger let_owner_use after insert or update of company_id on vendor_accounts for each row
  execute function let_owner_use();
