package jaeger_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/quorate/quorate/consultation"
	"github.com/quorate/quorate/consultation/jaeger"
	"github.com/quorate/quorate/platform/netguard"
	"github.com/quorate/quorate/platform/secretfile"
)

var asked = consultation.Consultation{ID: "c1", TraceID: "0af7651916cd43dd8448eb211c80319c", IssueTime: time.Now(), ExpireTime: time.Now().Add(time.Minute)}

// at returns a client of the server at base, as package server makes it.
func at(t *testing.T, base string, c jaeger.Config) *jaeger.Traces {
	t.Helper()
	u, err := url.Parse(base)
	if err != nil {
		t.Fatalf("Parse(%q) = %v, want no error", base, err)
	}
	c.URL, c.Client = u, netguard.ForEndpoint(u, nil).Client(netguard.ClientOptions{})
	return jaeger.New(c)
}

const oneSpan = `{"resourceSpans":[{"scopeSpans":[{"spans":[{"traceId":"0af7651916cd43dd8448eb211c80319c","spanId":"b7ad6b7169203331","name":"quorate.consultation.verdict"}]}]}]}`

// The answers are those that a Jaeger, a proxy before it or another server may give; a real Jaeger gives the first few in the tests beside this one.
func TestOnlyAWholeAnswerSaysWhatThereIs(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		status int
		body   string
		claims int
		want   string // in the error; empty for none
	}{
		"no such trace":                    {404, `{"error":{"httpCode":404,"message":"No traces found"}}`, 0, ""},
		"one result":                       {200, `{"result":` + oneSpan + `}`, 1, ""},
		"results one after the other":      {200, `{"result":` + oneSpan + `}` + "\n" + `{"result":` + oneSpan + `}`, 2, ""},
		"an empty result":                  {200, `{"result":{}}`, 0, ""},
		"no such page":                     {404, `<html>not found</html>`, 0, "it answered 404"},
		"no such page of another API":      {404, `{"code":5,"message":"Not Found"}`, 0, "it answered 404"},
		"an error":                         {500, `{"error":{"httpCode":500,"message":"storage is away"}}`, 0, "it answered 500"},
		"an error in the place of a trace": {200, `{"error":{"httpCode":500,"message":"storage is away"}}`, 0, "something else than results"},
		"an error beside a result":         {200, `{"result":` + oneSpan + `,"error":{"httpCode":500}}`, 0, "something else than results"},
		"no error beside a result":         {200, `{"result":` + oneSpan + `,"error":null}`, 1, ""},
		"an error behind a result":         {200, `{"result":` + oneSpan + `}{"error":{"httpCode":500}}`, 0, "something else than results"},
		"no access":                        {401, ``, 0, "it answered 401"},
		"a page to log in":                 {200, `<html>log in</html>`, 0, "not of the query API"},
		"a redirect":                       {302, ``, 0, "it answered 302"},
		"nothing":                          {200, ``, 0, "not of the query API"},
		"null":                             {200, `null`, 0, "something else than results"},
		"a list":                           {200, `{"result":[]}`, 0, "something else than results"},
		"an answer that is cut short":      {200, `{"result":` + oneSpan[:100], 0, "not of the query API"},
		"a trace of another form":          {200, `{"result":{"resourceSpans":7}}`, 0, "not an OTLP trace request"},
		"a trace without end":              {200, `{"result":{"resourceSpans":[{"scopeSpans":[{"spans":[` + strings.Repeat(`{"name":"x"},`, 1_000_000) + `{}]}]}]}}`, 0, "more than 4194304 bytes"},
		"more spans than are taken":        {200, `{"result":{"resourceSpans":[{"scopeSpans":[{"spans":[` + strings.Repeat(`{},`, 10_000) + `{}]}]}]}}`, 0, "more than 10000 spans"},
		"more verdicts than are taken":     {200, strings.Repeat(`{"result":`+oneSpan+`}`, 257), 0, "more than 256 verdicts"},
		"as many verdicts as are taken":    {200, strings.Repeat(`{"result":`+oneSpan+`}`, 256), 256, ""},
		"no such trace with success":       {200, `{"error":{"httpCode":404,"message":"No traces found"}}`, 0, "something else than results"},
		"a trace without bottom":           {200, `{"result":{"a":` + strings.Repeat("[", 5000) + strings.Repeat("]", 5000) + `}}`, 0, "levels of nesting"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				if r.URL.Path != "/base/api/v3/traces/"+asked.TraceID || r.URL.Query().Get("raw_traces") != "true" {
					t.Errorf("asked for %s, want the raw trace", r.URL)
				}
				w.Header().Set("Location", "/elsewhere")
				w.WriteHeader(test.status)
				_, _ = w.Write([]byte(test.body))
			}))
			t.Cleanup(s.Close)
			claims, err := at(t, s.URL+"/base/", jaeger.Config{Timeout: time.Minute}).Verdicts(t.Context(), asked)
			if len(claims) != test.claims || (err == nil) != (test.want == "") || err != nil && !strings.Contains(err.Error(), test.want) {
				t.Errorf("Verdicts() = %d claims, %v, want %d and an error with %q", len(claims), err, test.claims, test.want)
			}
		})
	}
}

func TestALookEndsInTime(t *testing.T) {
	t.Parallel()
	release := make(chan struct{})
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		_, _ = w.Write([]byte(`{"result":`))
		_ = http.NewResponseController(w).Flush()
		<-release
	}))
	t.Cleanup(s.Close)
	t.Cleanup(func() { close(release) })
	j := at(t, s.URL, jaeger.Config{Timeout: 100 * time.Millisecond})
	ended := make(chan error)
	const looks = 20 // some of them have to wait for others
	for range looks {
		go func() {
			_, err := j.Verdicts(t.Context(), asked)
			ended <- err
		}()
	}
	for range looks {
		if err := <-ended; err == nil || !strings.Contains(err.Error(), "deadline exceeded") {
			t.Errorf("Verdicts() = %v, want that the time is over", err)
		}
	}
}

func TestAQueryGivesItsTurnBack(t *testing.T) {
	t.Parallel()
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte(`{"result":{}}`)) }))
	t.Cleanup(s.Close)
	j := at(t, s.URL, jaeger.Config{Timeout: 10 * time.Second})
	for i := range 20 { // eight may be under way
		if _, err := j.Verdicts(t.Context(), asked); err != nil {
			t.Fatalf("Verdicts() number %d = %v, want no error", i+1, err)
		}
	}
}

func TestTheTokenGoesToJaegerOnly(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "token")
	if err := os.WriteFile(file, []byte("s3cret\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	token, err := secretfile.Open(file, nil)
	if err != nil {
		t.Fatal(err)
	}
	var elsewhere int
	other := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { elsewhere++ }))
	t.Cleanup(other.Close)
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if got := r.Header.Get("Authorization"); got != "Bearer s3cret" {
			t.Errorf("Authorization = %q, want the token", got)
		}
		http.Redirect(w, r, other.URL, http.StatusTemporaryRedirect)
	}))
	t.Cleanup(s.Close)
	_, err = at(t, s.URL, jaeger.Config{Token: token}).Verdicts(t.Context(), asked)
	if err == nil || elsewhere != 0 || strings.Contains(fmt.Sprint(err), "s3cret") {
		t.Errorf("Verdicts() = %v after %d calls elsewhere, want an error without the token and none", err, elsewhere)
	}
}
