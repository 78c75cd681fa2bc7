package rpc_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/protobuf/testing/protocmp"
	"google.golang.org/protobuf/types/known/durationpb"

	"github.com/quorate/quorate/agents/webfetch"
	"github.com/quorate/quorate/agents/webfetch/rpc"
	"github.com/quorate/quorate/platform/auth"
	"github.com/quorate/quorate/platform/fault"
	"github.com/quorate/quorate/platform/netguard"
	webfetchv1 "github.com/quorate/quorate/proto/gen/quorate/webfetch/v1"
)

func TestFetchPage(t *testing.T) {
	site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=\xff") // not UTF-8: protobuf would refuse it
		_, _ = io.WriteString(w, "<title>T</title><p>0123456789")
	}))
	defer site.Close()
	host := site.Listener.Addr().String()
	f, err := webfetch.New(webfetch.Options{Policy: &netguard.Policy{AllowOrigins: []string{host}}, AllowedHosts: []string{host}})
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	s := rpc.New(f)

	got, err := s.FetchPage(t.Context(), &webfetchv1.FetchPageRequest{Url: site.URL, Format: "text", Timeout: durationpb.New(5 * time.Second), MaxSize: 1000, MaxCharacters: 4})
	if err != nil {
		t.Fatal(err)
	}
	want := &webfetchv1.FetchPageResponse{
		Content: "0123", Url: site.URL, Domain: "127.0.0.1", StatusCode: 200, ContentType: "text/html; charset=\ufffd", ContentLength: 29,
		ProcessedFormat: "text", Truncated: true, TruncatedAt: 4, Title: "T",
	}
	if diff := cmp.Diff(want, got, protocmp.Transform(), protocmp.IgnoreFields(&webfetchv1.FetchPageResponse{}, "fetch_duration_ms")); diff != "" {
		t.Errorf("FetchPage() differs (-want +got):\n%s", diff)
	}

	for field, req := range map[string]*webfetchv1.FetchPageRequest{
		webfetch.ReasonTooLarge:       {Url: site.URL, MaxSize: 5},
		webfetch.ReasonDomain:         {Url: "https://example.com"},
		webfetch.ReasonRequestInvalid: {Url: site.URL, MaxCharacters: -1},
	} {
		if _, err := s.FetchPage(t.Context(), req); fault.ReasonOf(err) != field {
			t.Errorf("FetchPage(%v) = %v, want %s", req, err, field)
		}
	}
}

func TestRulesNameEveryMethod(t *testing.T) {
	rules := rpc.Rules()
	for _, m := range webfetchv1.WebFetchService_ServiceDesc.Methods {
		name := "/" + webfetchv1.WebFetchService_ServiceDesc.ServiceName + "/" + m.MethodName
		rule, ok := rules[name]
		if !ok || rule.Public {
			t.Errorf("Rules()[%s] = %+v, %t, want a rule that is not public", name, rule, ok)
		}
		if rule.Allow(auth.Principal{Roles: []auth.Role{auth.RoleAgent, auth.RoleViewer}}) == nil {
			t.Errorf("Rules()[%s] admits agents or viewers, want dispatchers and admins only", name)
		}
	}
}
