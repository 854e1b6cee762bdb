#!/bin/sh
# Makes the secrets that compose.yml names, each once; what is there stays. The certificate is yours to bring:
# secrets/certificate.pem, certificate and key in one file.
set -eu
umask 077
cd "$(dirname "$0")"
mkdir -p secrets
make() { [ -s "secrets/$1" ] || head -c 32 /dev/urandom | base64 | tr '+/' '-_' | tr -d '=\n' > "secrets/$1"; }
make database_password
make secret_key
make metrics_token
make grafana_password
[ -s secrets/database_url ] ||
  printf 'postgres://rapport:%s@postgres:5432/rapport' "$(cat secrets/database_password)" > secrets/database_url
# Read by users of the containers that are not root: the folder keeps others on this machine out.
chmod 0444 secrets/*
chmod 0700 secrets
echo "Secrets are in $(pwd)/secrets. Keep secret_key in another place too: without it no stored key can be read."
[ -s secrets/certificate.pem ] || echo "Still missing: secrets/certificate.pem"
