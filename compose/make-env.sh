#!/bin/sh
# Writes the secrets that docker-compose.yml needs into .env (readable only by you); never changes an existing .env.
set -eu
cd "$(dirname "$0")/.."
if [ -e .env ]; then
  echo ".env exists already; nothing was changed." >&2
  exit 1
fi
umask 077
cat >.env <<ENV
SECRET_KEY=$(openssl rand -hex 32)
POSTGRES_PASSWORD=$(openssl rand -hex 24)
REDIS_PASSWORD=$(openssl rand -hex 24)
S3_ACCESS_KEY_ID=GK$(openssl rand -hex 12)
S3_SECRET_ACCESS_KEY=$(openssl rand -hex 32)
# Starts Garage. Remove this line to use another store.
COMPOSE_PROFILES=garage
GARAGE_RPC_SECRET=$(openssl rand -hex 32)
# The address of Razorbill for users, such as https://files.example.org
APP_URL=
ENV
echo "wrote .env; set APP_URL in it, then: docker compose up -d --build"
