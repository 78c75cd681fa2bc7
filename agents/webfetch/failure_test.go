package webfetch_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/quorate/quorate/agents/webfetch"
	"github.com/quorate/quorate/platform/fault"
)

// says answers with raw bytes, whatever they are.
func says(raw string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		conn, _, err := http.NewResponseController(w).Hijack()
		if err != nil {
			return
		}
		_, _ = conn.Write([]byte(raw)) // the client may stop reading
		_ = conn.Close()
	}
}

func TestAnAnswerThatIsNotHTTPIsNamed(t *testing.T) {
	f, site := serve(t, paths(map[string]http.HandlerFunc{
		"/header":  says("HTTP/1.1 200 OK\r\nX-A: " + strings.Repeat("a", 300<<10) + "\r\n\r\n"),
		"/headers": says("HTTP/1.1 200 OK\r\n" + strings.Repeat("X-A: a\r\n", 40<<10) + "\r\n"),
		"/hints":   says(strings.Repeat("HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n", 10<<10)),
		"/cookie":  says("HTTP/1.1 200 OK\r\nSet-Cookie: a=\x01\r\n\r\n"),
		"/ssh":     says("SSH-2.0-OpenSSH_9\r\n"),
		"/smtp":    says("220 mail.test ESMTP\r\n"),
		"/nothing": says(""),
	}))
	const long, other = "the headers of its answer are longer than 256 KiB", "does not speak HTTP"
	for path, want := range map[string]string{"/header": long, "/headers": long, "/hints": long, "/cookie": "a header of its answer is broken; the server has to fix it", "/ssh": other, "/smtp": other, "/nothing": "no answer"} {
		page, err := f.Fetch(t.Context(), webfetch.Request{URL: site + path})
		if fault.ReasonOf(err) != webfetch.ReasonNetwork || !strings.Contains(page.Error, want) {
			t.Errorf("Fetch(%s) = %v, want %s and %q", path, err, webfetch.ReasonNetwork, want)
		}
	}
}

func TestWhatARedirectLeadsToIsNoFaultOfTheRequest(t *testing.T) {
	f, site := serve(t, func(w http.ResponseWriter, r *http.Request) {
		if to := r.URL.Query().Get("to"); to != "" {
			http.Redirect(w, r, to, http.StatusFound)
		}
	})
	for to, want := range map[string]struct {
		kind fault.Kind
		says string
	}{
		"ftp://127.0.0.1/a":             {fault.FailedPrecondition, "ftp://127.0.0.1/a: the page redirects there, and only http"},
		"http://a:b@example.com/":       {fault.FailedPrecondition, "http://example.com/: the page redirects there, and this URL cannot be used"},
		"https://a\u0378.test/":         {fault.FailedPrecondition, "the page redirects there, and its host is not a valid name"},
		"http://169.254.169.254/latest": {fault.PermissionDenied, "http://169.254.169.254/latest: the page redirects there, and this address is never called"},
		"https://example.com/a":         {fault.PermissionDenied, "https://example.com/a: the page redirects there, and example.com is not on the list"},
	} {
		page, err := f.Fetch(t.Context(), webfetch.Request{URL: site + "/?to=" + url.QueryEscape(to)})
		if fault.KindOf(err) != want.kind || !strings.Contains(page.Error, want.says) || len(fault.From(err).Violations) > 0 {
			t.Errorf("Fetch(a redirect to %s) = %s %v, want %s and %q", to, fault.KindOf(err), err, want.kind, want.says)
		}
	}
}

func TestNobodyIsToldToAskForMoreThanThereIs(t *testing.T) {
	hung := make(chan struct{})
	f, site := serve(t, paths(map[string]http.HandlerFunc{
		"/hung": func(http.ResponseWriter, *http.Request) { <-hung },
		"/long": func(w http.ResponseWriter, _ *http.Request) { w.Header().Set("Content-Length", "99999999") },
	}))
	t.Cleanup(func() { close(hung) }) // before the server is closed, which waits for its handlers
	for name, test := range map[string]struct {
		req  webfetch.Request
		want string
	}{
		"a time that may be longer":  {webfetch.Request{URL: site + "/hung", Timeout: 50 * time.Millisecond}, "longer than 50ms; allow more time (at most 5m0s) or try later"},
		"a profile with less time":   {webfetch.Request{URL: site + "/hung", Timeout: 50 * time.Millisecond, Profile: "slack", Language: "en"}, "longer than 50ms; allow more time (at most 10s) or try later"},
		"a size that may be larger":  {webfetch.Request{URL: site + "/long"}, "raise max_size (at most 52428800) or choose a smaller page"},
		"a size that is the largest": {webfetch.Request{URL: site + "/long", MaxSize: 50 << 20}, "longer than 52428800 bytes; choose a smaller page"},
	} {
		if _, err := f.Fetch(t.Context(), test.req); err == nil || !strings.HasSuffix(fault.From(err).Message, test.want) {
			t.Errorf("Fetch() with %s = %v, want an end of %q", name, err, test.want)
		}
	}
}
