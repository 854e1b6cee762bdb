-- Read the statistics of tables that have doubled since they were last read, with the rights of their owner. The autovacuum
-- comes by once a minute; until then the planner takes a table that was just filled for an empty one, and reads all of it
-- for each row. One that somebody else reads the statistics of is left to them.
create or replace function analyze_grown_tables() returns void language plpgsql
  security definer set search_path = pg_catalog, pg_temp as $$
declare one name;
begin
  for one in
    select s.relname from pg_stat_user_tables s join pg_class c on c.oid = s.relid
     where s.schemaname = 'public' and s.n_mod_since_analyze > greatest(c.reltuples, 50)
  loop
    execute format('analyze (skip_locked) public.%I', one);
  end loop;
end $$;
