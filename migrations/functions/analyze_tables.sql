-- Read the statistics of all tables, with the rights of their owner. For whoever has just filled them: until the
-- autovacuum comes by, the planner takes full tables for empty ones.
create or replace function analyze_tables() returns void language plpgsql
  security definer set search_path = pg_catalog, pg_temp as $$
declare one name;
begin
  for one in select tablename from pg_tables where schemaname = 'public' loop
    execute format('analyze public.%I', one);
  end loop;
end $$;
