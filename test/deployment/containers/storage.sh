# Sourced with a folder as its argument: sets where buildah stores images, and how it runs commands without a daemon.
export BUILDAH_ISOLATION=chroot STORAGE_DRIVER=overlay
cat >"$1/storage.conf" <<C
[storage]
driver = "overlay"
graphroot = "$1/storage"
runroot = "$1/run"
C
export CONTAINERS_STORAGE_CONF=$1/storage.conf
if ! buildah info >/dev/null 2>&1; then
  export STORAGE_DRIVER=vfs
  sed -i 's/"overlay"/"vfs"/' "$1/storage.conf"
fi
