package cli_test

import (
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

const fetchRoute = "POST /v1/pages:fetch"

func TestFetchPrintsTheContent(t *testing.T) {
	t.Parallel()
	g := newGateway(t, map[string][]http.HandlerFunc{fetchRoute: answer(`{"success":true,"content":"# Title  \nline\n\ttwo","nextIndex":20,"totalCharacters":40}`)})
	exit, out, notes := g.run(t, "", "fetch", "https://example.com/a", "--format", "text", "-H", "Accept: text/plain", "--timeout", "5s", "--no-redirects", "--selector", "h1")
	if exit != 0 || out != "# Title  \nline\n\ttwo\n" || !strings.Contains(notes, "--start-index 20") {
		t.Errorf("fetch = %d %q %q, want the content as it is, and how to read on", exit, out, notes)
	}
	want := fetchRoute + ` {"url":"https://example.com/a","format":"text","timeout":"5s","followRedirects":false,"headers":{"Accept":"text/plain"},"selector":"h1"}`
	if got := g.seen(); !slices.Equal(got, []string{want}) {
		t.Errorf("fetch sent %q, want %q", got, want)
	}
	if exit, out, _ := g.run(t, "", "fetch", "https://example.com/a", "-o", "json"); exit != 0 || !strings.Contains(out, `"nextIndex": 20`) {
		t.Errorf("fetch -o json = %d %s, want every field", exit, out)
	}
}

func TestFetchTellsWhyNothingIsPrinted(t *testing.T) {
	t.Parallel()
	for page, want := range map[string]string{
		`{"success":true,"content":"","statusCode":200}`:                                      "the page has no text that can be read; if it needs scripts: --render always\n",
		`{"success":true,"content":"","statusCode":302,"headers":{"Location":"/next"}}`:       "the page redirects to \"/next\", which was not followed\n",
		`{"success":true,"content":"text","statusCode":200,"warnings":["html_too_long","b"]}`: "warning: html_too_long, b\n",
	} {
		g := newGateway(t, map[string][]http.HandlerFunc{fetchRoute: answer(page)})
		if exit, out, notes := g.run(t, "", "fetch", "https://example.com/a"); exit != 0 || notes != want {
			t.Errorf("fetch of %s = %d %q %q, want 0 and the note %q", page, exit, out, notes, want)
		}
	}
}

// TestFetchPrintsADocument has a part of a page that begins and ends within a code fence.
func TestFetchPrintsADocument(t *testing.T) {
	t.Parallel()
	g := newGateway(t, map[string][]http.HandlerFunc{fetchRoute: answer(`{"success":true,"opening":"` + "```go" + `\n","content":"x := 1","closing":"\n` + "```" + `","totalCharacters":90}`)})
	if exit, out, _ := g.run(t, "", "fetch", "https://example.com/a"); exit != 0 || out != "```go\nx := 1\n```\n" {
		t.Errorf("fetch of a part = %d %q, want the code fence around it", exit, out)
	}
}

func TestFetchSendsWhatItsFlagsSay(t *testing.T) {
	t.Parallel()
	for flags, want := range map[string]string{
		"--max-size 5 --max-characters 6 --start-index 7 --render never --engine http": `,"maxSize":"5","maxCharacters":6,"startIndex":7,"render":"never","engine":"http"`,
		"--credential c --session s --profile slack --locale ja --no-cache":            `,"noCache":true,"session":"s","credential":"c","profile":"slack","locale":"ja"`,
		"--xpath //h1":     `,"xpath":"//h1"`,
		"--json-path $.a ": `,"jsonPath":"$.a"`,
	} {
		g := newGateway(t, map[string][]http.HandlerFunc{fetchRoute: answer(`{"success":true}`)})
		g.run(t, "", append([]string{"fetch", "https://example.com/a"}, strings.Fields(flags)...)...)
		if got := g.seen(); !slices.Equal(got, []string{fetchRoute + ` {"url":"https://example.com/a"` + want + `}`}) {
			t.Errorf("fetch %s sent %q, want %s in it", flags, got, want)
		}
	}
	if exit, _, stderr := run(t.Context(), "", "fetch", "https://example.com/a", "--selector", "h1", "--xpath", "//h1"); exit != 2 || !strings.Contains(stderr, "cannot be given together") {
		t.Errorf("fetch with two selectors = %d, %q, want 2", exit, stderr)
	}
}

func TestFetchExitsAsThePageFailed(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		answer string
		exit   int
		tells  string
	}{
		"a host that is not listed":  {`"error":"example.com is not on the list","errorReason":"DOMAIN_NOT_ALLOWED","errorStatus":"PERMISSION_DENIED"`, 4, "quorate domains add"},
		"an address of this machine": {`"url":"http://127.0.0.1/","error":"blocked","errorReason":"ADDRESS_BLOCKED","errorStatus":"PERMISSION_DENIED"`, 4, "blocked (ADDRESS_BLOCKED)\n"},
		"no such page":               {`"error":"the server answered 404","errorReason":"HTTP_STATUS","errorStatus":"NOT_FOUND"`, 3, "(HTTP_STATUS)"},
		"a busy server":              {`"error":"the server answered 503","errorReason":"HTTP_STATUS","errorStatus":"UNAVAILABLE"`, 9, "503"},
		"a page behind a login":      {`"error":"the server answered 403","errorReason":"HTTP_STATUS","errorStatus":"FAILED_PRECONDITION"`, 6, "403"},
		"too much work":              {`"error":"too much","errorCode":"parsing_error","errorReason":"DOCUMENT_TOO_COMPLEX","errorStatus":"FAILED_PRECONDITION"`, 6, "too much (DOCUMENT_TOO_COMPLEX)"},
		"changed content":            {`"error":"another content","errorReason":"CONTENT_CHANGED","errorStatus":"ABORTED"`, 5, "another content"},
		"a mistake of ours":          {`"error":"broke","errorReason":"INTERNAL","errorStatus":"INTERNAL"`, 1, "broke"},
		"an older server":            {`"error":"it took too long","errorCode":"timeout"`, 1, "it took too long (TIMEOUT)"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			g := newGateway(t, map[string][]http.HandlerFunc{fetchRoute: answer(`{"success":false,` + test.answer + `}`)})
			exit, out, notes := g.run(t, "", "fetch", "https://example.com/a")
			if exit != test.exit || out != "" || !strings.Contains(notes, test.tells) || strings.Contains(notes, "agents.allowOrigins") {
				t.Errorf("fetch = %d %q %q, want exit code %d and %q", exit, out, notes, test.exit, test.tells)
			}
		})
	}
	g := newGateway(t, nil)
	if exit, _, notes := g.run(t, "", "fetch", "https://example.com/a", "-H", "no colon"); exit != 2 || !strings.Contains(notes, "--header") || len(g.seen()) != 0 {
		t.Errorf("fetch with a broken header = %d %q, want a usage error and no request", exit, notes)
	}
}

func TestDomainsCommands(t *testing.T) {
	t.Parallel()
	g := newGateway(t, map[string][]http.HandlerFunc{
		"GET /v1/allowedDomains":                     answer(`{"allowedDomains":[{"domain":"a.example","creator":"ada"}],"nextPageToken":"t"}`, `{"allowedDomains":[{"domain":"b.example"}]}`),
		"POST /v1/allowedDomains":                    answer(`{"domain":"a.example","added":true}`),
		"DELETE /v1/allowedDomains/%2A.a.example:81": answer(`{"domain":"*.a.example:81","removed":false}`),
		"GET /v1/allowedDomains:test":                answer(`{"allowed":true,"domain":"a.example"}`, `{"allowed":false,"error":"not listed","errorReason":"DOMAIN_NOT_ALLOWED"}`),
	})
	tests := []struct {
		args []string
		exit int
		want []string
	}{
		{[]string{"domains", "list"}, 0, []string{"a.example", "ada", "b.example"}},
		{[]string{"domains", "add", "a.example"}, 0, []string{"a.example  added"}},
		{[]string{"domains", "remove", "*.a.example:81"}, 0, []string{"*.a.example:81  was not listed"}},
		{[]string{"domains", "test", "https://a.example/"}, 0, []string{"allowed  by a.example"}},
		{[]string{"domains", "test", "https://c.example/"}, 4, []string{"refused  not listed (DOMAIN_NOT_ALLOWED)"}},
	}
	for _, test := range tests {
		exit, out, notes := g.run(t, "", test.args...)
		for _, want := range test.want {
			if exit != test.exit || !strings.Contains(out, want) {
				t.Errorf("%q = %d %q %q, want exit code %d and %q", test.args, exit, out, notes, test.exit, want)
			}
		}
	}
}

func TestDomainsListSaysWhatItLeavesOut(t *testing.T) {
	t.Parallel()
	g := newGateway(t, map[string][]http.HandlerFunc{
		"GET /v1/allowedDomains": answer(`{"allowedDomains":[{"domain":"a.example"}],"nextPageToken":"t"}`, `{"allowedDomains":[{"domain":"a.example"}],"nextPageToken":"t"}`, `{}`),
	})
	if _, _, notes := g.run(t, "", "domains", "list", "--limit", "1"); !strings.Contains(notes, "more domains") {
		t.Errorf("domains list --limit 1 of more notes %q, want that there are more", notes)
	}
	if _, out, _ := g.run(t, "", "domains", "list", "--limit", "1", "-o", "json"); !strings.Contains(out, `"nextPageToken": "t"`) {
		t.Errorf("domains list --limit 1 -o json of more = %s, want the token of the next page", out)
	}
	if _, out, notes := g.run(t, "", "domains", "list"); out != "" || !strings.Contains(notes, "no domains") {
		t.Errorf("domains list of none = %q %q, want a note that there are none", out, notes)
	}
}

// lateAnswer is a server that takes its time.
type lateAnswer struct{ after time.Duration }

func (l lateAnswer) RoundTrip(r *http.Request) (*http.Response, error) {
	select {
	case <-time.After(l.after):
		return &http.Response{StatusCode: http.StatusOK, Body: io.NopCloser(strings.NewReader(`{"success":true,"content":"late"}`))}, nil
	case <-r.Context().Done():
		return nil, r.Context().Err()
	}
}

// TestFetchWaitsForAPageAsLongAsTheServerMayTake is not parallel: it replaces the transport of the process.
func TestFetchWaitsForAPageAsLongAsTheServerMayTake(t *testing.T) { //nolint:paralleltest // see above
	usual := http.DefaultTransport
	defer func() { http.DefaultTransport = usual }()
	tests := map[string]struct {
		after time.Duration
		args  []string
		exit  int
	}{
		"as long as is asked for":        {5 * time.Minute, []string{"--timeout", "5m"}, 0},
		"as long as the server takes":    {5 * time.Minute, nil, 0},
		"a minute for what is short":     {59 * time.Second, []string{"--timeout", "5s"}, 0},
		"no longer than the server may":  {7 * time.Minute, nil, 9},
		"no longer than it was asked to": {2 * time.Minute, []string{"--timeout", "5s"}, 9},
	}
	token := write(t, "token", "x")
	for name, test := range tests { //nolint:paralleltest // see above
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				http.DefaultTransport = lateAnswer{test.after}
				exit, out, notes := run(t.Context(), "", append([]string{"fetch", "https://example.com/a", "--token-file", token}, test.args...)...)
				if exit != test.exit {
					t.Errorf("fetch %q of a page that comes after %v = %d %q %q, want %d", test.args, test.after, exit, out, notes, test.exit)
				}
			})
		})
	}
}
