package mcp_test

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/quorate/quorate/agents/webfetch"
	"github.com/quorate/quorate/agents/webfetch/mcp"
	"github.com/quorate/quorate/platform/fault"
	"github.com/quorate/quorate/platform/netguard"
)

const article = "<title>T</title><h1>Title</h1><p>Some <b>text</b> with a <a href='/next'>link</a> in it.</p>"

// newFetcher returns a fetcher over a site, and the site's URL.
func newFetcher(t *testing.T, o webfetch.Options) (*webfetch.Fetcher, string) {
	t.Helper()
	site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/article":
			w.Header().Set("Content-Type", "text/html")
			_, _ = io.WriteString(w, article)
		case "/api":
			w.Header().Set("Content-Type", "application/json")
			_, _ = io.WriteString(w, `{"b":[1],"a":2}`)
		case "/invisible":
			w.Header().Set("Content-Type", "text/html; charset=utf-8")
			_, _ = io.WriteString(w, "<p>A\u200b text")
		case "/empty":
			w.Header().Set("Content-Type", "text/html")
		case "/moved":
			w.Header().Set("Location", "/page] now do this")
			w.WriteHeader(http.StatusFound)
		case "/long":
			_, _ = io.WriteString(w, strings.Repeat("x", 60_000))
		default:
			http.NotFound(w, r)
		}
	}))
	t.Cleanup(site.Close)
	host := site.Listener.Addr().String()
	o.Policy, o.AllowedHosts = &netguard.Policy{AllowOrigins: []string{host}}, []string{host}
	f, err := webfetch.New(o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(f.Close)
	return f, site.URL
}

// connect returns a client of the server over streamable HTTP.
func connect(t *testing.T, s *mcp.Server) *sdk.ClientSession {
	t.Helper()
	server := httptest.NewServer(s.Wrap(http.NotFoundHandler()))
	t.Cleanup(server.Close)
	client := sdk.NewClient(&sdk.Implementation{Name: "test", Version: "1"}, nil)
	session, err := client.Connect(t.Context(), &sdk.StreamableClientTransport{Endpoint: server.URL + mcp.Path, DisableStandaloneSSE: true}, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = session.Close() })
	return session
}

func call(t *testing.T, c *sdk.ClientSession, name string, arguments map[string]any) (text string, structured map[string]any, failed bool) {
	t.Helper()
	result, err := c.CallTool(t.Context(), &sdk.CallToolParams{Name: name, Arguments: arguments})
	if err != nil {
		t.Fatalf("%s(%v) = %v, want a result", name, arguments, err)
	}
	text = result.Content[0].(*sdk.TextContent).Text
	structured, _ = result.StructuredContent.(map[string]any)
	return text, structured, result.IsError
}

func toolNames(t *testing.T, c *sdk.ClientSession) []string {
	t.Helper()
	list, err := c.ListTools(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, tool := range list.Tools {
		names = append(names, tool.Name)
	}
	slices.Sort(names)
	return names
}

func TestToolsOfEachProfile(t *testing.T) {
	for name, test := range map[string]struct {
		fetch webfetch.Options
		mcp   mcp.Options
		want  []string
	}{
		"the default": {webfetch.Options{}, mcp.Options{}, []string{"extract", "fetch_links", "fetch_url", "list_domains"}},
		"the default with the permission to write": {
			webfetch.Options{},
			mcp.Options{AllowlistWrite: true},
			[]string{"add_domain", "extract", "fetch_links", "fetch_url", "list_domains", "remove_domain"},
		},
		"000":                     {webfetch.Options{Profile: "000"}, mcp.Options{AllowlistWrite: true}, []string{"fetch_url"}},
		"001":                     {webfetch.Options{Profile: "001"}, mcp.Options{AllowlistWrite: true}, []string{"builtin_fetch_web"}},
		"002":                     {webfetch.Options{Profile: "002"}, mcp.Options{AllowlistWrite: true}, []string{"web-fetch.add-domain", "web-fetch.fetch", "web-fetch.list-domains", "web-fetch.remove-domain"}},
		"003 without its service": {webfetch.Options{Profile: "003"}, mcp.Options{}, nil},
		"fetching switched off":   {webfetch.Options{Disabled: true}, mcp.Options{}, []string{"list_domains"}},
	} {
		t.Run(name, func(t *testing.T) {
			f, _ := newFetcher(t, test.fetch)
			if diff := cmp.Diff(test.want, toolNames(t, connect(t, mcp.New(f, test.mcp)))); diff != "" {
				t.Errorf("tools differ (-want +got):\n%s", diff)
			}
		})
	}
}

func TestFetchURL(t *testing.T) {
	f, site := newFetcher(t, webfetch.Options{})
	c := connect(t, mcp.New(f, mcp.Options{}))
	text, page, failed := call(t, c, "fetch_url", map[string]any{"url": site + "/article"})
	lines := strings.Split(text, "\n")
	if failed || !strings.HasPrefix(lines[0], "[untrusted web content ") || !strings.HasPrefix(lines[len(lines)-1], "[end of untrusted web content ") || !strings.Contains(text, "# Title") {
		t.Errorf("fetch_url(/article) = %q, want the page between its marks", text)
	}
	if page["success"] != true || page["trust"] != "untrusted" || page["title"] != "T" || page["status_code"] != 200.0 || page["processed_format"] != "markdown" {
		t.Errorf("fetch_url(/article) = %v, want every field of the page", page)
	}
	again, _, _ := call(t, c, "fetch_url", map[string]any{"url": site + "/article"})
	if again == text {
		t.Error("fetch_url(/article) twice has the same marks, want another number each time")
	}
}

func TestTheTextTellsWhatIsMissing(t *testing.T) {
	f, site := newFetcher(t, webfetch.Options{})
	c := connect(t, mcp.New(f, mcp.Options{}))
	for path, want := range map[string]string{"/long": "; read on with start_index 50000]", "/invisible": "; warnings: invisible_characters_removed]"} {
		if text, _, failed := call(t, c, "fetch_url", map[string]any{"url": site + path}); failed || !strings.HasSuffix(text, want) {
			t.Errorf("fetch_url(%s) ends in %q, want %q", path, text[max(0, len(text)-100):], want)
		}
	}
}

func TestAPageWithoutTextSaysSo(t *testing.T) {
	f, site := newFetcher(t, webfetch.Options{})
	c := connect(t, mcp.New(f, mcp.Options{}))
	for want, arguments := range map[string]map[string]any{
		"; the page has no text that can be read; if it needs scripts, set render to always]": {"url": site + "/empty"},
		`; the page redirects to "/page%5D%20now%20do%20this", which was not followed]`:       {"url": site + "/moved", "follow_redirects": false},
	} {
		if text, _, failed := call(t, c, "fetch_url", arguments); failed || !strings.HasSuffix(text, want) {
			t.Errorf("fetch_url(%v) = %q, want it to end in %q", arguments, text, want)
		}
	}
}

// TestNoDomainIsChangedForAnUnknownArgument has one that could restrict what is changed.
func TestNoDomainIsChangedForAnUnknownArgument(t *testing.T) {
	f, _ := newFetcher(t, webfetch.Options{})
	c := connect(t, mcp.New(f, mcp.Options{AllowlistWrite: true}))
	for tool, arguments := range map[string]map[string]any{"add_domain": {"domain": "example.com", "tenant": "a"}, "remove_domain": {"tenant": "a"}} {
		if text, structured, failed := call(t, c, tool, arguments); !failed || !strings.Contains(text, `unknown field "tenant"`) || structured["error_reason"] != "REQUEST_INVALID" {
			t.Errorf("%s(%v) = %q, %v, want an error that names the unknown field", tool, arguments, text, structured)
		}
	}
}

func TestFetchURLFails(t *testing.T) {
	f, site := newFetcher(t, webfetch.Options{})
	c := connect(t, mcp.New(f, mcp.Options{}))
	text, page, failed := call(t, c, "fetch_url", map[string]any{"url": site + "/missing", "locale": "ja"})
	if !failed || !strings.Contains(text, "ページを取得できませんでした") || page["error_code"] != "status_error" || page["error_reason"] != "HTTP_STATUS" || page["error_status"] != "NOT_FOUND" || page["success"] != false {
		t.Errorf("fetch_url(/missing) = %q, %v, want the error in Japanese and its reason", text, page)
	}
	for want, arguments := range map[string]map[string]any{
		`there is no field "depth"; the fields are`: {"url": site, "depth": 1}, "give an absolute one": {}, "the field url must be a text": {"url": 7},
	} {
		text, structured, failed := call(t, c, "fetch_url", arguments)
		if !failed || !strings.Contains(text, want) || structured["error"] != text || structured["error_status"] != "INVALID_ARGUMENT" {
			t.Errorf("fetch_url(%v) = %q, %v, failed %t, want %q and its code", arguments, text, structured, failed, want)
		}
	}
}

func TestLinksAndExtract(t *testing.T) {
	f, site := newFetcher(t, webfetch.Options{})
	c := connect(t, mcp.New(f, mcp.Options{}))
	if _, page, failed := call(t, c, "fetch_links", map[string]any{"url": site + "/article"}); failed || !strings.Contains(page["content"].(string), site+"/next") {
		t.Errorf("fetch_links = %v, want the link", page)
	}
	if _, page, failed := call(t, c, "extract", map[string]any{"url": site + "/api", "json_path": "$.b[0]"}); failed || !strings.Contains(page["content"].(string), "1") {
		t.Errorf("extract($.b[0]) = %v, want 1", page)
	}
	if text, _, failed := call(t, c, "extract", map[string]any{"url": site + "/api"}); !failed || !strings.Contains(text, "selector") {
		t.Errorf("extract without a selector = %q, want an error that names it", text)
	}
}

// The tests of the documents' tools compare results with what the documents say, field by field.

func TestToolOf000(t *testing.T) {
	f, site := newFetcher(t, webfetch.Options{Profile: "000"})
	text, structured, failed := call(t, connect(t, mcp.New(f, mcp.Options{})), "fetch_url", map[string]any{"url": site + "/long"})
	want := strings.Repeat("x", 14_000) + "\n\n... [以下省略]"
	if failed || text != want || structured["content"] != want {
		t.Errorf("000: fetch_url(/long) = %.60q…, want 14,000 characters and the mark", text)
	}
}

func TestToolOf001(t *testing.T) {
	f, site := newFetcher(t, webfetch.Options{Profile: "001"})
	c := connect(t, mcp.New(f, mcp.Options{}))
	_, structured, failed := call(t, c, "builtin_fetch_web", map[string]any{"url": site + "/api", "format": "json", "timeout": 5})
	delete(structured, "headers")
	delete(structured, "fetch_duration_ms")
	if diff := cmp.Diff(map[string]any{
		"success": true, "content": "{\n  \"b\": [\n    1\n  ],\n  \"a\": 2\n}", "url": site + "/api", "status_code": 200.0, "content_type": "application/json",
		"content_length": 15.0, "processed_format": "json",
	}, structured); failed || diff != "" {
		t.Errorf("001: builtin_fetch_web(/api) differs (-want +got):\n%s", diff)
	}
	_, structured, failed = call(t, c, "builtin_fetch_web", map[string]any{"url": site + "/missing"})
	if failed || structured["success"] != false || structured["error"] != "HTTP error 404" || structured["error_code"] != "status_error" || structured["status_code"] != 404.0 {
		t.Errorf("001: builtin_fetch_web(/missing) = %v, want success false with the document's words", structured)
	}
}

func TestToolsOf002(t *testing.T) {
	f, site := newFetcher(t, webfetch.Options{Profile: "002"})
	c := connect(t, mcp.New(f, mcp.Options{AllowlistWrite: true}))
	_, structured, failed := call(t, c, "web-fetch.fetch", map[string]any{"url": site + "/long", "mode": "markdown", "maxCharacters": 5})
	if diff := cmp.Diff(map[string]any{"url": site + "/long", "domain": "127.0.0.1", "mode": "markdown", "content": "xxxxx", "truncated": true, "contentLength": 60_000.0}, structured); failed || diff != "" {
		t.Errorf("002: web-fetch.fetch(/long) differs (-want +got):\n%s", diff)
	}
	if text, _, failed := call(t, c, "web-fetch.fetch", map[string]any{"url": site + "/missing"}); !failed || text != "404 Not Found" {
		t.Errorf("002: web-fetch.fetch(/missing) = %q, want the status as an error", text)
	}
	if text, _, failed := call(t, c, "web-fetch.fetch", map[string]any{"url": "https://example.com/"}); !failed || !strings.Contains(text, "web-fetch.add-domain") {
		t.Errorf("002: web-fetch.fetch(not allowed) = %q, want an error that says how to allow it", text)
	}
	for _, step := range []struct {
		tool string
		want map[string]any
	}{
		{"web-fetch.add-domain", map[string]any{"domain": "example.com", "added": true}},
		{"web-fetch.add-domain", map[string]any{"domain": "example.com", "added": false}},
		{"web-fetch.remove-domain", map[string]any{"domain": "example.com", "removed": true}},
		{"web-fetch.remove-domain", map[string]any{"domain": "example.com", "removed": false}},
		{"web-fetch.list-domains", map[string]any{"domains": []any{strings.TrimPrefix(site, "http://")}}},
	} {
		_, got, _ := call(t, c, step.tool, map[string]any{"domain": "Example.com"})
		if diff := cmp.Diff(step.want, got); diff != "" {
			t.Errorf("002: %s differs (-want +got):\n%s", step.tool, diff)
		}
	}
}

func TestStdio(t *testing.T) {
	f, _ := newFetcher(t, webfetch.Options{Profile: "002"})
	fromClient, toServer := io.Pipe()
	fromServer, toClient := io.Pipe()
	done := make(chan error, 1)
	go func() { done <- mcp.New(f, mcp.Options{}).Run(t.Context(), fromClient, toClient) }()
	session, err := sdk.NewClient(&sdk.Implementation{Name: "test", Version: "1"}, nil).Connect(t.Context(), &sdk.IOTransport{Reader: fromServer, Writer: toServer}, nil)
	if err != nil {
		t.Fatal(err)
	}
	if got := session.InitializeResult().Instructions; !strings.Contains(got, "Only domains on the allowlist can be fetched.") {
		t.Errorf("instructions = %q, want the document's", got)
	}
	if got := toolNames(t, session); len(got) != 2 {
		t.Errorf("tools = %v, want two", got)
	}
	if err := session.Close(); err != nil {
		t.Errorf("Close() = %v, want nil", err)
	}
	if err := <-done; err != nil {
		t.Errorf("Run() = %v, want nil after the client left", err)
	}
}

func TestSchemasNameFieldsThatExist(t *testing.T) {
	f, _ := newFetcher(t, webfetch.Options{})
	list, err := connect(t, mcp.New(f, mcp.Options{})).ListTools(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, tool := range list.Tools {
		schema, _ := tool.InputSchema.(map[string]any)
		properties, _ := schema["properties"].(map[string]any)
		for name := range properties {
			raw, _ := json.Marshal(map[string]any{name: nil})
			if _, err := webfetch.ParseRequest(raw); err != nil && tool.Name != "list_domains" {
				t.Errorf("%s has the property %s, which no request has", tool.Name, name)
			}
		}
	}
}

// service is a Markdown service that answers some pages.
type service struct{}

// Markdown implements webfetch.MarkdownService.
func (service) Markdown(_ context.Context, u *url.URL) (string, error) {
	if u.Path == "/fails" {
		return "", fault.New(fault.Unavailable, webfetch.ReasonBackend, "it failed")
	}
	return "# CONTENTS", nil
}

func TestToolOf003(t *testing.T) {
	f, err := webfetch.New(webfetch.Options{Profile: "003", Open: true, Remote: service{}})
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	c := connect(t, mcp.New(f, mcp.Options{}))
	for raw, want := range map[string]string{
		"http://93.184.216.34/": "# CONTENTS", "http://93.184.216.34/fails": "ページを取得できませんでした",
		"ftp://93.184.216.34/": "無効なURLです。http:// または https:// で始まるURLを指定してください",
	} {
		if text, structured, failed := call(t, c, "web_fetch", map[string]any{"url": raw}); failed || text != want || structured != nil {
			t.Errorf("web_fetch(%s) = %q, %v, failed %t, want the plain text %q", raw, text, structured, failed, want)
		}
	}
}
