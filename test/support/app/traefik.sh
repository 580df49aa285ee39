#!/usr/bin/env bash
# Builds Traefik from its Go module into ~/.cache/razorbill/traefik, where the tests look. "go install" refuses the module, because that
# replaces some of its dependencies. TRAEFIK_VERSION selects another version. Left out is what the Go module proxy may not serve, and what
# passing on requests does not need: the pages of the dashboard, the DNS providers for certificates, Traefik's module of empty extension
# types, and its fork of a library for passwords of HTTP, in place of which no password is right.
set -euo pipefail
version=${TRAEFIK_VERSION:-3.7.13}
folder=${XDG_CACHE_HOME:-$HOME/.cache}/razorbill/traefik
export GOFLAGS="-mod=mod ${GOFLAGS:-}"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# Copies a module into a folder of its own.
copy() {
  local module
  module=$(go mod download -json "$1" | grep '"Dir"' | cut -d'"' -f4)
  cp -r "$module" "$work/$2"
  chmod -R u+w "$work/$2"
}

copy "github.com/traefik/traefik/v3@v$version" traefik
cd "$work/traefik"
mkdir -p webui/static && touch webui/static/index.html
lego=$(grep -m 1 -oE 'github.com/go-acme/lego/v[0-9]+ v\S+' go.mod)
copy "${lego/ /@}" lego
find "$work/lego/providers/dns" -mindepth 1 -delete
cat >"$work/lego/providers/dns/none.go" <<'GO'
// Package dns has no providers.
package dns

import (
	"fmt"

	"LEGO/challenge"
)

func NewDNSChallengeProviderByName(name string) (challenge.Provider, error) {
	return nil, fmt.Errorf("no DNS provider: %s", name)
}
GO
sed -i "s|LEGO|${lego% *}|" "$work/lego/providers/dns/none.go"
mkdir pkg/config/dynamic/ext
printf 'module github.com/traefik/traefik/dynamic/ext\n' >pkg/config/dynamic/ext/go.mod
printf 'package ext\n\ntype HTTP struct{}\n\ntype Router struct{}\n' >pkg/config/dynamic/ext/ext.go
copy github.com/abbot/go-http-auth@v0.4.0 auth
printf 'module github.com/abbot/go-http-auth\n' >"$work/auth/go.mod"
cat >"$work/auth/fork.go" <<'GO'
package auth

import "net/http"

func CheckSecret(_, _ string) bool { return false }

func (a *DigestAuth) RequireAuthStale(w http.ResponseWriter, r *http.Request) { a.RequireAuth(w, r) }
GO
go mod edit -replace "${lego% *}=$work/lego" -replace "github.com/abbot/go-http-auth=$work/auth"
mkdir -p "$folder"
go build -o "$folder/traefik" ./cmd/traefik
