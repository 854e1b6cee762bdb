-- A lead with a card in the CRM was moved: its new stage waits on the card until it is written there.
create or replace function set_pending_stage() returns trigger language plpgsql as $$
begin
  insert into crm_cards as c (product_id, card_id, crm_integration_id, lead_id, pending_stage, pending_stage_version, pending_stage_since)
  select new.product_id, new.crm_id::bigint, p.crm_integration_id, new.id, new.stage, 1, domain_now()
    from product_integrations p join crm_integrations i on i.id = p.crm_integration_id
   where p.product_id = new.product_id and i.is_active
   order by p.id limit 1
  on conflict (product_id, card_id) do update
    set lead_id = excluded.lead_id, pending_stage = excluded.pending_stage, pending_stage_version = c.pending_stage_version + 1,
        pending_stage_since = excluded.pending_stage_since, attempts = 0, retry_at = null, error = null
    where coalesce(c.lead_id, excluded.lead_id) = excluded.lead_id;
  new.crm_pending := found;
  return new;
end $$;

create or replace trigger set_pending_stage before update of stage on leads for each row
  when (old.stage is distinct from new.stage and new.crm_id ~ '^[1-9][0-9]{0,14}$')
  execute function set_pending_stage();
