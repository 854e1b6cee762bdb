-- Settings of an integration changed: all of its cards are read again.
create or replace function request_full_sync() returns trigger language plpgsql as $$
begin
  update amocrm_accounts set full_sync_requested = full_sync_requested + 1, next_sync_at = clock_timestamp()
   where crm_integration_id = new.crm_integration_id and state = 'connected';
  return null;
end $$;

create or replace trigger request_full_sync after insert or update on product_integrations for each row
  execute function request_full_sync();
