-- Have a lead's outreach evaluated. Only processes of the version before call it, in a rolling upgrade.
create or replace function reevaluate_lead(lead bigint) returns void language plpgsql as $$
begin
  update outreach set next_at = domain_now(), retry_at = null, attempts = 0
   where lead_id = lead
     and (xmin = pg_current_xact_id()::xid and next_at <= domain_now() and retry_at is null and attempts = 0) is not true;
end $$;
