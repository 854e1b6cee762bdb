#!/bin/sh
# The two roles of docs/guide/operations.md, 'Roles in the database', with the passwords of secrets/, and the database for
# the one that owns it. Run by itself when the database is made; by hand for a database that version 1.0.0 made:
#
#   docker compose exec postgres sh /docker-entrypoint-initdb.d/roles.sh
set -eu
psql -q -v ON_ERROR_STOP=1 -U "$POSTGRES_USER" -d "$POSTGRES_DB" \
  -v app="$(cat /run/secrets/database_app_password)" \
  -v migrations="$(cat /run/secrets/database_migrations_password)" <<'SQL'
begin;
select format('create role %I login', name) from unnest(array['rapport_migrations', 'rapport_app']) as name
 where not exists (select from pg_roles where rolname = name) \gexec
alter role rapport_migrations password :'migrations';
alter role rapport_app password :'app';
grant pg_read_all_stats to rapport_app, rapport_migrations;
\i /etc/rapport/hand_over.sql
commit;
SQL
