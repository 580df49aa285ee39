#!/usr/bin/env bash
# Builds both images and uses them: run-all.sh [FOLDER]. FOLDER keeps the storage, by default ~/.cache/razorbill/containers.
# A success is recorded in the file `succeeded`, which is committed.
set -euo pipefail
cd "$(dirname "$0")/../../.."
folder=$(realpath -m "${1:-${XDG_CACHE_HOME:-$HOME/.cache}/razorbill/containers}")
missing() { echo "containers: not tried: $1" >&2; exit 77; }
[ "$(id -u)" -eq 0 ] || missing "needs root"
unshare --mount --pid --fork mount --make-rprivate / 2>/dev/null || missing "this machine forbids mounts"
for program in buildah debootstrap; do
  command -v "$program" >/dev/null || missing "$program is not installed: apt-get install buildah debootstrap"
done
test/deployment/containers/build.sh "$folder"
source test/deployment/containers/storage.sh "$folder"
PATH="$PWD/node_modules/.bin:$PATH" # for Node 24
export PATH
tap test/deployment/containers/journey.ts
buildah rmi --prune >/dev/null
test/deployment/containers/unchanged.sh record
