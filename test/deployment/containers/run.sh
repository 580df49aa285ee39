#!/usr/bin/env bash
# Runs an image's program as a container does: run.sh ROOT VOLUME USER NAME=VALUE… COMMAND…
# ROOT is the mounted image, read-only like the rest. VOLUME becomes /data, and there is no other place to write, except
# /dev/shm, which Docker has too. The program is process 1, has group 0 and no capabilities, and uses this machine's network.
set -euo pipefail
root=$1 volume=$2 user=$3
shift 3
if [ "$$" -ne 1 ]; then exec unshare --mount --pid --ipc --uts --fork --kill-child "$0" "$root" "$volume" "$user" "$@"; fi
mount --make-rprivate /
mount --bind "$root" "$root"
mount -o remount,bind,ro "$root"
mount -t proc proc "$root/proc"
mount -t tmpfs -o mode=755 tmpfs "$root/dev"
for device in null zero full random urandom; do
  : >"$root/dev/$device"
  mount --bind "/dev/$device" "$root/dev/$device"
done
mkdir "$root/dev/shm"
mount -o remount,ro "$root/dev"
mount -t tmpfs -o mode=1777,size=64m tmpfs "$root/dev/shm"
mount --bind "$volume" "$root/data"
exec chroot "$root" setpriv --reuid="$user" --regid=0 --clear-groups --no-new-privs --bounding-set=-all --inh-caps=-all \
  env --ignore-environment --chdir=/app "$@"
