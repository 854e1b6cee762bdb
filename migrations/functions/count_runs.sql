-- Stamps the runs that a statement has stored with the attempt of their leads, and adds their cost to it, also of leads
-- whose history is not counted yet. While the history of a lead is being counted, its runs wait for it: the count waits for
-- the lock of the row, or these for the count.
create or replace function count_runs() returns trigger language plpgsql set plan_cache_mode = force_generic_plan as $$
declare
  wrong bigint[];
  stamps smallint[];
begin
  if exists (select from new_runs n join outcomes o on o.lead_id = n.lead_id where o.is_stale) then
    perform from leads where id in (select lead_id from new_runs) order by id for key share;
  end if;
  with given as (
    select n.lead_id, l.attempt, coalesce(sum(n.cost), 0) as cost, array_agg(n.id) filter (where n.attempt <> l.attempt) as wrong
      from new_runs n join leads l on l.id = n.lead_id group by n.lead_id, l.attempt order by n.lead_id
  ), added as (
    update outcomes o set cost = o.cost + g.cost from given g
     where o.lead_id = g.lead_id and o.attempt = g.attempt and g.cost > 0
  )
  select array_agg(id), array_agg(g.attempt) into wrong, stamps from given g cross join unnest(g.wrong) as id;
  if wrong is not null then
    update llm_runs r set attempt = a.attempt from unnest(wrong, stamps) as a (id, attempt) where r.id = a.id;
  end if;
  return null;
end $$;

create or replace trigger count_runs after insert on llm_runs
  referencing new table as new_runs for each statement execute function count_runs();
