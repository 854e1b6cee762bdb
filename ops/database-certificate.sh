#!/bin/sh
# Makes a certificate for PostgreSQL, and the authority that nodes verify it by:
#
#   ops/database-certificate.sh FOLDER NAME       NAME: the host by which nodes reach the database, as in DATABASE_URL
#
# FOLDER gets database_ca (for nodes), database_certificate and database_tls_key (for PostgreSQL: ssl_cert_file and
# ssl_key_file). What is there stays: to renew, remove the three, run it again, and restart PostgreSQL and the nodes.
# The authority's own key is thrown away, so that it vouches for nothing else.
set -eu
umask 077
folder=$1
name=$2
[ ! -s "$folder/database_ca" ] || exit 0
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
# What openssl says is of interest when it fails.
quietly() { "$@" 2> "$work/said" || { cat "$work/said" >&2; exit 1; }; }
quietly openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 3650 -subj "/CN=Rapport database authority" \
  -addext keyUsage=critical,keyCertSign -keyout "$work/ca.key" -out "$work/ca"
quietly openssl req -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -subj "/CN=$name" \
  -keyout "$work/key" -out "$work/request"
printf 'subjectAltName=DNS:%s\nextendedKeyUsage=serverAuth\nbasicConstraints=critical,CA:FALSE\n' "$name" > "$work/extensions"
quietly openssl x509 -req -in "$work/request" -CA "$work/ca" -CAkey "$work/ca.key" -set_serial "0x$(openssl rand -hex 15)" -days 3650 \
  -extfile "$work/extensions" -out "$work/certificate"
mv "$work/key" "$folder/database_tls_key"
mv "$work/certificate" "$folder/database_certificate"
mv "$work/ca" "$folder/database_ca"
