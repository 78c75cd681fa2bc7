package webfetch_test

import (
	"bytes"
	"compress/flate"
	"compress/gzip"
	"compress/zlib"
	"context"
	"crypto/tls"
	"encoding/base64"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/andybalholm/brotli"
	"github.com/klauspost/compress/zstd"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/sdk/metric"
	"go.opentelemetry.io/otel/sdk/metric/metricdata"
	"go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"

	"github.com/quorate/quorate/agents/webfetch"
	"github.com/quorate/quorate/agents/webfetch/pace"
	"github.com/quorate/quorate/platform/auth"
	"github.com/quorate/quorate/platform/fault"
	"github.com/quorate/quorate/platform/netguard"
)

// encode compresses data with the codings, the first one first.
func encode(t *testing.T, data []byte, codings ...string) []byte {
	t.Helper()
	for _, coding := range codings {
		var out bytes.Buffer
		var w io.WriteCloser
		var err error
		switch coding {
		case "gzip":
			w = gzip.NewWriter(&out)
		case "deflate":
			w = zlib.NewWriter(&out)
		case "raw deflate":
			w, err = flate.NewWriter(&out, flate.BestCompression)
		case "br":
			w = brotli.NewWriterLevel(&out, brotli.BestCompression)
		case "zstd":
			w, err = zstd.NewWriter(&out, zstd.WithWindowSize(1<<20))
		case "zstd of a large window":
			w, err = zstd.NewWriter(&out, zstd.WithWindowSize(64<<20))
		}
		if err != nil {
			t.Fatal(err)
		}
		if _, err := w.Write(data); err != nil {
			t.Fatal(err)
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		data = out.Bytes()
	}
	return data
}

func TestContentEncodings(t *testing.T) {
	text := []byte(strings.Repeat("compressible text ", 1000))
	bomb := make([]byte, 6<<20)
	for name, test := range map[string]struct {
		header string
		body   []byte
		code   webfetch.Code
	}{
		"gzip":                           {"gzip", encode(t, text, "gzip"), ""},
		"gzip by its old name":           {"X-GZip", encode(t, text, "gzip"), ""},
		"deflate":                        {"deflate", encode(t, text, "deflate"), ""},
		"deflate in the form of servers": {"deflate", encode(t, text, "raw deflate"), ""},
		"brotli":                         {"br", encode(t, text, "br"), ""},
		"zstd":                           {"zstd", encode(t, text, "zstd"), ""},
		"brotli in gzip":                 {"br, gzip", encode(t, text, "br", "gzip"), ""},
		"identity":                       {"identity", text, ""},
		"gzip cut in half":               {"gzip", encode(t, text, "gzip")[:60], webfetch.CodeDecompression},
		"brotli that is none":            {"br", []byte("this is no brotli"), webfetch.CodeDecompression},
		"zstd that is none":              {"zstd", []byte("this is no zstd"), webfetch.CodeDecompression},
		"zstd of a large window":         {"zstd", encode(t, bomb, "zstd of a large window"), webfetch.CodeDecompression},
		"three times over":               {"gzip, gzip, gzip", encode(t, text, "gzip", "gzip", "gzip"), webfetch.CodeDecompression},
		"an unknown coding":              {"lzma", text, webfetch.CodeDecompression},
		"a gzip bomb":                    {"gzip", encode(t, bomb, "gzip"), webfetch.CodeTooLarge},
		"a deflate bomb":                 {"deflate", encode(t, bomb, "deflate"), webfetch.CodeTooLarge},
		"a brotli bomb":                  {"br", encode(t, bomb, "br"), webfetch.CodeTooLarge},
		"a zstd bomb":                    {"zstd", encode(t, bomb, "zstd"), webfetch.CodeTooLarge},
		"a bomb in a bomb":               {"gzip, br", encode(t, bomb, "gzip", "br"), webfetch.CodeTooLarge},
	} {
		t.Run(name, func(t *testing.T) {
			var asked string
			f, site := serve(t, func(w http.ResponseWriter, r *http.Request) {
				asked = r.Header.Get("Accept-Encoding")
				w.Header().Set("Content-Type", "text/plain")
				if r.URL.Path == "/" {
					w.Header().Set("Content-Encoding", test.header)
					_, _ = w.Write(test.body) // the client may stop reading
				}
			})
			p, err := f.Fetch(t.Context(), webfetch.Request{URL: site + "/"})
			if p.ErrorCode != test.code || test.code == "" && (p.Content != strings.TrimSpace(string(text)) && p.Content != string(text) || p.ContentLength != int64(len(text))) {
				t.Errorf("Fetch() = %d bytes (%s), %v, want %d bytes (%s)", p.ContentLength, p.ErrorCode, err, len(text), test.code)
			}
			if asked != "gzip, deflate, br, zstd" {
				t.Errorf("Accept-Encoding = %q", asked)
			}
		})
	}
}

// counted counts the requests for each path.
type counted struct {
	mu    sync.Mutex
	calls map[string]int // guarded by mu
}

func (c *counted) wrap(h http.HandlerFunc) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		c.mu.Lock()
		if c.calls == nil {
			c.calls = map[string]int{}
		}
		c.calls[r.URL.Path]++
		c.mu.Unlock()
		h(w, r)
	}
}

func (c *counted) of(path string) int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.calls[path]
}

func TestSafeFailuresAreTriedAgain(t *testing.T) {
	var c counted
	var failures atomic.Int64
	f, site := serve(t, c.wrap(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/twice":
			if failures.Add(1) <= 2 {
				w.WriteHeader(http.StatusBadGateway)
				return
			}
			_, _ = io.WriteString(w, "at last")
		case "/always":
			w.WriteHeader(http.StatusServiceUnavailable)
		case "/error":
			w.WriteHeader(http.StatusInternalServerError)
		case "/reset":
			if conn, _, err := http.NewResponseController(w).Hijack(); err == nil {
				_ = conn.Close()
			}
		default:
			http.NotFound(w, r)
		}
	}))
	for path, want := range map[string]struct {
		calls int
		code  webfetch.Code
	}{
		"/twice": {3, ""}, "/always": {3, webfetch.CodeStatus}, "/error": {1, webfetch.CodeStatus}, "/missing": {1, webfetch.CodeStatus}, "/reset": {3, webfetch.CodeNetwork},
	} {
		p, err := f.Fetch(t.Context(), webfetch.Request{URL: site + path})
		if p.ErrorCode != want.code || c.of(path) != want.calls {
			t.Errorf("Fetch(%s) = %s, %v after %d calls, want %q after %d", path, p.ErrorCode, err, c.of(path), want.code, want.calls)
		}
	}
	if _, err := f.Fetch(t.Context(), webfetch.Request{URL: site + "/always", Profile: "001"}); err == nil || c.of("/always") != 4 {
		t.Errorf("Fetch(/always, profile 001) = %v after %d calls, want no second try", err, c.of("/always"))
	}
}

func TestTheCache(t *testing.T) {
	var c counted
	f, site := serve(t, c.wrap(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Cache-Control", "max-age=60")
		w.Header().Set("Content-Type", "text/plain")
		_, _ = fmt.Fprintf(w, "%s %s", r.URL.Path, r.Header.Get("X-Key"))
	}))
	for i, want := range []string{"miss", "hit", "hit"} {
		if p, err := f.Fetch(t.Context(), webfetch.Request{URL: site + "/a"}); err != nil || p.Cache != want || p.Content != "/a " && p.Content != "/a" {
			t.Errorf("Fetch(/a), time %d = %q from the cache: %s, %v, want %s", i+1, p.Content, p.Cache, err, want)
		}
	}
	for name, req := range map[string]webfetch.Request{
		"a fresh answer":    {URL: site + "/a", NoCache: true},
		"headers":           {URL: site + "/a", Headers: map[string]string{"X-Key": "secret"}},
		"a session":         {URL: site + "/a", Session: "s"},
		"another tenant's ": {URL: site + "/a?b", Tenant: "t"},
	} {
		if p, err := f.Fetch(t.Context(), req); err != nil || p.Cache == "hit" {
			t.Errorf("Fetch(%s) = %q from the cache: %s, %v, want it from the server", name, p.Content, p.Cache, err)
		}
	}
	if p, err := f.Fetch(t.Context(), webfetch.Request{URL: site + "/a"}); err != nil || strings.Contains(p.Content, "secret") {
		t.Errorf("Fetch(/a) after one with a header = %q, %v, want nothing of the other caller", p.Content, err)
	}
	if c.of("/robots.txt") != 1 {
		t.Errorf("robots.txt was asked for %d times, want once", c.of("/robots.txt"))
	}
}

func TestRobotsOfABrokenServer(t *testing.T) {
	for status, code := range map[int]webfetch.Code{500: webfetch.CodeRobots, 503: webfetch.CodeRobots, 404: "", 403: "", 302: ""} {
		f, site := serve(t, func(w http.ResponseWriter, r *http.Request) {
			if r.URL.Path == "/robots.txt" {
				w.Header().Set("Location", "http://93.184.216.34/robots.txt") // where this fetcher may not go
				w.WriteHeader(status)
				return
			}
			send("text/plain", "page")(w, r)
		})
		if p, err := f.Fetch(t.Context(), webfetch.Request{URL: site + "/", Timeout: 5 * time.Second}); p.ErrorCode != code {
			t.Errorf("Fetch() with robots.txt answering %d = %q, %v, want %q", status, p.ErrorCode, err, code)
		}
	}
	f, site := serve(t, func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/robots.txt" {
			send("text/plain", "user-agent: quorate-webfetch\ndisallow: /a\ndisallow: /*?secret")(w, r)
			return
		}
		if r.URL.Path == "/to-a" {
			http.Redirect(w, r, "/a", http.StatusFound)
			return
		}
		send("text/plain", "page")(w, r)
	})
	for path, code := range map[string]webfetch.Code{"/a": webfetch.CodeRobots, "/b": "", "/b?secret=1": webfetch.CodeRobots, "/to-a": webfetch.CodeRobots} {
		if p, err := f.Fetch(t.Context(), webfetch.Request{URL: site + path}); p.ErrorCode != code {
			t.Errorf("Fetch(%s) = %q, %v, want %q", path, p.ErrorCode, err, code)
		}
	}
}

func TestAFetcherCanIgnoreRobots(t *testing.T) {
	s := httptest.NewServer(http.HandlerFunc(site))
	defer s.Close()
	host := s.Listener.Addr().String()
	f := newFetcher(t, webfetch.Options{Policy: &netguard.Policy{AllowOrigins: []string{host}}, AllowedHosts: []string{host}, IgnoreRobots: true})
	if p, err := f.Fetch(t.Context(), webfetch.Request{URL: s.URL + "/private"}); err != nil || p.Content != "private" {
		t.Errorf("Fetch(/private) = %q, %v, want the page", p.Content, err)
	}
}

func TestSitesHaveAPace(t *testing.T) {
	s := httptest.NewServer(http.HandlerFunc(site))
	defer s.Close()
	host := s.Listener.Addr().String()
	f := newFetcher(t, webfetch.Options{Policy: &netguard.Policy{AllowOrigins: []string{host}}, AllowedHosts: []string{host}, Pace: pace.Options{PerSecond: 0.1, Burst: 2}})
	if p, err := f.Fetch(t.Context(), webfetch.Request{URL: s.URL + "/html"}); err != nil { // and robots.txt
		t.Errorf("Fetch() = %+v, %v, want the page", p, err)
	}
	p, err := f.Fetch(t.Context(), webfetch.Request{URL: s.URL + "/html", Timeout: 2 * time.Second})
	if p.ErrorCode != webfetch.CodeRateLimited || fault.From(err).RetryAfter <= 0 {
		t.Errorf("Fetch() beyond the rate = %+v, %v, want rate_limited and when to come again", p, err)
	}
}

func TestSessionsKeepCookies(t *testing.T) {
	f, site := serve(t, func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/login" {
			http.SetCookie(w, &http.Cookie{Name: "id", Value: "ada", Path: "/", HttpOnly: true})
			http.Redirect(w, r, "/me", http.StatusFound)
			return
		}
		c, err := r.Cookie("id")
		if err != nil {
			send("text/plain", "nobody")(w, r)
			return
		}
		send("text/plain", "hello "+c.Value)(w, r)
	})
	for _, step := range []struct {
		path, session, tenant, want string
	}{
		{"/login", "", "", "hello ada"}, {"/me", "", "", "nobody"}, {"/login", "s", "", "hello ada"}, {"/me", "s", "", "hello ada"}, {"/me", "t", "", "nobody"}, {"/me", "s", "other", "nobody"}, {"/me", "", "", "nobody"},
	} {
		req := webfetch.Request{URL: site + step.path, Session: step.session, Tenant: step.tenant}
		if p, err := f.Fetch(t.Context(), req); err != nil || p.Content != step.want {
			t.Errorf("Fetch(%s, session %q of %q) = %q, %v, want %q", step.path, step.session, step.tenant, p.Content, err, step.want)
		}
	}
}

func TestAFetchKeepsItsCookiesAlongItsRedirects(t *testing.T) {
	f, site := serve(t, func(w http.ResponseWriter, r *http.Request) {
		if _, err := r.Cookie("seen"); err == nil || r.URL.Path == "/robots.txt" {
			send("text/plain", "welcome")(w, r)
			return
		}
		http.SetCookie(w, &http.Cookie{Name: "seen", Value: "1"})
		http.Redirect(w, r, r.URL.Path, http.StatusFound) // to itself, until there is a cookie
	})
	for range 2 { // the second one finds nothing of the first
		p, err := f.Fetch(t.Context(), webfetch.Request{URL: site + "/page"})
		if err != nil || p.Content != "welcome" || len(p.Redirects) != 1 {
			t.Errorf("Fetch() = %q after %d redirects, %v, want welcome after one", p.Content, len(p.Redirects), err)
		}
	}
}

func TestHeadersStayAtTheirOrigin(t *testing.T) {
	echo := func(w http.ResponseWriter, r *http.Request) {
		if to := r.URL.Query().Get("to"); to != "" {
			http.Redirect(w, r, to, http.StatusFound)
			return
		}
		if r.URL.Path == "/robots.txt" {
			http.NotFound(w, r)
			return
		}
		send("text/plain", "key="+r.Header.Get("X-Api-Key")+" auth="+r.Header.Get("Authorization")+" agent="+r.UserAgent())(w, r)
	}
	one, two := httptest.NewServer(http.HandlerFunc(echo)), httptest.NewServer(http.HandlerFunc(echo))
	defer one.Close()
	defer two.Close()
	hosts := []string{one.Listener.Addr().String(), two.Listener.Addr().String()}
	f := newFetcher(t, webfetch.Options{
		Policy: &netguard.Policy{AllowOrigins: hosts}, AllowedHosts: hosts, UserAgent: "ours",
		Credentials: map[string]webfetch.Credential{
			"bearer": {Hosts: hosts[:1], AllowHTTP: true, Token: "t0ken"}, "basic": {Hosts: hosts[:1], AllowHTTP: true, Username: "ada", Password: "pw"}, "https only": {Hosts: hosts[:1], Token: "t0ken"},
		},
	})
	key := map[string]string{"X-Api-Key": "k", "User-Agent": "mine"}
	for name, test := range map[string]struct {
		req  webfetch.Request
		want string
	}{
		"to the origin":                    {webfetch.Request{URL: one.URL, Headers: key}, "key=k auth= agent=mine"},
		"after a redirect to itself":       {webfetch.Request{URL: one.URL + "?to=/x", Headers: key}, "key=k auth= agent=mine"},
		"after a redirect to another":      {webfetch.Request{URL: one.URL + "?to=" + two.URL, Headers: key}, "key= auth= agent=ours"},
		"after a redirect there and back":  {webfetch.Request{URL: one.URL + "?to=" + url.QueryEscape(two.URL+"?to="+one.URL), Headers: key}, "key= auth= agent=ours"},
		"a token after a redirect back":    {webfetch.Request{URL: one.URL + "?to=" + url.QueryEscape(two.URL+"?to="+one.URL), Credential: "bearer"}, "key= auth= agent=ours"},
		"a bearer token":                   {webfetch.Request{URL: one.URL, Credential: "bearer"}, "key= auth=Bearer t0ken agent=ours"},
		"a user's password":                {webfetch.Request{URL: one.URL, Credential: "basic"}, "key= auth=Basic " + base64.StdEncoding.EncodeToString([]byte("ada:pw")) + " agent=ours"},
		"a token after a redirect away":    {webfetch.Request{URL: one.URL + "?to=" + two.URL, Credential: "bearer"}, "key= auth= agent=ours"},
		"a token for another host":         {webfetch.Request{URL: two.URL, Credential: "bearer"}, "auth_required"},
		"a token for HTTPS over HTTP":      {webfetch.Request{URL: one.URL, Credential: "https only"}, "auth_required"},
		"a credential that does not exist": {webfetch.Request{URL: one.URL, Credential: "x"}, "auth_required"},
		"the Host header":                  {webfetch.Request{URL: one.URL, Headers: map[string]string{"Host": "evil"}}, "request_error"},
		"a header of the connection":       {webfetch.Request{URL: one.URL, Headers: map[string]string{"transfer-encoding": "chunked"}}, "request_error"},
		"a line break":                     {webfetch.Request{URL: one.URL, Headers: map[string]string{"X-A": "b\r\nX-B: c"}}, "request_error"},
	} {
		p, err := f.Fetch(t.Context(), test.req)
		if got := p.Content + string(p.ErrorCode); got != test.want {
			t.Errorf("%s: Fetch() = %q, %v, want %q", name, got, err, test.want)
		}
		if err != nil && strings.Contains(err.Error(), "t0ken") {
			t.Errorf("%s: the error %v has the token in it", name, err)
		}
	}
	for about, req := range map[string]webfetch.Request{
		"other hosts": {URL: two.URL, Credential: "bearer"},
		"allow_http":  {URL: one.URL, Credential: "https only"},
	} {
		if _, err := f.Fetch(t.Context(), req); err == nil || !strings.Contains(err.Error(), about) {
			t.Errorf("Fetch(%s) with the credential %q = %v, want an error about %s", req.URL, req.Credential, err, about)
		}
	}
}

func TestOAuth(t *testing.T) {
	var tokens atomic.Int64
	broken := atomic.Bool{}
	endpoint := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		user, password, _ := r.BasicAuth()
		if r.PostFormValue("grant_type") != "client_credentials" || user != "id" || password != "s3cret" || r.PostFormValue("scope") != "read" || broken.Load() {
			w.WriteHeader(http.StatusUnauthorized)
			_, _ = io.WriteString(w, `{"error":"invalid_client","error_description":"s3cret is wrong"}`)
			return
		}
		w.Header().Set("Content-Type", "application/json")
		_, _ = fmt.Fprintf(w, `{"access_token":"at%d","token_type":"Bearer","expires_in":3600}`, tokens.Add(1))
	}))
	defer endpoint.Close()
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		send("text/plain", r.Header.Get("Authorization"))(w, r)
	}))
	defer s.Close()
	host := s.Listener.Addr().String()
	options := webfetch.Options{
		Policy: &netguard.Policy{AllowOrigins: []string{host}}, AllowedHosts: []string{host}, Credentials: map[string]webfetch.Credential{
			"api": {Hosts: []string{host}, AllowHTTP: true, OAuth: &webfetch.OAuth{TokenURL: endpoint.URL, ClientID: "id", ClientSecret: "s3cret", Scopes: []string{"read"}}},
		},
	}
	f := newFetcher(t, options)
	for range 2 {
		if p, err := f.Fetch(t.Context(), webfetch.Request{URL: s.URL, Credential: "api"}); err != nil || p.Content != "Bearer at1" {
			t.Errorf("Fetch() = %q, %v, want one token for both", p.Content, err)
		}
	}
	broken.Store(true)
	p, err := newFetcher(t, options).Fetch(t.Context(), webfetch.Request{URL: s.URL, Credential: "api"})
	if p.ErrorCode != webfetch.CodeAuth || strings.Contains(err.Error(), "s3cret") {
		t.Errorf("Fetch() without a token = %+v, %v, want auth_required without the secret", p, err)
	}
	for name, c := range map[string]webfetch.Credential{"nothing": {Hosts: []string{"a.example"}}, "no hosts": {Token: "x"}, "two kinds": {Hosts: []string{"a.example"}, Token: auth.Secret("x"), Username: "y"}, "a wide host": {Hosts: []string{"*.com"}, Token: "x"}} {
		if _, err := webfetch.New(webfetch.Options{Credentials: map[string]webfetch.Credential{"c": c}}); err == nil {
			t.Errorf("New(a credential with %s) = nil, want an error", name)
		}
	}
}

func TestWhoWaitsForATokenOfAnotherKeepsToItsOwnTime(t *testing.T) {
	asked, answer := make(chan struct{}), make(chan struct{})
	endpoint := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		close(asked)
		<-answer
		w.Header().Set("Content-Type", "application/json")
		_, _ = io.WriteString(w, `{"access_token":"at","token_type":"Bearer","expires_in":3600}`)
	}))
	defer endpoint.Close()
	s := httptest.NewServer(send("text/plain", "hello"))
	defer s.Close()
	host := s.Listener.Addr().String()
	f := newFetcher(t, webfetch.Options{
		Policy: &netguard.Policy{AllowOrigins: []string{host}}, AllowedHosts: []string{host}, Credentials: map[string]webfetch.Credential{
			"api": {Hosts: []string{host}, AllowHTTP: true, OAuth: &webfetch.OAuth{TokenURL: endpoint.URL, ClientID: "id", ClientSecret: "s3cret"}},
		},
	})
	first := make(chan error, 1)
	go func() {
		_, err := f.Fetch(t.Context(), webfetch.Request{URL: s.URL, Credential: "api"})
		first <- err
	}()
	<-asked
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	if _, err := f.Fetch(ctx, webfetch.Request{URL: s.URL, Credential: "api"}); err == nil {
		t.Error("Fetch() with little time = nil, want an error")
	}
	close(answer)
	if err := <-first; err != nil {
		t.Errorf("Fetch() of who asked first = %v, want no error", err)
	}
}

// TestProxy has every connection go through a CONNECT proxy, which is asked for addresses and never for names.
func TestProxy(t *testing.T) {
	s := httptest.NewServer(http.HandlerFunc(site))
	defer s.Close()
	host := s.Listener.Addr().String()
	var asked atomic.Value
	proxy := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked.Store(r.Method + " " + r.Host + " " + r.Header.Get("Proxy-Authorization"))
		target, err := new(net.Dialer).DialContext(r.Context(), "tcp", host)
		if err != nil {
			t.Error(err)
			return
		}
		conn, _, err := http.NewResponseController(w).Hijack()
		if err != nil {
			t.Error(err)
			return
		}
		_, _ = io.WriteString(conn, "HTTP/1.1 200 Connection established\r\n\r\n") // the copies see what fails
		var group sync.WaitGroup
		group.Go(func() { _, _ = io.Copy(target, conn); _ = target.Close() })
		_, _ = io.Copy(conn, target)
		_ = conn.Close()
		group.Wait()
	}))
	defer proxy.Close()
	at, err := url.Parse(strings.Replace(proxy.URL, "http://", "http://user:pw@", 1))
	if err != nil {
		t.Fatal(err)
	}
	f := newFetcher(t, webfetch.Options{Open: true, Proxy: at})
	want := "CONNECT 93.184.216.34:80 Basic " + base64.StdEncoding.EncodeToString([]byte("user:pw"))
	if p, err := f.Fetch(t.Context(), webfetch.Request{URL: "http://93.184.216.34/plain", MaxCharacters: 3}); err != nil || p.Content != "xxx" || asked.Load() != want {
		t.Errorf("Fetch() through the proxy = %q, %v, asked %v, want %s", p.Content, err, asked.Load(), want)
	}
	asked.Store("")
	for _, target := range []string{"http://169.254.169.254/", "http://" + host + "/plain", "http://localhost/"} {
		if p, err := f.Fetch(t.Context(), webfetch.Request{URL: target}); p.ErrorCode != webfetch.CodeSSRF || asked.Load() != "" {
			t.Errorf("Fetch(%s) through the proxy = %+v, %v, asked %v, want ssrf_blocked before", target, p, err, asked.Load())
		}
	}
	for _, raw := range []string{"https://127.0.0.1:1", "http://127.0.0.1", "socks5://127.0.0.1:1", "http://127.0.0.1:1/path"} {
		u, err := url.Parse(raw)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := webfetch.New(webfetch.Options{Proxy: u}); err == nil {
			t.Errorf("New(proxy %s) = nil, want an error", raw)
		}
	}
}

func TestReadingOn(t *testing.T) {
	whole := strings.Repeat("日本語 text ", 100)
	changed := atomic.Bool{}
	f, site := serve(t, func(w http.ResponseWriter, r *http.Request) {
		body := strings.TrimSpace(whole)
		if changed.Load() {
			body = "x" + body
		}
		send("text/plain; charset=utf-8", body)(w, r)
	})
	var got strings.Builder
	var last webfetch.Page
	for start, pages := 0, 0; pages < 100; pages++ {
		p, err := f.Fetch(t.Context(), webfetch.Request{URL: site, MaxCharacters: 77, StartIndex: start, ContentSHA256: last.ContentSHA256})
		if err != nil {
			t.Fatal(err)
		}
		got.WriteString(p.Content)
		if p.Truncated != (p.NextIndex > 0) || p.Truncated && p.TruncatedAt != int64(got.Len()) || p.StartIndex != start {
			t.Errorf("Fetch(start %d) = truncated %t at %d, next %d, want them to agree", start, p.Truncated, p.TruncatedAt, p.NextIndex)
		}
		if last = p; p.NextIndex == 0 {
			break
		}
		start = p.NextIndex
	}
	if got.String() != strings.TrimSpace(whole) {
		t.Errorf("the pages together have %d bytes, want the whole of %d", got.Len(), len(strings.TrimSpace(whole)))
	}
	if p, err := f.Fetch(t.Context(), webfetch.Request{URL: site, StartIndex: 1 << 20}); err != nil || p.Content != "" || p.Truncated {
		t.Errorf("Fetch(past the end) = %q, %v, want an empty page", p.Content, err)
	}
	changed.Store(true)
	if p, err := f.Fetch(t.Context(), webfetch.Request{URL: site, StartIndex: 10, ContentSHA256: last.ContentSHA256, NoCache: true}); p.ErrorCode != webfetch.CodeContentChanged || p.Content != "" {
		t.Errorf("Fetch(a page that changed) = %+v, %v, want content_changed", p, err)
	}
}

func TestSpansAndMetrics(t *testing.T) {
	s := httptest.NewServer(http.HandlerFunc(site))
	defer s.Close()
	host := s.Listener.Addr().String()
	spans, reader := tracetest.NewSpanRecorder(), metric.NewManualReader()
	f := newFetcher(t, webfetch.Options{
		Policy: &netguard.Policy{AllowOrigins: []string{host}}, AllowedHosts: []string{host},
		Tracer: trace.NewTracerProvider(trace.WithSpanProcessor(spans)), Meter: metric.NewMeterProvider(metric.WithReader(reader)),
	})
	for _, path := range []string{"/html?key=secret", "/missing"} {
		_, _ = f.Fetch(t.Context(), webfetch.Request{URL: s.URL + path}) // what it answers is another test's
	}
	ended := spans.Ended()
	if len(ended) != 2 || ended[0].Name() != "webfetch.fetch" || ended[1].Status().Description != "status_error" {
		t.Fatalf("spans = %v, want two, the second failed", ended)
	}
	if got := attributes(ended[0].Attributes()); got["url.full"] != s.URL+"/html?key=[redacted]" || got["webfetch.outcome"] != "fetched" || got["http.response.status_code"] != "200" {
		t.Errorf("attributes of the span = %v, want the URL without its values, the outcome and the status", got)
	}
	var data metricdata.ResourceMetrics
	if err := reader.Collect(context.WithoutCancel(t.Context()), &data); err != nil {
		t.Fatal(err)
	}
	counts, bounds := histograms(data.ScopeMetrics[0].Metrics)
	if counts["fetched"] != 1 || counts["status_error"] != 1 {
		t.Errorf("webfetch.fetch.duration counts %v, want one of each outcome", counts)
	}
	// Without its own buckets, all of a histogram of seconds would be in the first, and all large pages in the last.
	for name, limits := range map[string][2]float64{
		"webfetch.fetch.duration":  {0.1, webfetch.MaxTimeout.Seconds()},
		"webfetch.fetch.body.size": {webfetch.DefaultMaxSize, webfetch.MaxMaxSize},
	} {
		if b := bounds[name]; len(b) == 0 || b[0] > limits[0] || b[len(b)-1] != limits[1] {
			t.Errorf("buckets of %s = %v, want some from at most %v to %v", name, b, limits[0], limits[1])
		}
	}
}

// histograms returns how many durations there are by outcome, and the buckets by metric.
func histograms(metrics []metricdata.Metrics) (counts map[string]uint64, bounds map[string][]float64) {
	counts, bounds = map[string]uint64{}, map[string][]float64{}
	for _, m := range metrics {
		switch h := m.Data.(type) {
		case metricdata.Histogram[float64]:
			for _, point := range h.DataPoints {
				outcome, _ := point.Attributes.Value("webfetch.outcome")
				counts[outcome.AsString()] += point.Count
				bounds[m.Name] = point.Bounds
			}
		case metricdata.Histogram[int64]:
			bounds[m.Name] = h.DataPoints[0].Bounds
		}
	}
	return counts, bounds
}

func attributes(list []attribute.KeyValue) map[string]string {
	m := map[string]string{}
	for _, a := range list {
		m[string(a.Key)] = a.Value.String()
	}
	return m
}

// TestNoHTTP2IsOffered looks at the protocols that a server is offered: over HTTP/2 one could hold a fetch for good.
func TestNoHTTP2IsOffered(t *testing.T) {
	offered := make(chan []string, 1)
	s := httptest.NewUnstartedServer(http.NotFoundHandler())
	s.TLS = &tls.Config{GetConfigForClient: func(hello *tls.ClientHelloInfo) (*tls.Config, error) {
		select {
		case offered <- hello.SupportedProtos:
		default: // the first one counts
		}
		return nil, nil
	}}
	s.Config.ErrorLog = slog.NewLogLogger(slog.DiscardHandler, slog.LevelError)
	s.StartTLS()
	defer s.Close()
	host := s.Listener.Addr().String()
	f := newFetcher(t, webfetch.Options{Policy: &netguard.Policy{AllowOrigins: []string{host}}, AllowedHosts: []string{host}, IgnoreRobots: true})
	if page, err := f.Fetch(t.Context(), webfetch.Request{URL: s.URL}); fault.ReasonOf(err) != webfetch.ReasonTLS {
		t.Fatalf("Fetch() of a site with a certificate of its own = %q, %v, want %s", page.Content, err, webfetch.ReasonTLS)
	}
	if protocols := <-offered; slices.Contains(protocols, "h2") {
		t.Errorf("the server was offered %q, want no h2", protocols)
	}
}
