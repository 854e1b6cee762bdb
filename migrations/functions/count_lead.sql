-- Keeps the source of a lead's attempts when its import or its card of a CRM changes.
create or replace function count_lead() returns trigger language plpgsql as $$
begin
  update outcomes o set
    import_id = new.import_id,
    source = lead_source(new.import_id, new.crm_id, (select f.started_by from outcomes f where f.lead_id = new.id and f.attempt = 1))
   where o.lead_id = new.id and o.started_at is not null and not o.is_stale;
  return null;
end $$;

create or replace trigger count_lead after update of import_id, crm_id on leads for each row
  when (old.import_id is distinct from new.import_id or old.crm_id is distinct from new.crm_id) execute function count_lead();
