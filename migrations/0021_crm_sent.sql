-- The step that was last sent to the CRM and has not been seen there: found on the card it is our own write that comes
-- back, also when its answer was lost, and no move of somebody else's.
alter table crm_cards add column sent_pipeline_id bigint;
alter table crm_cards add column sent_status_id bigint;

-- When a wish was made is compared with the CRM's own times, so it is told by the domain's clock.
create or replace function crm_of_lead() returns trigger language plpgsql as $$
begin
  insert into crm_cards as c (product_id, card_id, crm_integration_id, lead_id, wish, wish_no, wish_at)
  select new.product_id, new.crm_id::bigint, p.crm_integration_id, new.id, new.stage, 1, domain_now()
    from product_integrations p join crm_integrations i on i.id = p.crm_integration_id
   where p.product_id = new.product_id and i.is_active
   order by p.id limit 1
  on conflict (product_id, card_id) do update
    set lead_id = excluded.lead_id, wish = excluded.wish, wish_no = c.wish_no + 1, wish_at = excluded.wish_at, tries = 0, retry_at = null, error = null
    where coalesce(c.lead_id, excluded.lead_id) = excluded.lead_id;
  new.crm_pending := found;
  return new;
end $$;
