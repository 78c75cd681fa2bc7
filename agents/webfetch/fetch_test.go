package webfetch_test

import (
	"bytes"
	"compress/gzip"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/quorate/quorate/agents/webfetch"
	"github.com/quorate/quorate/agents/webfetch/extract"
	"github.com/quorate/quorate/platform/dnstest"
	"github.com/quorate/quorate/platform/fault"
	"github.com/quorate/quorate/platform/netguard"
)

// serve starts a site with one handler and a fetcher that may read it and nothing else.
func serve(tb testing.TB, h http.HandlerFunc) (*webfetch.Fetcher, string) {
	tb.Helper()
	site := httptest.NewServer(h)
	tb.Cleanup(site.Close)
	host := site.Listener.Addr().String()
	return newFetcher(tb, webfetch.Options{Policy: &netguard.Policy{AllowOrigins: []string{host}}, AllowedHosts: []string{host}}), site.URL
}

func newFetcher(tb testing.TB, o webfetch.Options) *webfetch.Fetcher {
	tb.Helper()
	f, err := webfetch.New(o)
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(f.Close)
	return f
}

func send(contentType, body string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", contentType)
		_, _ = io.WriteString(w, body) // the client may stop reading
	}
}

// with sets a header before h answers.
func with(name, value string, h http.HandlerFunc) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set(name, value)
		h(w, r)
	}
}

// paths answers each path by its handler, and 404 otherwise.
func paths(handlers map[string]http.HandlerFunc) http.HandlerFunc {
	mux := http.NewServeMux()
	for path, h := range handlers {
		mux.HandleFunc(path, h)
	}
	return mux.ServeHTTP
}

// bomb writes 256 MiB as 256 KiB of gzip, in 64 equal members: to compress all of it takes half a minute with the race detector.
func bomb(w http.ResponseWriter, _ *http.Request) {
	var member bytes.Buffer
	z := gzip.NewWriter(&member)
	if _, err := z.Write(make([]byte, 4<<20)); err != nil {
		return
	}
	if err := z.Close(); err != nil {
		return
	}
	for range 64 {
		if _, err := w.Write(member.Bytes()); err != nil {
			return // the client stopped reading
		}
	}
}

func TestFetchTellsWhatItRead(t *testing.T) {
	f, site := serve(t, func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/old" {
			http.Redirect(w, r, "/new?token=secret", http.StatusMovedPermanently)
			return
		}
		send("text/html; charset=utf-8", "<title>A &amp; B</title><p>Hello <b>there</b></p>")(w, r)
	})
	page, err := f.Fetch(t.Context(), webfetch.Request{URL: site + "/old"})
	if err != nil {
		t.Fatal(err)
	}
	if page.Duration <= 0 {
		t.Errorf("Duration = %s, want more than 0", page.Duration)
	}
	if page.Headers["Date"] == "" {
		t.Errorf("Headers = %v, want the date among them", page.Headers)
	}
	delete(page.Headers, "Date")
	sum := sha256.Sum256([]byte("Hello **there**"))
	want := webfetch.Page{
		Success: true, Content: "Hello **there**", Format: webfetch.Markdown, RequestedURL: site + "/old", URL: site + "/new?token=secret", Domain: "127.0.0.1",
		StatusCode: http.StatusOK, ContentType: "text/html; charset=utf-8", ContentLength: 49, Title: "A & B", TotalCharacters: 15,
		Headers:   map[string]string{"Content-Type": "text/html; charset=utf-8", "Content-Length": "49"},
		Redirects: []webfetch.Redirect{{URL: site + "/old", StatusCode: http.StatusMovedPermanently}}, ContentSHA256: hex.EncodeToString(sum[:]),
		Cache: "miss", Engine: webfetch.EngineHTTP, Charset: "utf-8", Metadata: &extract.Metadata{}, Extractor: "page", Trust: webfetch.Untrusted,
	}
	if diff := cmp.Diff(want, page, cmpopts.IgnoreFields(webfetch.Page{}, "Duration", "DurationMS"), cmpopts.IgnoreUnexported(webfetch.Page{}, extract.Metadata{})); diff != "" {
		t.Errorf("Fetch() differs (-want +got):\n%s", diff)
	}
}

func TestFetchRefuses(t *testing.T) {
	elsewhere := httptest.NewServer(send("text/plain", "elsewhere"))
	t.Cleanup(elsewhere.Close)
	f, site := serve(t, paths(map[string]http.HandlerFunc{
		"/metadata":  http.RedirectHandler("http://169.254.169.254/latest/meta-data/", http.StatusFound).ServeHTTP,
		"/elsewhere": http.RedirectHandler(elsewhere.URL, http.StatusFound).ServeHTTP,
		"/file":      http.RedirectHandler("file:///etc/passwd", http.StatusFound).ServeHTTP,
		"/loop":      http.RedirectHandler("/loop", http.StatusFound).ServeHTTP,
		"/busy":      func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusServiceUnavailable) },
		"/image":     send("image/png", "\x89PNG"),
		"/brotli":    with("Content-Encoding", "br", send("text/html", "x")),
		"/notgzip":   with("Content-Encoding", "gzip", send("text/html", "this is no gzip stream")),
		"/long":      send("text/plain", strings.Repeat("x", 2000)),
		"/cut":       with("Content-Length", "1000", send("text/plain", "short")),
	}))
	for name, test := range map[string]struct {
		req    webfetch.Request
		kind   fault.Kind
		reason string
	}{
		"text that is no URL":                {webfetch.Request{URL: "hello"}, fault.InvalidArgument, "URL_INVALID"},
		"an empty URL":                       {webfetch.Request{}, fault.InvalidArgument, "URL_INVALID"},
		"a URL of 9,000 bytes":               {webfetch.Request{URL: site + "/" + strings.Repeat("a", 9000)}, fault.InvalidArgument, "URL_INVALID"},
		"a file":                             {webfetch.Request{URL: "file:///etc/passwd"}, fault.InvalidArgument, "SCHEME_NOT_ALLOWED"},
		"a password in the URL":              {webfetch.Request{URL: "http://user:pw@example.com/"}, fault.InvalidArgument, "URL_INVALID"},
		"a host that is not allowed":         {webfetch.Request{URL: "https://example.com/"}, fault.PermissionDenied, "DOMAIN_NOT_ALLOWED"},
		"an allowed host on another port":    {webfetch.Request{URL: "http://127.0.0.1:1/"}, fault.PermissionDenied, "ADDRESS_BLOCKED"},
		"a host in another script":           {webfetch.Request{URL: "https://例え.テスト/"}, fault.PermissionDenied, "DOMAIN_NOT_ALLOWED"},
		"loopback in circled digits":         {webfetch.Request{URL: "http://①②⑦.⓪.⓪.①/"}, fault.PermissionDenied, "ADDRESS_BLOCKED"},
		"the metadata service":               {webfetch.Request{URL: "http://169.254.169.254/latest/"}, fault.PermissionDenied, "ADDRESS_BLOCKED"},
		"a redirect to the metadata service": {webfetch.Request{URL: site + "/metadata"}, fault.PermissionDenied, "ADDRESS_BLOCKED"},
		"a redirect to another listener":     {webfetch.Request{URL: site + "/elsewhere"}, fault.PermissionDenied, "ADDRESS_BLOCKED"},
		"a redirect to a file":               {webfetch.Request{URL: site + "/file"}, fault.FailedPrecondition, "SCHEME_NOT_ALLOWED"},
		"a redirect loop":                    {webfetch.Request{URL: site + "/loop"}, fault.FailedPrecondition, "TOO_MANY_REDIRECTS"},
		"a missing page":                     {webfetch.Request{URL: site + "/missing"}, fault.NotFound, "HTTP_STATUS"},
		"a busy server":                      {webfetch.Request{URL: site + "/busy"}, fault.Unavailable, "HTTP_STATUS"},
		"an image":                           {webfetch.Request{URL: site + "/image"}, fault.FailedPrecondition, "CONTENT_TYPE_NOT_SUPPORTED"},
		"an encoding nobody asked for":       {webfetch.Request{URL: site + "/brotli"}, fault.FailedPrecondition, "CONTENT_ENCODING_INVALID"},
		"gzip that is none":                  {webfetch.Request{URL: site + "/notgzip"}, fault.FailedPrecondition, "CONTENT_ENCODING_INVALID"},
		"a body over the limit":              {webfetch.Request{URL: site + "/long", MaxSize: 1999}, fault.FailedPrecondition, "BODY_TOO_LARGE"},
		"a body that breaks off":             {webfetch.Request{URL: site + "/cut"}, fault.Unavailable, "READ_ERROR"},
		"an unknown format":                  {webfetch.Request{URL: site, Format: "pdf"}, fault.InvalidArgument, "REQUEST_INVALID"},
		"too long a time":                    {webfetch.Request{URL: site, Timeout: time.Hour}, fault.InvalidArgument, "REQUEST_INVALID"},
		"too large a body":                   {webfetch.Request{URL: site, MaxSize: 1 << 30}, fault.InvalidArgument, "REQUEST_INVALID"},
		"a negative number of characters":    {webfetch.Request{URL: site, MaxCharacters: -1}, fault.InvalidArgument, "REQUEST_INVALID"},
		"a beginning before the first":       {webfetch.Request{URL: site, StartIndex: -1}, fault.InvalidArgument, "REQUEST_INVALID"},
		"two ways to select":                 {webfetch.Request{URL: site, Selector: "p", XPath: "//p"}, fault.InvalidArgument, "REQUEST_INVALID"},
		"a selector without end":             {webfetch.Request{URL: site, Selector: strings.Repeat("p ", 2049)}, fault.InvalidArgument, "REQUEST_INVALID"},
		"an unknown way to render":           {webfetch.Request{URL: site, Render: "often"}, fault.InvalidArgument, "REQUEST_INVALID"},
		"an unknown engine":                  {webfetch.Request{URL: site, Engine: "steam"}, fault.InvalidArgument, "REQUEST_INVALID"},
		"a session's name without end":       {webfetch.Request{URL: site, Session: strings.Repeat("s", 129)}, fault.InvalidArgument, "REQUEST_INVALID"},
		"a credential's name without end":    {webfetch.Request{URL: site, Credential: strings.Repeat("c", 129)}, fault.InvalidArgument, "REQUEST_INVALID"},
		"a header of two lines":              {webfetch.Request{URL: site, Headers: map[string]string{"X": "a\r\nHost: b"}}, fault.InvalidArgument, "HEADERS_INVALID"},
		"a header's name with a space":       {webfetch.Request{URL: site, Headers: map[string]string{"X Y": "a"}}, fault.InvalidArgument, "HEADERS_INVALID"},
		"another host in a header":           {webfetch.Request{URL: site, Headers: map[string]string{"Host": "b"}}, fault.InvalidArgument, "HEADERS_INVALID"},
		"headers without end":                {webfetch.Request{URL: site, Headers: map[string]string{"X": strings.Repeat("x", 9<<10)}}, fault.InvalidArgument, "HEADERS_INVALID"},
		"too many headers":                   {webfetch.Request{URL: site, Headers: numbered(33)}, fault.InvalidArgument, "HEADERS_INVALID"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := f.Fetch(t.Context(), test.req)
			if fault.KindOf(err) != test.kind || fault.ReasonOf(err) != test.reason {
				t.Errorf("Fetch(%.80q) = %v (%s), want a fault %s %s", test.req.URL, err, fault.ReasonOf(err), test.kind, test.reason)
			}
		})
	}
}

// numbered is so many headers.
func numbered(n int) map[string]string {
	headers := make(map[string]string)
	for i := range n {
		headers[fmt.Sprint("X-", i)] = "x"
	}
	return headers
}

// TestASecretIsForNoRemoteEngine asks a Markdown service elsewhere for pages with what only their server may see.
func TestASecretIsForNoRemoteEngine(t *testing.T) {
	told := &teller{}
	f := newFetcher(t, webfetch.Options{Open: true, IgnoreRobots: true, Remote: told})
	for name, req := range map[string]webfetch.Request{
		"a header": {Headers: map[string]string{"X-Key": "secret"}}, "a credential": {Credential: "c"}, "a session": {Session: "s"}, "a selector": {Selector: "p"},
	} {
		req.URL, req.Engine = "https://example.com/", webfetch.EngineRemote
		if _, err := f.Fetch(t.Context(), req); fault.ReasonOf(err) != "REQUEST_INVALID" || len(told.urls) != 0 {
			t.Errorf("Fetch(with %s) = %v after the service was asked for %v, want REQUEST_INVALID and nothing", name, err, told.urls)
		}
	}
}

// saying is a Markdown service that says the same of every page.
type saying string

// Markdown implements webfetch.MarkdownService.
func (s saying) Markdown(context.Context, *url.URL) (string, error) { return string(s), nil }

func TestNothingInvisibleComesFromTheRemoteEngine(t *testing.T) {
	for said, want := range map[string]string{
		"# Title\n\n| a | b |\n|---|---|\n\n```\n<b> \\*\n```":               "# Title\n\n| a | b |\n|---|---|\n\n```\n<b> \\*\n```",
		"visible\U000E0061\U000E0062 \u202etext\u202c\x1b[2J and \u200bmore": "visible text[2J and more",
	} {
		f := newFetcher(t, webfetch.Options{Open: true, Remote: saying(said)})
		page, err := f.Fetch(t.Context(), webfetch.Request{URL: "https://93.184.216.34/", Engine: webfetch.EngineRemote})
		if err != nil || page.Content != want || slices.Contains(page.Warnings, string(extract.WarnInvisible)) != (said != want) {
			t.Errorf("Fetch() of a service that says %q = %q with %v, %v, want %q, and a warning if something is missing", said, page.Content, page.Warnings, err, want)
		}
	}
}

func TestABusyServerIsNotWornOut(t *testing.T) {
	for header, want := range map[string]time.Duration{
		"7":                    7 * time.Second,
		"9223372037":           time.Hour, // seconds that no duration in nanoseconds holds
		"99999999999999999999": time.Hour, // and that no number of 64 bits does
	} {
		t.Run("which asks for "+header+" seconds", func(t *testing.T) {
			calls := 0
			f, site := serve(t, func(w http.ResponseWriter, r *http.Request) {
				if r.URL.Path == "/robots.txt" {
					http.NotFound(w, r)
					return
				}
				calls++
				w.Header().Set("Retry-After", header)
				w.WriteHeader(http.StatusServiceUnavailable)
			})
			_, err := f.Fetch(t.Context(), webfetch.Request{URL: site})
			got := fault.From(err)
			if got.RetryAfter != want || got.Metadata["status_code"] != "503" || calls != 1 {
				t.Errorf("Fetch(a busy server) = %+v after %d calls, want a retry after %s, the status code 503 and one call", got, calls, want)
			}
			if says := "try again in " + want.String(); !strings.Contains(got.Message, says) {
				t.Errorf("Fetch(a busy server) = %q, want %q in it", got.Message, says)
			}
			_, err = f.Fetch(t.Context(), webfetch.Request{URL: site, Timeout: time.Second})
			if got := fault.From(err); got.Reason != webfetch.ReasonRateLimited || got.RetryAfter < 5*time.Second || calls != 1 {
				t.Errorf("Fetch(a busy server) again = %+v after %d calls, want RATE_LIMITED until it is ready", got, calls)
			}
		})
	}
}

func TestARedirectThatLeadsNowhereIsCalledThat(t *testing.T) {
	for _, status := range []int{http.StatusFound, http.StatusNotModified} {
		f, site := serve(t, func(w http.ResponseWriter, r *http.Request) {
			if r.URL.Path != "/robots.txt" {
				w.WriteHeader(status)
			}
		})
		if _, err := f.Fetch(t.Context(), webfetch.Request{URL: site}); fault.ReasonOf(err) != webfetch.ReasonStatus || !strings.Contains(err.Error(), "no address to go on to") {
			t.Errorf("Fetch(a page that answers %d) = %v, want %s, with the words that it leads nowhere", status, err, webfetch.ReasonStatus)
		}
	}
}

func TestAPercentSignThatBeginsNoCodeStandsForItself(t *testing.T) {
	f, site := serve(t, func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/50%-off":
			send("text/plain", r.URL.Path)(w, r)
		case "/moved":
			w.Header().Set("Location", "/50%-off")
			w.WriteHeader(http.StatusFound)
		case "/moves":
			send("text/html", `<meta http-equiv="refresh" content="0; url=50%-off">`)(w, r)
		default:
			http.NotFound(w, r)
		}
	})
	for _, path := range []string{"/50%-off", "/50%25-off", "/50%-off#5%", "/moved", "/moves"} {
		if page, err := f.Fetch(t.Context(), webfetch.Request{URL: site + path}); err != nil || page.Content != "/50%-off" {
			t.Errorf("Fetch(%s) = %q, %v, want the page /50%%-off", path, page.Content, err)
		}
	}
	for _, host := range []string{"http://exa%mple.com/", "http://example.com%/", "http://%", "http://127.0.0.1%:80/"} {
		if page, err := f.Fetch(t.Context(), webfetch.Request{URL: host}); fault.ReasonOf(err) != webfetch.ReasonURLInvalid {
			t.Errorf("Fetch(%s) = %q, %v, want %s", host, page.Content, err, webfetch.ReasonURLInvalid)
		}
	}
}

func TestRedirectToAnOriginThatIsNotAllowed(t *testing.T) {
	reached := false
	elsewhere := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { reached = true }))
	defer elsewhere.Close()
	site := httptest.NewServer(http.RedirectHandler(elsewhere.URL+"/?token=secret", http.StatusFound))
	defer site.Close()
	f := newFetcher(t, webfetch.Options{Policy: &netguard.Policy{AllowLoopback: true}, AllowedHosts: []string{site.Listener.Addr().String()}})
	_, err := f.Fetch(t.Context(), webfetch.Request{URL: site.URL})
	if fault.ReasonOf(err) != webfetch.ReasonDomain || reached {
		t.Errorf("Fetch() = %v, reached %t, want DOMAIN_NOT_ALLOWED and false", err, reached)
	}
	if strings.Contains(err.Error(), "secret") || !strings.Contains(err.Error(), "token=[redacted]") {
		t.Errorf("Fetch() = %v, want the query's value left out", err)
	}
}

func TestACertificateThatNobodySignedIsRefused(t *testing.T) {
	site := httptest.NewUnstartedServer(send("text/plain", "secret"))
	site.Config.ErrorLog = slog.NewLogLogger(slog.DiscardHandler, slog.LevelInfo) // it would print the refused handshake
	site.StartTLS()
	defer site.Close()
	host := site.Listener.Addr().String()
	f := newFetcher(t, webfetch.Options{Policy: &netguard.Policy{AllowOrigins: []string{host}}, AllowedHosts: []string{host}})
	_, err := f.Fetch(t.Context(), webfetch.Request{URL: site.URL})
	if fault.ReasonOf(err) != webfetch.ReasonTLS || !strings.Contains(err.Error(), "certificate") || strings.Contains(err.Error(), "robots.txt") {
		t.Errorf("Fetch() = %v, want TLS_ERROR about the certificate of the page", err)
	}
}

func TestFetchIsBounded(t *testing.T) {
	f, site := serve(t, paths(map[string]http.HandlerFunc{
		"/silent": func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() },
		"/drip": func(w http.ResponseWriter, r *http.Request) {
			tick := time.NewTicker(time.Millisecond)
			defer tick.Stop()
			for r.Context().Err() == nil {
				send("text/plain", "x")(w, r)
				_ = http.NewResponseController(w).Flush() // fails when the client is gone
				<-tick.C
			}
		},
		"/endless": func(w http.ResponseWriter, r *http.Request) {
			for r.Context().Err() == nil {
				send("text/plain", strings.Repeat("x", 64<<10))(w, r)
			}
		},
		"/bomb": with("Content-Encoding", "gzip", with("Content-Type", "text/plain", bomb)),
	}))
	for path, want := range map[string]string{
		"/silent": "FETCH_TIMEOUT", "/drip": "FETCH_TIMEOUT", "/endless": "BODY_TOO_LARGE", "/bomb": "BODY_TOO_LARGE",
	} {
		req := webfetch.Request{URL: site + path}
		if want == "FETCH_TIMEOUT" {
			req.Timeout = 200 * time.Millisecond
		}
		if _, err := f.Fetch(t.Context(), req); fault.ReasonOf(err) != want {
			t.Errorf("Fetch(%s) = %v, want %s", path, err, want)
		}
	}

	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := f.Fetch(ctx, webfetch.Request{URL: site + "/silent"}); !errors.Is(err, context.Canceled) {
		t.Errorf("Fetch(canceled) = %v, want context.Canceled", err)
	}
}

func TestContentIsCutAtCharacters(t *testing.T) {
	f, site := serve(t, send("text/plain; charset=utf-8", "日本語テキスト"))
	for limit, want := range map[int]string{3: "日本語", 7: "日本語テキスト", 8: "日本語テキスト"} {
		page, err := f.Fetch(t.Context(), webfetch.Request{URL: site, MaxCharacters: limit})
		if err != nil {
			t.Fatal(err)
		}
		if page.Content != want || page.Truncated != (limit == 3) || page.TruncatedAt != map[bool]int64{true: 9}[limit == 3] {
			t.Errorf("Fetch(%d characters) = %q, truncated %t at %d, want %q", limit, page.Content, page.Truncated, page.TruncatedAt, want)
		}
	}
}

func TestFetchLogsWithoutSecrets(t *testing.T) {
	var log strings.Builder
	f := newFetcher(t, webfetch.Options{Logger: slog.New(slog.NewTextHandler(&log, nil))})
	if _, err := f.Fetch(t.Context(), webfetch.Request{URL: "https://user:hunter2@example.com/a?q=hunter2&b=hunter2#hunter2"}); err == nil {
		t.Error("Fetch() = nil, want a refusal")
	}
	if got := log.String(); strings.Contains(got, "hunter2") || !strings.Contains(got, "level=INFO") || !strings.Contains(got, "outcome=invalid_url") {
		t.Errorf("log = %s, want one INFO line with the outcome and without hunter2", got)
	}
}

func TestRedact(t *testing.T) {
	for raw, want := range map[string]string{
		"https://u:p@example.com/a%2Fb?x=1&y&z=2=3#f": "https://example.com/a%2Fb?x=[redacted]&y&z=[redacted]",
		"https://example.com/":                        "https://example.com/",
	} {
		u, err := url.Parse(raw)
		if err != nil {
			t.Fatal(err)
		}
		if got := webfetch.Redact(u); got != want {
			t.Errorf("Redact(%q) = %q, want %q", raw, got, want)
		}
	}
}

func TestNewRefusesWhatIsNoHost(t *testing.T) {
	for _, host := range []string{"", "https://example.com", "example.com/path", "user@example.com", "*.com", "a b", "[::1%25lo]:80"} {
		if _, err := webfetch.New(webfetch.Options{AllowedHosts: []string{host}}); err == nil {
			t.Errorf("New(allowed host %q) = nil, want an error", host)
		}
	}
	for _, limits := range []webfetch.Limits{{Timeout: -1}, {Timeout: time.Hour}, {MaxSize: -1}, {MaxCharacters: 1 << 30}} {
		if _, err := webfetch.New(webfetch.Options{Limits: limits}); fault.ReasonOf(err) != webfetch.ReasonRequestInvalid {
			t.Errorf("New(%+v) = %v, want REQUEST_INVALID", limits, err)
		}
	}
}

func TestFetchesWaitForASlot(t *testing.T) {
	entered, hold := make(chan struct{}, 2), make(chan struct{})
	site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		entered <- struct{}{}
		<-hold
		_, _ = fmt.Fprint(w, "done")
	}))
	defer site.Close()
	host := site.Listener.Addr().String()
	f := newFetcher(t, webfetch.Options{Policy: &netguard.Policy{AllowOrigins: []string{host}}, AllowedHosts: []string{host}, MaxConcurrent: 1})
	first := make(chan error, 1)
	go func() {
		_, err := f.Fetch(context.WithoutCancel(t.Context()), webfetch.Request{URL: site.URL})
		first <- err
	}()
	<-entered
	_, err := f.Fetch(t.Context(), webfetch.Request{URL: site.URL, Timeout: 50 * time.Millisecond})
	if fault.ReasonOf(err) != webfetch.ReasonTimeout || len(entered) != 0 {
		t.Errorf("Fetch() while the only slot is taken = %v, want FETCH_TIMEOUT without a request", err)
	}
	close(hold)
	if err := <-first; err != nil {
		t.Errorf("Fetch() in the slot = %v, want nil", err)
	}
}

func TestASlowSiteHoldsUpItselfAlone(t *testing.T) {
	entered, hold := make(chan struct{}, 8), make(chan struct{})
	site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.HasPrefix(r.Host, "slow.") {
			entered <- struct{}{}
			<-hold
		}
		_, _ = fmt.Fprint(w, "done")
	}))
	defer site.Close()
	port := site.URL[strings.LastIndexByte(site.URL, ':'):]
	hosts := []string{"slow.test" + port, "fast.test" + port}
	resolver := dnstest.NewResolver(t, map[string][][]string{"slow.test": {{"127.0.0.1"}}, "fast.test": {{"127.0.0.1"}}})
	f := newFetcher(t, webfetch.Options{Policy: &netguard.Policy{AllowOrigins: hosts, Resolver: resolver}, AllowedHosts: hosts, MaxConcurrent: 4, IgnoreRobots: true})
	slow := make(chan error, 8)
	for range cap(slow) {
		go func() {
			_, err := f.Fetch(context.WithoutCancel(t.Context()), webfetch.Request{URL: "http://" + hosts[0], NoCache: true})
			slow <- err
		}()
	}
	for range 2 { // half of the slots
		select {
		case <-entered:
		case err := <-slow:
			t.Fatalf("Fetch() of the slow site = %v before it answered", err)
		}
	}
	if p, err := f.Fetch(t.Context(), webfetch.Request{URL: "http://" + hosts[1]}); p.Content != "done" {
		t.Errorf("Fetch() while 8 wait for another site = %q, %v, want the page", p.Content, err)
	}
	close(hold)
	for range cap(slow) {
		if err := <-slow; err != nil {
			t.Errorf("Fetch() of the slow site = %v, want nil", err)
		}
	}
}

// TestLargeBodiesWait has as many large bodies in work as there may be at a time.
func TestLargeBodiesWait(t *testing.T) {
	t.Parallel()
	text := strings.Repeat("word ", 1<<20)
	f, site := serve(t, func(w http.ResponseWriter, r *http.Request) {
		body := text
		if r.URL.Path == "/small" {
			body = text[:1<<10]
		}
		send("text/plain", body)(w, r)
	})
	fetch := func(path string, timeout time.Duration) string {
		_, err := f.Fetch(t.Context(), webfetch.Request{URL: site + path, MaxSize: 10 << 20, Timeout: timeout})
		return fault.ReasonOf(err)
	}
	giveBack := webfetch.TakeLarge(f)
	if got := fetch("/large", 100*time.Millisecond); got != webfetch.ReasonTimeout {
		t.Errorf("Fetch() of a large body = %q, want it to wait until its time is over", got)
	}
	if got := fetch("/small", time.Minute); got != "" {
		t.Errorf("Fetch() of a small body = %q, want no error", got)
	}
	giveBack()
	for range 5 { // each gives back what it took
		if got := fetch("/large", time.Minute); got != "" {
			t.Errorf("Fetch() of a large body when there is room = %q, want no error", got)
		}
	}
}
