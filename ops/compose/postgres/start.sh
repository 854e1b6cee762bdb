#!/bin/sh
# PostgreSQL takes a private key only when it is its own and nobody else may read it; a mounted secret is root's.
set -eu
install -d -o postgres -g postgres -m 0700 /run/postgres-tls
install -o postgres -g postgres -m 0600 /run/secrets/database_tls_key /run/postgres-tls/key
exec docker-entrypoint.sh "$@"
