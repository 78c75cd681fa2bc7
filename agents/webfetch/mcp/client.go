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

// named gives each client that begins a session an id that no other can guess, and forgets it: the client shows it with each later
// request, here or at another process. It is the request that begins a session which names no version of the protocol; since the one of
// 2026-07-28, which knows no sessions, each request names it.
func named(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get(sessionHeader) == "" && r.Header.Get(versionHeader) == "" {
			w.Header().Set(sessionHeader, rand.Text())
		}
		next.ServeHTTP(w, r)
	})
}

// ownerKey is what a call's owner stands under in its context.
type ownerKey struct{}

// ownerOf returns whose sessions of cookies a call uses: its client's, when that shows its id, else those of the credential that it shows,
// whether or not anybody asks for one. The others share theirs; over stdio there is but one.
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
