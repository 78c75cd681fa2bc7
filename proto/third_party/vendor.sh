#!/usr/bin/env bash
# Refreshes the vendored .proto files. Sources are pinned: Google's from their
# npm package (the same bytes as googleapis), the gateway's and protovalidate's
# from the Go modules that hold them. a2av1.proto is not refreshed here: it is
# the descriptor that a2a-go links, printed back as text; see ../README.md.
set -euo pipefail
cd "$(dirname "$0")"

google=google-proto-files@6.0.1
google_sha256=711763f77ea15bbc7436aac53db013b421d2c7b86ae27f4013723970ce54a96e
files=(annotations client field_behavior http httpbody launch_stage)

tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
tarball=$tmp/$(cd "$tmp" && npm pack --silent "$google")
echo "$google_sha256  $tarball" | sha256sum --check --quiet
tar -xzf "$tarball" -C "$tmp"
(cd .. && GOWORK=off go mod download github.com/grpc-ecosystem/grpc-gateway/v2)
gateway=$(GOWORK=off go -C .. list -m -f '{{.Dir}}' github.com/grpc-ecosystem/grpc-gateway/v2)

validate=$(cd "$tmp" && go mod download -json github.com/bufbuild/protovalidate@v1.2.2 | sed -n 's/.*"Dir": "\(.*\)".*/\1/p')

rm -rf google protoc-gen-openapiv2 buf
for f in "${files[@]}"; do
	install -D -m 644 "$tmp/package/google/api/$f.proto" "google/api/$f.proto"
done
install -D -m 644 -t protoc-gen-openapiv2/options "$gateway"/protoc-gen-openapiv2/options/*.proto
install -D -m 644 "$validate/proto/protovalidate/buf/validate/validate.proto" buf/validate/validate.proto
