package remote_test

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/quorate/quorate/agents/webfetch"
	"github.com/quorate/quorate/agents/webfetch/remote"
	"github.com/quorate/quorate/platform/netguard"
)

const page = "http://93.184.216.34/page?a=1"

// fetch asks a fetcher with the profile of document 003 whose service answers as h does.
func fetch(t *testing.T, h http.HandlerFunc, req webfetch.Request) (webfetch.Page, error) {
	t.Helper()
	service := httptest.NewServer(h)
	t.Cleanup(service.Close)
	s, err := remote.New(service.URL + "/")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	f, err := webfetch.New(webfetch.Options{Profile: webfetch.ProfileMyao, Open: true, Remote: s})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(f.Close)
	return f.Fetch(t.Context(), req)
}

func answer(status int, body string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(status)
		_, _ = io.WriteString(w, body) // the client may stop reading
	}
}

func TestTheRequestIsTheDocuments(t *testing.T) {
	var got map[string]any
	var path, method, kind string
	p, err := fetch(t, func(w http.ResponseWriter, r *http.Request) {
		path, method, kind = r.URL.Path, r.Method, r.Header.Get("Content-Type")
		if err := json.NewDecoder(r.Body).Decode(&got); err != nil {
			t.Error(err)
		}
		_, _ = io.WriteString(w, `{"url":"x","filter":"llm","query":null,"cache":"0","markdown":"# CONTENTS","success":true}`)
	}, webfetch.Request{URL: page})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(map[string]any{"url": page, "f": "llm", "q": nil, "c": "0"}, got); diff != "" {
		t.Errorf("body of the request differs (-want +got):\n%s", diff)
	}
	if path != "/md" || method != http.MethodPost || kind != "application/json" {
		t.Errorf("request = %s %s, %s, want POST /md in JSON", method, path, kind)
	}
	if p.Content != "# CONTENTS" || p.Format != webfetch.Markdown || p.Engine != webfetch.EngineRemote || !p.Success || p.URL != page || p.Trust != webfetch.Untrusted {
		t.Errorf("Fetch() = %+v, want the service's Markdown", p)
	}
}

func TestContentIsCutAt20000Characters(t *testing.T) {
	body, err := json.Marshal(map[string]any{"success": true, "markdown": strings.Repeat("長", 20_001)})
	if err != nil {
		t.Fatal(err)
	}
	p, err := fetch(t, answer(http.StatusOK, string(body)), webfetch.Request{URL: page})
	if err != nil || p.Content != strings.Repeat("長", 20_000) || !p.Truncated || p.Text() != p.Content {
		t.Errorf("Fetch() = %d characters, truncated %t, %v, want 20,000 and no mark", p.NextIndex, p.Truncated, err)
	}
}

func TestFailuresAreTheDocuments(t *testing.T) {
	const invalid, late, failed = "無効なURLです。http:// または https:// で始まるURLを指定してください", "ページの取得がタイムアウトしました", "ページを取得できませんでした"
	hang := func(_ http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body) // so that the server sees the client leave
		<-r.Context().Done()
	}
	for name, test := range map[string]struct {
		service http.HandlerFunc
		req     webfetch.Request
		text    string
		code    webfetch.Code
	}{
		"another scheme":        {answer(200, ""), webfetch.Request{URL: "ftp://example.com"}, invalid, webfetch.CodeScheme},
		"no URL":                {answer(200, ""), webfetch.Request{URL: "example"}, invalid, webfetch.CodeInvalidURL},
		"a timeout":             {hang, webfetch.Request{URL: page, Timeout: 50 * time.Millisecond}, late, webfetch.CodeTimeout},
		"an HTTP error":         {answer(500, `{"detail":"secret"}`), webfetch.Request{URL: page}, failed, webfetch.CodeBackend},
		"success false":         {answer(200, `{"success":false,"markdown":"x"}`), webfetch.Request{URL: page}, failed, webfetch.CodeBackend},
		"no JSON":               {answer(200, "hello"), webfetch.Request{URL: page}, failed, webfetch.CodeBackend},
		"a redirect":            {http.RedirectHandler("/other", http.StatusFound).ServeHTTP, webfetch.Request{URL: page}, failed, webfetch.CodeBackend},
		"an answer cut in half": {func(w http.ResponseWriter, _ *http.Request) { w.Header().Set("Content-Length", "100") }, webfetch.Request{URL: page}, failed, webfetch.CodeBackend},
	} {
		t.Run(name, func(t *testing.T) {
			p, err := fetch(t, test.service, test.req)
			if err == nil || p.Success || p.Error != test.text || p.ErrorCode != test.code {
				t.Errorf("Fetch() = %q (%s), %v, want %q (%s)", p.Error, p.ErrorCode, err, test.text, test.code)
			}
		})
	}
}

func TestWhatTheGuardRefusesIsNotNamedToTheService(t *testing.T) {
	for name, raw := range map[string]string{
		"loopback": "http://127.0.0.1/", "metadata": "http://169.254.169.254/latest/", "a private address": "http://10.0.0.1/", "a file": "file:///etc/passwd",
		"raw content": "raw:<h1>x</h1>", "a mapped address": "http://[::ffff:127.0.0.1]/", "an encoded host": "http://127.0.0.1%2f@example.com/",
	} {
		called := false
		if p, err := fetch(t, func(http.ResponseWriter, *http.Request) { called = true }, webfetch.Request{URL: raw}); err == nil || called {
			t.Errorf("%s: Fetch(%s) = %+v, %v, called the service %t, want a refusal before", name, raw, p, err, called)
		}
	}
	for name, req := range map[string]webfetch.Request{"another format": {URL: page, Format: webfetch.Text}, "headers": {URL: page, Headers: map[string]string{"X-A": "b"}}, "a selector": {URL: page, Selector: "h1"}} {
		if p, err := fetch(t, answer(200, ""), req); err == nil || p.ErrorCode != webfetch.CodeInvalidArgument {
			t.Errorf("%s: Fetch() = %+v, %v, want invalid_argument", name, p, err)
		}
	}
}

func TestNewRefusesWhatIsNoEndpoint(t *testing.T) {
	for _, endpoint := range []string{"", "localhost", "ftp://x", "http://user:pw@x", "http://x?a=b", "http://%zz"} {
		if _, err := remote.New(endpoint); err == nil {
			t.Errorf("New(%q) = nil, want an error", endpoint)
		}
	}
}

func TestTheDefaultProfileCanUseTheService(t *testing.T) {
	service := httptest.NewServer(answer(200, `{"success":true,"markdown":"m"}`))
	defer service.Close()
	s, err := remote.New(service.URL)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	f, err := webfetch.New(webfetch.Options{Policy: &netguard.Policy{}, AllowedHosts: []string{netip.MustParseAddr("93.184.216.34").String()}, Remote: s})
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if p, err := f.Fetch(t.Context(), webfetch.Request{URL: page, Engine: webfetch.EngineRemote}); err != nil || p.Content != "m" {
		t.Errorf("Fetch(engine remote) = %+v, %v, want the service's answer", p, err)
	}
	u, _ := url.Parse(page)
	if _, err := f.Fetch(t.Context(), webfetch.Request{URL: "http://93.184.216.35" + u.Path, Engine: webfetch.EngineRemote}); webfetch.CodeOf(err) != webfetch.CodeDomain {
		t.Errorf("Fetch(engine remote, a host that is not allowed) = %v, want domain_not_allowed", err)
	}
}
