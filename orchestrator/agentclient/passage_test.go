package agentclient_test

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/quorate/quorate/orchestrator/agentclient"
	"github.com/quorate/quorate/platform/fault"
)

// TestAnErrorOfTheWayIsNotPassedOn has an agent, or what stands before it, answer with an error in JSON-RPC: only one that is the agent's own goes to the
// caller, who could do nothing about Quorate's credential.
func TestAnErrorOfTheWayIsNotPassedOn(t *testing.T) {
	t.Parallel()
	const body = `{"jsonrpc":"2.0","id":1,"error":{"code":-32001,"message":"no"}}`
	for code, want := range map[int]string{
		http.StatusOK: "", http.StatusBadRequest: "", http.StatusNotFound: "",
		http.StatusUnauthorized: agentclient.ReasonDenied, http.StatusForbidden: agentclient.ReasonDenied,
		http.StatusInternalServerError: agentclient.ReasonRefused, http.StatusServiceUnavailable: agentclient.ReasonUnreachable,
	} {
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(code)
			_, _ = fmt.Fprint(w, body)
		}))
		t.Cleanup(server.Close)
		got, err := post(t.Context(), pool(t).PassageOverJSONRPC("a", cardOf(server.URL)), "{}")
		if fault.ReasonOf(err) != want || (err == nil) != (got == body) {
			t.Errorf("ReadAnswer() of HTTP %d = %q, %v, want the reason %q", code, got, err, want)
		}
	}
}

func TestALargeAnswerGivesItsPlaceBack(t *testing.T) {
	t.Parallel()
	large := `{"x":"` + strings.Repeat("x", largeText) + `"}`
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = fmt.Fprint(w, large) }))
	t.Cleanup(server.Close)
	way := pool(t).PassageOverJSONRPC("a", cardOf(server.URL))
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute) // there is no other end to waiting for a place
	defer cancel()
	for n := range 20 { // more than one agent may have at a time
		if got, err := post(ctx, way, "{}"); got != large || err != nil {
			t.Fatalf("ReadAnswer() of large answer %d = %d bytes, %v, want %d", n, len(got), err, len(large))
		}
	}
}
