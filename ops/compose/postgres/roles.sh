#!/bin/sh
# Run once, when the database is made: the two roles of docs/guide/operations.md, 'Roles in the database'.
set -eu
psql -v ON_ERROR_STOP=1 -U "$POSTGRES_USER" -d "$POSTGRES_DB" \
  -v app="$(cat /run/secrets/database_app_password)" \
  -v migrations="$(cat /run/secrets/database_migrations_password)" <<'SQL'
create role rapport_migrations login password :'migrations';
create role rapport_app login password :'app';
grant pg_read_all_stats to rapport_app, rapport_migrations;
alter database :"DBNAME" owner to rapport_migrations;
SQL
