-- Has this version do the work of a job of a version before. All but one kind of job only woke work that rows hold, which
-- a sweep finds.
create or replace function adopt_job(task text, payload jsonb) returns void language plpgsql as $$
begin
  if task = 'opt_out.others' then
    insert into public.opt_out_propagations as p (lead_id, product_id)
    select l.id, l.product_id from public.leads l where l.id = (payload->>'lead')::bigint
    on conflict (lead_id) do update
      set request_count = p.request_count + 1, requested_at = clock_timestamp(), retry_at = null, attempts = 0;
  end if;
end $$;
