#!/usr/bin/env bash
# Tells by its status whether the files that decide about the images are those of the recorded success; `unchanged.sh record` records them.
set -euo pipefail
cd "$(dirname "$0")/../../.."
record=test/deployment/containers/succeeded
sum=$(cat Dockerfile .dockerignore package-lock.json test/deployment/containers/*.{sh,ts} | sha256sum | cut -d' ' -f1)
if [ "${1:-}" = record ]; then
  echo "$sum" >"$record"
else
  [ "$(cat "$record" 2>/dev/null)" = "$sum" ]
fi
