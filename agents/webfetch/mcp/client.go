package mcp

import (
	"crypto/rand"
	"crypto/sha256"
	"net/http"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/quorate/quorate/agents/webfetch"
	"github.com/quorate/quorate/platform/fault"
)

// Headers of the streamable HTTP binding.
const (
	sessionHeader = "Mcp-Session-Id"
	versionHeader = "Mcp-Protocol-Version"
)

const maxSessionID = 128 // bytes

// named gives each client that begins a session an unguessable id, which it does not store: the client sends it with each later request, to this
// process or another. A request without a protocol version begins a session. Since version 2026-07-28, which has no sessions, each request has the
// version.
func named(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get(sessionHeader) == "" && r.Header.Get(versionHeader) == "" {
			w.Header().Set(sessionHeader, rand.Text())
		}
		next.ServeHTTP(w, r)
	})
}

// ownerKey is the context key of a call's owner.
type ownerKey struct{}

// ownerOf returns the owner of the cookie sessions that a call uses: its client, if it sends an id; otherwise the credential that it sends, whether
// or not one is required. All other clients share theirs; over stdio there is only one.
func ownerOf(req *sdk.CallToolRequest) (string, error) {
	if req.Extra == nil {
		return "mcp", nil
	}
	id := req.Extra.Header.Get(sessionHeader)
	if len(id) > maxSessionID {
		return "", fault.Invalid(sessionHeader, webfetch.ReasonRequestInvalid, "the id of the session is longer than %d bytes", maxSessionID)
	}
	if shown := req.Extra.Header.Get("Authorization"); id == "" && shown != "" {
		digest := sha256.Sum256([]byte(shown))
		return "mcp\x00\x00" + string(digest[:]), nil
	}
	return "mcp\x00" + id, nil
}
