#!/usr/bin/env bash
# Builds both images of the Dockerfile as root without a Docker daemon: build.sh FOLDER
# FOLDER keeps the storage and the base image. Node's official image is replaced by Debian's minimal system with Node and npm
# of this machine, because only Debian's mirror and npm's registry are needed then.
set -euo pipefail
cd "$(dirname "$0")/../../.."
folder=$(realpath -m "$1")
base=docker.io/library/node:24-bookworm-slim
mkdir -p "$folder"

# Overlay is fast, and vfs copies every layer, but runs everywhere.
source test/deployment/containers/storage.sh "$folder"

if ! buildah images --quiet "$base" >/dev/null 2>&1; then
  echo "building the base image"
  mirror=$(apt-get indextargets --format '$(REPO_URI)' 'Created-By: Packages' | head -n 1)
  root=$(mktemp -d "$folder/base-XXXXXX")
  trap 'rm -rf "$root"' EXIT
  debootstrap --variant=minbase --include=ca-certificates bookworm "$root" "$mirror" >"$folder/debootstrap.log" 2>&1 ||
    { tail -n 20 "$folder/debootstrap.log" >&2; exit 1; }
  rm -rf "$root"/var/cache/apt/archives/*.deb "$root"/var/lib/apt/lists/*
  cp "$(readlink -f node_modules/.bin/node)" "$root/usr/local/bin/node"
  mkdir -p "$root/usr/local/lib/node_modules"
  cp -r "$(npm root --global)/npm" "$root/usr/local/lib/node_modules/npm"
  ln -s ../lib/node_modules/npm/bin/npm-cli.js "$root/usr/local/bin/npm"
  echo 'node:x:1000:1000::/home/node:/bin/bash' >>"$root/etc/passwd"
  echo 'node:x:1000:' >>"$root/etc/group"
  # Certificates and settings that this machine needs to reach the mirror and the registry.
  [ ! -f "${NODE_EXTRA_CA_CERTS:-}" ] || cp "$NODE_EXTRA_CA_CERTS" "$root/etc/ssl/certs/ca-certificates.crt"
  cp /etc/apt/apt.conf.d/99* "$root/etc/apt/apt.conf.d/" 2>/dev/null || true
  container=$(buildah from scratch)
  buildah copy --quiet "$container" "$root" / >/dev/null
  buildah config --env PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin --cmd node "$container"
  [ ! -f "${NODE_EXTRA_CA_CERTS:-}" ] || buildah config --env NODE_EXTRA_CA_CERTS=/etc/ssl/certs/ca-certificates.crt "$container"
  buildah commit --quiet --rm "$container" "$base" >/dev/null
fi

volumes=(--volume "$(npm config get cache):/root/.npm")
for settings in "$(npm config get userconfig)" "$(npm config get globalconfig)"; do
  [ ! -f "$settings" ] || volumes+=(--volume "$settings:/root/.npmrc:ro")
done
for target in production standalone; do
  echo "building the target $target"
  buildah bud --quiet --layers --format docker --network host --pull-never "${volumes[@]}" --target "$target" --tag "razorbill:$target" . \
    >"$folder/$target.log" 2>&1 || { tail -n 40 "$folder/$target.log" >&2; exit 1; }
done
