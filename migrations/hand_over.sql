-- Gives a database and all that is in it to rapport_migrations. Run as the superuser, as often as one likes: version 1.0.0
-- made everything as one role. Sequences of columns and parts of extensions follow what they belong to.
do $$
declare one record;
begin
  for one in select format('schema %I', nspname) as what from pg_namespace
              where nspname not like 'pg\_%' and nspname not in ('information_schema', 'public')
  loop execute format('alter %s owner to rapport_migrations', one.what); end loop;
  for one in
    select format('%s %s', case c.relkind when 'S' then 'sequence' when 'v' then 'view'
                                          when 'm' then 'materialized view' when 'c' then 'type' else 'table' end,
                  c.oid::regclass) as what
      from pg_class c join pg_namespace n on n.oid = c.relnamespace
     where n.nspname not like 'pg\_%' and n.nspname <> 'information_schema'
       and c.relkind in ('r', 'p', 'S', 'v', 'm', 'c')
       and not exists (select from pg_depend d where d.classid = 'pg_class'::regclass and d.objid = c.oid
                                                 and d.deptype in ('a', 'i', 'e'))
  loop execute format('alter %s owner to rapport_migrations', one.what); end loop;
  for one in
    select format('routine %s', p.oid::regprocedure) as what
      from pg_proc p join pg_namespace n on n.oid = p.pronamespace
     where n.nspname not like 'pg\_%' and n.nspname <> 'information_schema'
       and not exists (select from pg_depend d where d.classid = 'pg_proc'::regclass and d.objid = p.oid and d.deptype = 'e')
  loop execute format('alter %s owner to rapport_migrations', one.what); end loop;
  for one in
    select format('type %s', t.oid::regtype) as what
      from pg_type t join pg_namespace n on n.oid = t.typnamespace
     where n.nspname not like 'pg\_%' and n.nspname <> 'information_schema' and t.typtype in ('d', 'e')
       and not exists (select from pg_depend d where d.classid = 'pg_type'::regclass and d.objid = t.oid and d.deptype = 'e')
  loop execute format('alter %s owner to rapport_migrations', one.what); end loop;
  -- Last: what tells that it has been done.
  execute format('alter database %I owner to rapport_migrations', current_database());
end $$;
