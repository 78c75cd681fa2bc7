package webfetch_test

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/quorate/quorate/agents/webfetch"
	"github.com/quorate/quorate/agents/webfetch/allowlist"
	"github.com/quorate/quorate/platform/auth"
	"github.com/quorate/quorate/platform/dnstest"
	"github.com/quorate/quorate/platform/fault"
	"github.com/quorate/quorate/platform/netguard"
)

// failingOnce is a list whose look-up fails one time.
type failingOnce struct {
	allowlist.Memory

	left atomic.Int64 // look-ups until then
}

func (s *failingOnce) Find(ctx context.Context, tenant string, domains []allowlist.Domain) (allowlist.Entry, bool, error) {
	if s.left.Add(-1) == 0 {
		return allowlist.Entry{}, false, errors.New("the store is away")
	}
	return s.Memory.Find(ctx, tenant, domains)
}

func TestAListThatCannotBeReadSaysNothingOfRobots(t *testing.T) {
	s := httptest.NewServer(http.HandlerFunc(site))
	defer s.Close()
	host := s.Listener.Addr().String()
	store := &failingOnce{}
	store.left.Store(2) // the second look-up is about robots.txt
	list, err := allowlist.New(store)
	if err != nil {
		t.Fatal(err)
	}
	if _, _, err := list.Add(t.Context(), auth.DefaultTenant, host, "test"); err != nil {
		t.Fatal(err)
	}
	f := newFetcher(t, webfetch.Options{Policy: &netguard.Policy{AllowOrigins: []string{host}}, Allowlist: list})
	if p, err := f.Fetch(t.Context(), webfetch.Request{URL: s.URL + "/private"}); err == nil {
		t.Errorf("Fetch(/private) while the list cannot be read = %q, want an error", p.Content)
	}
	if p, err := f.Fetch(t.Context(), webfetch.Request{URL: s.URL + "/private"}); p.ErrorCode != webfetch.CodeRobots {
		t.Errorf("Fetch(/private) = %q, %s, %v, want %s", p.Content, p.ErrorCode, err, webfetch.CodeRobots)
	}
}

func TestRobotsBeyondOneListAreReadForAnother(t *testing.T) {
	two := httptest.NewServer(send("text/plain", "user-agent: *\ndisallow: /private"))
	defer two.Close()
	one := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/robots.txt" {
			http.Redirect(w, r, two.URL+"/robots.txt", http.StatusFound)
			return
		}
		send("text/plain", "page")(w, r)
	}))
	defer one.Close()
	hosts := []string{one.Listener.Addr().String(), two.Listener.Addr().String()}
	list, err := allowlist.New(&allowlist.Memory{}, hosts[0])
	if err != nil {
		t.Fatal(err)
	}
	if _, _, err := list.Add(t.Context(), "wide", hosts[1], "test"); err != nil {
		t.Fatal(err)
	}
	f := newFetcher(t, webfetch.Options{Policy: &netguard.Policy{AllowOrigins: hosts}, Allowlist: list})
	for _, step := range []struct {
		tenant string
		code   webfetch.Code
	}{{"narrow", ""}, {"wide", webfetch.CodeRobots}, {"narrow", webfetch.CodeRobots}} {
		if p, err := f.Fetch(t.Context(), webfetch.Request{URL: one.URL + "/private", Tenant: step.tenant}); p.ErrorCode != step.code {
			t.Errorf("Fetch(/private) for %s = %q, %v, want %q", step.tenant, p.ErrorCode, err, step.code)
		}
	}
}

func TestARobotsFileThatDoesNotComeIsNamed(t *testing.T) {
	for name, begin := range map[string]string{"not at all": "", "not to its end": "user-agent: *\n"} {
		hung := make(chan struct{})
		f, site := serve(t, func(w http.ResponseWriter, r *http.Request) {
			if r.URL.Path != "/robots.txt" {
				send("text/plain", "page")(w, r)
				return
			}
			if begin != "" {
				send("text/plain", begin)(w, r)
				_ = http.NewResponseController(w).Flush()
			}
			<-hung
		})
		t.Cleanup(func() { close(hung) }) // before the server is closed, which waits for its handlers
		webfetch.WaitForRobots(f, 100*time.Millisecond)
		p, err := f.Fetch(t.Context(), webfetch.Request{URL: site + "/"})
		if p.ErrorCode != webfetch.CodeTimeout || !strings.Contains(p.Error, "robots.txt did not come within 100ms") || fault.From(err).Metadata["timeout"] != "100ms" {
			t.Errorf("Fetch() of a site whose robots.txt comes %s = %s, %v, want %s and that robots.txt took too long", name, p.ErrorCode, err, webfetch.CodeTimeout)
		}
	}
}

// landing is a browser whose page leads somewhere else.
type landing struct{ at string }

// Render implements webfetch.Browser.
func (b landing) Render(_ context.Context, u *url.URL, _ webfetch.Gate, _ int64) (webfetch.Rendered, error) {
	at, err := u.Parse(b.at)
	return webfetch.Rendered{HTML: "<p>private", URL: at, StatusCode: http.StatusOK}, err
}

func TestRobotsHoldForWhereABrowserIsLed(t *testing.T) {
	s := httptest.NewServer(http.HandlerFunc(site))
	defer s.Close()
	host := s.Listener.Addr().String()
	for at, code := range map[string]webfetch.Code{"/private": webfetch.CodeRobots, "/html": ""} {
		f := newFetcher(t, webfetch.Options{Policy: &netguard.Policy{AllowOrigins: []string{host}}, AllowedHosts: []string{host}, Browser: landing{at}})
		if p, err := f.Fetch(t.Context(), webfetch.Request{URL: s.URL + "/", Render: webfetch.RenderAlways}); p.ErrorCode != code {
			t.Errorf("Fetch() of a page that leads to %s = %q, %q, %v, want %q", at, p.Content, p.ErrorCode, err, code)
		}
	}
}

func TestDotsOfAPathDoNotHideItFromRobots(t *testing.T) {
	f, site := serve(t, func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/robots.txt":
			send("text/plain", "user-agent: *\ndisallow: /private")(w, r)
		case "/moved":
			w.Header().Set("Location", "/public/%2E%2e/private")
			w.WriteHeader(http.StatusFound)
		default:
			send("text/plain", r.RequestURI)(w, r)
		}
	})
	for _, path := range []string{"/public/../private", "/./private", "/public/%2e%2E/private", "/%2e/private", "/public/a/.%2e/../private", "/../private", "/moved"} {
		if page, err := f.Fetch(t.Context(), webfetch.Request{URL: site + path}); fault.ReasonOf(err) != webfetch.ReasonRobots {
			t.Errorf("Fetch(%s) = %q, %v, want %s", path, page.Content, err, webfetch.ReasonRobots)
		}
	}
	for path, want := range map[string]string{
		"/private/../public": "/public", "/a//b/../c/": "/a//c/", "/a/b/..": "/a/", "/a%2F../b": "/a%2F../b", "/.../b..": "/.../b..", "?a=/../b": "/?a=/../b", "/%E3%81%82%2e": "/%E3%81%82%2e",
	} {
		if page, err := f.Fetch(t.Context(), webfetch.Request{URL: site + path}); err != nil || page.Content != want {
			t.Errorf("Fetch(%s) asks for %q, %v, want %q", path, page.Content, err, want)
		}
	}
}

func TestLongRobotsAreNotAllKept(t *testing.T) {
	const sites = 40
	for size, want := range map[int]int64{500 << 10: 2, 5 << 10: 1} {
		var asked atomic.Int64 // the first site for its robots.txt
		long := "user-agent: *\nallow: /" + strings.Repeat("x", size)
		s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.URL.Path == "/robots.txt" && strings.HasPrefix(r.Host, "0.test:") {
				asked.Add(1)
			}
			send("text/plain", long)(w, r)
		}))
		defer s.Close()
		_, port, _ := strings.Cut(s.Listener.Addr().String(), ":")
		names, hosts := map[string][][]string{}, []string{}
		for i := range sites {
			name := strconv.Itoa(i) + ".test"
			names[name], hosts = [][]string{{"127.0.0.1"}}, append(hosts, name+":"+port)
		}
		f := newFetcher(t, webfetch.Options{Policy: &netguard.Policy{AllowOrigins: hosts, Resolver: dnstest.NewResolver(t, names)}, AllowedHosts: hosts})
		for _, host := range append(hosts, hosts[0]) {
			if p, err := f.Fetch(t.Context(), webfetch.Request{URL: "http://" + host + "/"}); err != nil {
				t.Fatalf("Fetch(%s) = %q, %v, want the page", host, p.ErrorCode, err)
			}
		}
		if n := asked.Load(); n != want {
			t.Errorf("among %d files of %d bytes the first one was asked for %d times, want %d", sites, size, n, want)
		}
	}
}

func TestRobotsThatBreakOffAllowNothing(t *testing.T) {
	file := packed(t, "user-agent: *\ndisallow: /private\n")
	for name, h := range map[string]http.HandlerFunc{
		"a file that breaks off":                   with("Content-Length", "50", send("text/plain", "user-agent: *\n")),
		"a compressed file that breaks off":        gzipped(file[:len(file)/2], len(file)),
		"a compressed file without its end":        gzipped(file[:len(file)-9], len(file)-9),
		"a compressed file in another coding":      with("Content-Encoding", "br", send("text/plain", file)),
		"a compressed file in an unknown coding":   with("Content-Encoding", "pack200-gzip", send("text/plain", file)),
		"a file that is compressed too many times": with("Content-Encoding", "gzip, gzip, gzip", send("text/plain", file)),
	} {
		f, site := serve(t, paths(map[string]http.HandlerFunc{"/robots.txt": h, "/private": send("text/plain", "page")}))
		if page, err := f.Fetch(t.Context(), webfetch.Request{URL: site + "/private"}); fault.ReasonOf(err) != webfetch.ReasonRead || !strings.Contains(page.Error, "robots.txt") {
			t.Errorf("Fetch(/private) with %s as robots.txt = %q, %v, want %s that names the file", name, page.Content, err, webfetch.ReasonRead)
		}
	}
}
