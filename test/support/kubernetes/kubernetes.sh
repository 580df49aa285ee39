#!/usr/bin/env bash
# A real Kubernetes API server with etcd and no nodes: it admits, stores and answers as in a cluster, and no container runs.
#   kubernetes.sh build [FOLDER]      builds etcd, kube-apiserver and helm from the Go module proxy, once (10 to 30 minutes on two cores)
#   kubernetes.sh run FOLDER CMD…     starts both, runs CMD with KUBECONFIG and PATH set, and stops both
# KUBERNETES_VERSION and ETCD_VERSION select other versions. FOLDER is by default ~/.cache/razorbill/kubernetes, with another version
# ~/.cache/razorbill/kubernetes-VERSION. The tests look there, with the same variable.
set -euo pipefail
what=${1:-}
folder=$(realpath -m "${2:-${XDG_CACHE_HOME:-$HOME/.cache}/razorbill/kubernetes${KUBERNETES_VERSION:+-$KUBERNETES_VERSION}}")
shift $(($# < 2 ? $# : 2))
kubernetes=${KUBERNETES_VERSION:-1.36.3} etcd=${ETCD_VERSION:-3.6.5} helm=3.22.0
export GOFLAGS="-mod=mod ${GOFLAGS:-}"

build_etcd() {
  mkdir -p "$folder/src-etcd" && cd "$folder/src-etcd"
  printf 'package main\n\nimport (\n\t"os"\n\n\t"go.etcd.io/etcd/server/v3/etcdmain"\n)\n\nfunc main() { etcdmain.Main(os.Args) }\n' >main.go
  printf 'module etcd\n\ngo 1.26.0\n\nrequire go.etcd.io/etcd/server/v3 v%s\n' "$etcd" >go.mod
  go mod tidy && go build -o "$folder/etcd" .
}

build_apiserver() {
  mkdir -p "$folder/src-apiserver" && cd "$folder/src-apiserver"
  cat >main.go <<'GO'
package main

import (
	"os"

	"k8s.io/component-base/cli"
	_ "k8s.io/component-base/logs/json/register"
	"k8s.io/kubernetes/cmd/kube-apiserver/app"
)

func main() { os.Exit(cli.Run(app.NewAPIServerCommand())) }
GO
  # Kubernetes' own modules have no versions in its go.mod, so each gets the one of the release.
  local description at=k8s.io/component-base/version
  description=$(go mod download -json "k8s.io/kubernetes@v$kubernetes" | grep '"GoMod"' | cut -d'"' -f4)
  {
    printf 'module apiserver\n\ngo 1.26.0\n\nrequire k8s.io/kubernetes v%s\n\nreplace (\n' "$kubernetes"
    grep -E '^\s+k8s.io/\S+ v0\.0\.0$' "$description" | awk -v v="0.${kubernetes#1.}" '{print "\t"$1" => "$1" v"v}'
    printf ')\n'
  } >go.mod
  # Without the drivers of clouds that versions below 1.31 had: one of their modules is not in the checksum database.
  go build -tags providerless -ldflags "-X $at.gitVersion=v$kubernetes -X $at.gitMajor=1 -X $at.gitMinor=$(cut -d. -f2 <<<"$kubernetes")" -o "$folder/kube-apiserver" .
}

pids=() work=
# Stops the API server first: without etcd it would take a minute to end.
stop() {
  for pid in "${pids[@]}"; do
    kill "$pid" 2>/dev/null || true
    for _ in $(seq 50); do kill -0 "$pid" 2>/dev/null || break; sleep 0.1; done
    kill -9 "$pid" 2>/dev/null || true
  done
  rm -rf "$work"
}

run() {
  local client peer port
  work=$(mktemp -d)
  trap stop EXIT
  client=$((20000 + RANDOM % 12000)) peer=$((client + 1)) port=$((client + 2))
  openssl genrsa -out "$work/accounts.key" 2048 2>/dev/null
  echo 'token,admin,1,"system:masters"' >"$work/tokens.csv"
  "$folder/etcd" --data-dir "$work/etcd" --unsafe-no-fsync \
    --listen-client-urls "http://127.0.0.1:$client" --advertise-client-urls "http://127.0.0.1:$client" \
    --listen-peer-urls "http://127.0.0.1:$peer" >"$work/etcd.log" 2>&1 &
  pids=($!)
  "$folder/kube-apiserver" --etcd-servers="http://127.0.0.1:$client" --service-account-issuer=https://localhost \
    --service-account-key-file="$work/accounts.key" --service-account-signing-key-file="$work/accounts.key" \
    --authorization-mode=RBAC --token-auth-file="$work/tokens.csv" --cert-dir="$work/certs" --secure-port=$port \
    --bind-address=127.0.0.1 --service-cluster-ip-range=10.96.0.0/16 >"$work/apiserver.log" 2>&1 &
  pids=($! "${pids[@]}")
  local user='{name: u, user: {token: token}}' context='{name: x, context: {cluster: c, user: u}}'
  printf 'apiVersion: v1\nkind: Config\nclusters: [{name: c, cluster: {server: "https://127.0.0.1:%s", insecure-skip-tls-verify: true}}]\nusers: [%s]\ncontexts: [%s]\ncurrent-context: x\n' \
    "$port" "$user" "$context" >"$work/kubeconfig"
  for attempt in $(seq 120); do
    curl -sk -H 'Authorization: Bearer token' "https://127.0.0.1:$port/readyz" 2>/dev/null | grep -q '^ok' && break
    [ "$attempt" -lt 120 ] || { tail -n 20 "$work/apiserver.log" >&2; exit 1; }
    sleep 1
  done
  KUBE_API=https://127.0.0.1:$port KUBECONFIG=$work/kubeconfig PATH=$folder:$PATH "$@"
}

case $what in
build)
  build_etcd
  build_apiserver
  GOBIN=$folder go install "helm.sh/helm/v3/cmd/helm@v$helm"
  ;;
run) run "$@" ;;
*) echo "usage: kubernetes.sh build [FOLDER] | run FOLDER COMMAND…" >&2; exit 2 ;;
esac
