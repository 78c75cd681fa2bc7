package rpcserver_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/quorate/quorate/platform/rpcserver"
)

// inOneLine is a handler with errors of its own form.
type inOneLine struct{}

func (inOneLine) ServeHTTP(http.ResponseWriter, *http.Request) { panic("hunter2") }

func (inOneLine) Refuse(w http.ResponseWriter, _ *http.Request, httpCode int, err error) {
	w.WriteHeader(httpCode)
	_, _ = fmt.Fprintf(w, "no: %v", err)
}

// TestWhatIsRefusedHasTheFormOfTheHandler sends what the handler does not get, and what it fails at.
func TestWhatIsRefusedHasTheFormOfTheHandler(t *testing.T) {
	t.Parallel()
	r := start(t, func(_ *rpcserver.Options, then prepared) {
		then(func(s *rpcserver.Server) { s.Handle("/line/", inOneLine{}) })
	})
	for name, test := range map[string]struct {
		body    string
		headers header
		status  int
		text    string
	}{
		"a body over the limit":    {strings.Repeat("x", 65<<10), nil, 413, "no: the body is larger than 65536 bytes"},
		"another host":             {"x", header{"Host": "evil.example"}, 421, `no: this server does not serve the host "evil.example"; call it by its address or as localhost, or have its operator allow this name`},
		"a page of another origin": {"x", header{"Origin": "https://evil.example", "Sec-Fetch-Site": "cross-site"}, 403, "no: cross-origin requests are refused"},
		"a panic":                  {"x", nil, 500, "no: "},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if resp, body := r.do(t, http.MethodPost, "/line/x", test.body, test.headers); resp.StatusCode != test.status || !strings.HasPrefix(body, test.text) {
				t.Errorf("POST = %d %.200s, want %d %s", resp.StatusCode, body, test.status, test.text)
			}
		})
	}
}
