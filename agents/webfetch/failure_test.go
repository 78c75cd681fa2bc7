package webfetch_test

import (
	"net/http"
	"strings"
	"testing"

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
		"/ssh":     says("SSH-2.0-OpenSSH_9\r\n"),
		"/smtp":    says("220 mail.test ESMTP\r\n"),
		"/nothing": says(""),
	}))
	const long, other = "the headers of its answer are longer than 256 KiB", "does not speak HTTP"
	for path, want := range map[string]string{"/header": long, "/headers": long, "/hints": long, "/ssh": other, "/smtp": other, "/nothing": "no answer"} {
		page, err := f.Fetch(t.Context(), webfetch.Request{URL: site + path})
		if fault.ReasonOf(err) != webfetch.ReasonNetwork || !strings.Contains(page.Error, want) {
			t.Errorf("Fetch(%s) = %v, want %s and %q", path, err, webfetch.ReasonNetwork, want)
		}
	}
}
