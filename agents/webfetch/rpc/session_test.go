package rpc_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/quorate/quorate/agents/webfetch"
	"github.com/quorate/quorate/agents/webfetch/rpc"
	"github.com/quorate/quorate/platform/auth"
	"github.com/quorate/quorate/platform/netguard"
	webfetchv1 "github.com/quorate/quorate/proto/gen/quorate/webfetch/v1"
)

func TestASessionIsItsCallersAlone(t *testing.T) {
	site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/plain")
		if c, err := r.Cookie("id"); err == nil {
			_, _ = io.WriteString(w, c.Value)
			return
		}
		if r.URL.Path == "/login" {
			http.SetCookie(w, &http.Cookie{Name: "id", Value: "known", Path: "/"})
		}
		_, _ = io.WriteString(w, "nobody")
	}))
	defer site.Close()
	host := site.Listener.Addr().String()
	f, err := webfetch.New(webfetch.Options{Policy: &netguard.Policy{AllowOrigins: []string{host}}, AllowedHosts: []string{host}, IgnoreRobots: true})
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	fetch := func(name, session, path string) string {
		t.Helper()
		ctx := auth.NewContext(t.Context(), auth.Principal{Tenant: auth.DefaultTenant, Name: name})
		answer, err := rpc.New(f).FetchPage(ctx, &webfetchv1.FetchPageRequest{Url: site.URL + path, Session: session})
		if err != nil || !answer.GetSuccess() {
			t.Fatalf("FetchPage(%s) = %v, %v, want a page", path, answer, err)
		}
		return answer.GetContent()
	}
	fetch("ada", "b/s", "/login")
	if got := fetch("ada", "b/s", "/me"); got != "known" {
		t.Errorf("ada's session reads %q, want known", got)
	}
	if got := fetch("ada/b", "s", "/me"); got != "nobody" {
		t.Errorf("a session of the caller ada/b reads %q, want nobody", got)
	}
	for _, session := range []string{"ada/b/s", "api\x00ada\x00b/s"} { // as an MCP client may name its own
		if p, err := f.Fetch(t.Context(), webfetch.Request{URL: site.URL + "/me", Session: session}); err != nil || p.Content != "nobody" {
			t.Errorf("session %q of another way in reads %q, %v, want nobody", session, p.Content, err)
		}
	}
}
