#!/bin/sh
# Makes the secrets that compose.yml names, each once; what is there stays. The certificate is yours to bring:
# secrets/certificate.pem, certificate and key in one file.
set -eu
umask 077
cd "$(dirname "$0")"
mkdir -p secrets
make() { [ -s "secrets/$1" ] || head -c 32 /dev/urandom | base64 | tr '+/' '-_' | tr -d '=\n' > "secrets/$1"; }
make database_password
make database_app_password
make database_migrations_password
make secret_key
[ -e secrets/other_secret_keys ] || : > secrets/other_secret_keys
make metrics_token
make grafana_password
../database-certificate.sh secrets postgres
# Nodes speak to the database by TLS, and only to the one that has this certificate.
verified='sslmode=verify-full&sslrootcert=/run/secrets/database_ca'
url() {
  [ -s "secrets/$1" ] ||
    printf 'postgres://%s:%s@postgres:5432/rapport?%s' "$2" "$(cat "secrets/$3")" "$verified" > "secrets/$1"
}
url database_url rapport_app database_app_password
url database_migrations_url rapport_migrations database_migrations_password
# Read by users of the containers that are not root: the folder keeps others on this machine out.
chmod 0444 secrets/*
chmod 0700 secrets
echo "Secrets are in $(pwd)/secrets. Keep secret_key in another place too: without it no stored key can be read."
[ -s secrets/certificate.pem ] || echo "Still missing: secrets/certificate.pem"
