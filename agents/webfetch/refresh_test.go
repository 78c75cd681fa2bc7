package webfetch_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/quorate/quorate/agents/webfetch"
	"github.com/quorate/quorate/platform/netguard"
)

// moved is a page that sends its readers on.
func moved(content string) string {
	return `<!doctype html><html><head><title>Moved</title><META Content="` + content + `" http-equiv=Refresh></head><p>This page has moved.`
}

func TestAPageThatSendsItsReadersOnIsFollowed(t *testing.T) {
	var elsewhere atomic.Int64
	other := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { elsewhere.Add(1) }))
	defer other.Close()
	pages := map[string]string{
		"/new":             "<p>The page itself.",
		"/at-once":         moved("0; url=/new"),
		"/quoted":          moved("3;URL='new#part'"),
		"/bare":            moved("0 new"),
		"/twice":           moved("0; url=at-once"),
		"/late":            moved("60; url=/new"),
		"/renewed":         moved("5"),
		"/itself":          moved("0; url=/itself#x"),
		"/loop":            moved("0; url=/pool"),
		"/pool":            moved("0; url=/loop"),
		"/script":          moved("0; url=javascript:alert(1)"),
		"/internal":        moved("0; url=http://169.254.169.254/"),
		"/elsewhere":       moved("0; url=" + other.URL),
		"/forbidden":       moved("0; url=/secret"),
		"/commented":       "<!-- " + moved("0; url=/new") + " --><p>This page has moved.",
		"/noscript":        "<noscript><meta http-equiv=refresh content='0; url=/new'></noscript><p>This page has moved.",
		"/header":          "<p>This page has moved.",
		"/header-first":    moved("0; url=/secret"),
		"/header-late":     "<p>This page has moved.",
		"/header-internal": "<p>This page has moved.",
		"/other":           "<meta name=refresh content='0; url=/new'><p>This page has moved.",
	}
	headers := map[string][]string{"/header": {"0; url=/new"}, "/header-first": {"0;/new"}, "/header-late": {"60; url=/new"}, "/header-internal": {"0; url=http://169.254.169.254/"}}
	f, site := serve(t, func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/robots.txt" {
			send("text/plain", "User-agent: *\nDisallow: /secret\n")(w, r)
			return
		}
		w.Header()["Refresh"] = headers[r.URL.Path]
		send("text/html; charset=utf-8", pages[r.URL.Path])(w, r)
	})
	for path := range pages {
		want := "This page has moved."
		hops := 0
		switch path {
		case "/at-once", "/quoted", "/bare", "/header", "/header-first":
			want, hops = "The page itself.", 1
		case "/twice":
			want, hops = "The page itself.", 2
		case "/new":
			want = "The page itself."
		case "/loop", "/pool":
			hops = 10
		}
		page, err := f.Fetch(t.Context(), webfetch.Request{URL: site + path})
		if err != nil || page.Content != want || len(page.Redirects) != hops {
			t.Errorf("Fetch(%s) = %q after %d redirects, %v, want %q after %d", path, page.Content, len(page.Redirects), err, want, hops)
		}
	}
	for name, req := range map[string]webfetch.Request{"no redirects": {NoRedirects: true}, "the document as it is": {Format: webfetch.Raw}, "another profile": {Profile: webfetch.ProfileADK}} {
		req.URL = site + "/at-once"
		if page, err := f.Fetch(t.Context(), req); err != nil || !strings.Contains(page.Content, "This page has moved.") {
			t.Errorf("%s: Fetch() = %q, %v, want the page that was asked for", name, page.Content, err)
		}
	}
	if n := elsewhere.Load(); n != 0 {
		t.Errorf("%d requests went to a host that is not allowed, want 0", n)
	}
}

func TestHeadersDoNotFollowARefresh(t *testing.T) {
	var got atomic.Value
	other := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		got.Store(fmt.Sprint(r.Header.Values("X-Secret"), r.Header.Values("Cookie")))
		send("text/html", "<p>other")(w, r)
	}))
	defer other.Close()
	first := httptest.NewServer(send("text/html", moved("0; url="+other.URL)))
	defer first.Close()
	hosts := []string{first.Listener.Addr().String(), other.Listener.Addr().String()}
	f := newFetcher(t, webfetch.Options{Policy: &netguard.Policy{AllowOrigins: hosts}, AllowedHosts: hosts, IgnoreRobots: true})
	page, err := f.Fetch(t.Context(), webfetch.Request{URL: first.URL, Headers: map[string]string{"X-Secret": "1"}})
	if err != nil || page.Content != "other" || got.Load() != "[] []" {
		t.Errorf("Fetch() = %q, %v, with the headers %v there, want none", page.Content, err, got.Load())
	}
}
