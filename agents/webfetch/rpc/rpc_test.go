package rpc_test

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/grpc/metadata"
	"google.golang.org/protobuf/testing/protocmp"
	"google.golang.org/protobuf/types/known/durationpb"

	"github.com/quorate/quorate/agents/webfetch"
	"github.com/quorate/quorate/agents/webfetch/allowlist"
	"github.com/quorate/quorate/agents/webfetch/rpc"
	"github.com/quorate/quorate/platform/auth"
	"github.com/quorate/quorate/platform/fault"
	"github.com/quorate/quorate/platform/netguard"
	webfetchv1 "github.com/quorate/quorate/proto/gen/quorate/webfetch/v1"
)

func TestFetchPage(t *testing.T) {
	site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=\xff") // not UTF-8: protobuf would refuse it
		if r.URL.Path == "/deep" {
			_, _ = io.WriteString(w, strings.Repeat("<div>", 600))
			return
		}
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

	got, err := s.FetchPage(t.Context(), &webfetchv1.FetchPageRequest{Url: site.URL, Mode: "TEXT", TimeoutSeconds: 5, MaxSize: 1000, MaxCharacters: 4})
	if err != nil {
		t.Fatal(err)
	}
	want := &webfetchv1.FetchPageResponse{
		Success: new(true), Content: new("0123"), RequestedUrl: site.URL, Url: site.URL, Domain: "127.0.0.1", StatusCode: new(int32(200)), ContentType: new("text/html; charset=\ufffd"), ContentLength: new(int64(29)),
		ProcessedFormat: "text", Truncated: new(true), TruncatedAt: 4, NextIndex: 4, TotalCharacters: 10, Title: "T", Cache: "miss", Charset: "utf-8", Metadata: &webfetchv1.PageMetadata{},
		Engine: "http", Trust: "untrusted",
	}
	ignored := protocmp.IgnoreFields(&webfetchv1.FetchPageResponse{}, "fetch_duration_ms", "headers", "content_sha256", "extractor")
	if diff := cmp.Diff(want, got, protocmp.Transform(), ignored); diff != "" {
		t.Errorf("FetchPage() differs (-want +got):\n%s", diff)
	}

	for name, test := range map[string]struct {
		req                  *webfetchv1.FetchPageRequest
		code, reason, status string
	}{
		"too long a page":            {&webfetchv1.FetchPageRequest{Url: site.URL, MaxSize: 5}, "too_large", "BODY_TOO_LARGE", "FAILED_PRECONDITION"},
		"a host that is not allowed": {&webfetchv1.FetchPageRequest{Url: "https://example.com"}, "domain_not_allowed", "DOMAIN_NOT_ALLOWED", "PERMISSION_DENIED"},
		"a number out of bounds":     {&webfetchv1.FetchPageRequest{Url: site.URL, MaxCharacters: -1}, "invalid_argument", "REQUEST_INVALID", "INVALID_ARGUMENT"},
		"no URL":                     {&webfetchv1.FetchPageRequest{}, "invalid_url", "URL_INVALID", "INVALID_ARGUMENT"},
		"too deep a page":            {&webfetchv1.FetchPageRequest{Url: site.URL + "/deep", Selector: "p"}, "parsing_error", "DOCUMENT_TOO_COMPLEX", "FAILED_PRECONDITION"},
	} {
		got, err := s.FetchPage(t.Context(), test.req)
		if err != nil || got.GetSuccess() || got.Success == nil || got.StatusCode == nil || got.GetError() == "" || got.GetContent() != "" {
			t.Errorf("%s: FetchPage() = %v, %v, want an answer that says why", name, got, err)
		}
		if got.GetErrorCode() != test.code || got.GetErrorReason() != test.reason || got.GetErrorStatus() != test.status {
			t.Errorf("%s: FetchPage() = %v, want %s, %s and %s", name, got, test.code, test.reason, test.status)
		}
	}
}

func TestFetchPageRefusesContradictions(t *testing.T) {
	f, err := webfetch.New(webfetch.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	for name, req := range map[string]*webfetchv1.FetchPageRequest{
		"two formats":          {Format: "text", Mode: "html"},
		"two times":            {Timeout: durationpb.New(time.Second), TimeoutSeconds: 1},
		"a timeout of no time": {Timeout: durationpb.New(0)},
	} {
		if got, err := rpc.New(f).FetchPage(t.Context(), req); fault.ReasonOf(err) != webfetch.ReasonRequestInvalid {
			t.Errorf("%s: FetchPage() = %v, %v, want REQUEST_INVALID", name, got, err)
		}
	}
}

func TestErrorsAreInTheCallersLanguage(t *testing.T) {
	f, err := webfetch.New(webfetch.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	const japanese = "無効なURLです。http:// または https:// で始まるURLを指定してください"
	for header, req := range map[string]*webfetchv1.FetchPageRequest{"": {Url: "ftp://x", Locale: "ja_JP"}, "ja,en;q=0.5": {Url: "ftp://x"}} {
		ctx := metadata.NewIncomingContext(t.Context(), metadata.Pairs("accept-language", header))
		if got, err := rpc.New(f).FetchPage(ctx, req); err != nil || got.GetError() != japanese {
			t.Errorf("FetchPage(locale %q, header %q) = %q, %v, want %q", req.GetLocale(), header, got.GetError(), err, japanese)
		}
	}
}

func TestAllowedDomains(t *testing.T) {
	f, err := webfetch.New(webfetch.Options{AllowedHosts: []string{"fixed.example"}})
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	s := rpc.New(f)
	ctx := auth.NewContext(t.Context(), auth.Principal{Tenant: "t", Name: "ada", Roles: []auth.Role{auth.RoleAdmin}})
	for i, want := range []bool{true, false} {
		if got, err := s.AddAllowedDomain(ctx, &webfetchv1.AddAllowedDomainRequest{Domain: "Example.COM"}); err != nil || got.GetAdded() != want || got.GetDomain() != "example.com" {
			t.Errorf("AddAllowedDomain(Example.COM), time %d = %v, %v, want added %t", i+1, got, err, want)
		}
	}
	if _, err := s.AddAllowedDomain(ctx, &webfetchv1.AddAllowedDomainRequest{Domain: "*.co.jp"}); fault.ReasonOf(err) != allowlist.ReasonDomainInvalid {
		t.Errorf("AddAllowedDomain(*.co.jp) = %v, want DOMAIN_INVALID", err)
	}
	assertListed(ctx, t, s)
	assertTested(ctx, t, s)
	for i, want := range []bool{true, false} {
		if got, err := s.RemoveAllowedDomain(ctx, &webfetchv1.RemoveAllowedDomainRequest{Domain: "example.com"}); err != nil || got.GetRemoved() != want {
			t.Errorf("RemoveAllowedDomain(example.com), time %d = %v, %v, want removed %t", i+1, got, err, want)
		}
	}
	if _, err := s.ListAllowedDomains(ctx, &webfetchv1.ListAllowedDomainsRequest{PageToken: "forged"}); fault.ReasonOf(err) != "PAGE_TOKEN_INVALID" {
		t.Errorf("ListAllowedDomains(forged token) = %v, want PAGE_TOKEN_INVALID", err)
	}
}

// assertListed checks the pages of the list.
func assertListed(ctx context.Context, t *testing.T, s *rpc.Server) {
	t.Helper()
	var list []string
	for token := ""; ; {
		got, err := s.ListAllowedDomains(ctx, &webfetchv1.ListAllowedDomainsRequest{PageSize: 1, PageToken: token})
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range got.GetAllowedDomains() {
			list = append(list, d.GetDomain()+" by "+d.GetCreator())
		}
		if token = got.GetNextPageToken(); token == "" {
			break
		}
	}
	if diff := cmp.Diff([]string{"example.com by ada", "fixed.example by "}, list); diff != "" {
		t.Errorf("ListAllowedDomains() in pages of 1 differs (-want +got):\n%s", diff)
	}
}

// assertTested checks TestAllowedDomain for the tenant of ctx and for another one.
func assertTested(ctx context.Context, t *testing.T, s *rpc.Server) {
	t.Helper()
	tenants := map[string]string{"ada": "t", "bob": "other"}
	for text, test := range map[string]struct {
		caller string
		domain string
		reason string
	}{
		"https://example.com/a": {"ada", "example.com", ""}, "example.com": {"ada", "example.com", ""}, "example.com:8443": {"ada", "example.com", ""},
		"https://fixed.example/": {"bob", "fixed.example", ""}, "http://example.com/": {"bob", "", webfetch.ReasonDomain},
		"www.example.com": {"ada", "", webfetch.ReasonDomain}, "http://127.0.0.1/": {"ada", "", webfetch.ReasonAddressBlocked}, "ftp://example.com/": {"ada", "", webfetch.ReasonScheme},
		"https:/example.com": {"ada", "", netguard.ReasonURLInvalid}, "http:8080": {"ada", "", webfetch.ReasonDomain},
	} {
		caller := auth.NewContext(ctx, auth.Principal{Tenant: tenants[test.caller], Name: test.caller})
		got, err := s.TestAllowedDomain(caller, &webfetchv1.TestAllowedDomainRequest{Url: text})
		if err != nil || got.GetDomain() != test.domain || got.GetErrorReason() != test.reason || got.GetAllowed() != (test.reason == "") {
			t.Errorf("TestAllowedDomain(%s) = %v, %v, want %q or %q", text, got, err, test.domain, test.reason)
		}
	}
}

func TestNobodyButAdminsWritesTheList(t *testing.T) {
	rules := rpc.Rules()
	for _, method := range []string{webfetchv1.WebFetchService_AddAllowedDomain_FullMethodName, webfetchv1.WebFetchService_RemoveAllowedDomain_FullMethodName} {
		others := auth.Principal{Roles: []auth.Role{auth.RoleAgent, auth.RoleViewer, auth.RoleDispatcher}}
		if rules[method].Allow(others) == nil || rules[method].Allow(auth.Principal{Roles: []auth.Role{auth.RoleAdmin}}) != nil {
			t.Errorf("Rules()[%s] = %+v, want admins only", method, rules[method])
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
		if m.MethodName == "FetchPage" && rule.Allow(auth.Principal{Roles: []auth.Role{auth.RoleAgent, auth.RoleViewer}}) == nil {
			t.Errorf("Rules()[%s] admits agents or viewers, want dispatchers and admins only", name)
		}
	}
}
