package dialect_test

import (
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"github.com/quorate/quorate/agents/webfetch"
	"github.com/quorate/quorate/agents/webfetch/dialect"
	"github.com/quorate/quorate/platform/netguard"
)

// newServer returns the URL of the dialect over a site, and the site's.
func newServer(t *testing.T) (server, site string) {
	t.Helper()
	pages := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/plain", "/plain_(2)":
			_, _ = io.WriteString(w, "plain text")
		case "/long":
			_, _ = io.WriteString(w, strings.Repeat("長", 20_000))
		case "/huge":
			_, _ = io.WriteString(w, strings.Repeat("x", 600<<10))
		case "/hang":
			<-r.Context().Done()
		default:
			http.NotFound(w, r)
		}
	}))
	t.Cleanup(pages.Close)
	host := pages.Listener.Addr().String()
	f, err := webfetch.New(webfetch.Options{Policy: &netguard.Policy{AllowOrigins: []string{host, "127.0.0.1:9"}}, Open: true})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(f.Close)
	next := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		_, _ = fmt.Fprintf(w, "next:%s:%v", body, err)
	})
	s := httptest.NewServer(dialect.Wrap(f, slog.New(slog.DiscardHandler))(next))
	t.Cleanup(s.Close)
	return s.URL, pages.URL
}

func post(t *testing.T, url, body string) string {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, url, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	resp, err := new(http.Client).Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	got, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return string(got)
}

func execute(text string) string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","method":"execute_task","id":"3f1e","params":{"messages":[{"role":"user","content":[{"type":"text","text":%q}]}],"context":{"correlation_id":"c1","thread_ts":"17.5"}}}`, text)
}

func TestTheAnswerIsOneMessage(t *testing.T) {
	server, site := newServer(t)
	const text = `{"jsonrpc":"2.0","id":"3f1e","result":{"messages":[{"role":"agent","content":[{"type":"text","text":"plain text"}]}]}}`
	var want any
	if err := json.Unmarshal([]byte(text), &want); err != nil {
		t.Fatal(err)
	}
	for _, prompt := range []string{site + "/plain の内容を教えて", "(" + site + "/plain_(2))."} {
		var got any
		if err := json.Unmarshal([]byte(post(t, server, execute(prompt))), &got); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("execute_task of %q differs (-want +got):\n%s", prompt, diff)
		}
	}
}

type answer struct {
	ID     any
	Result *struct {
		Messages []struct{ Content []struct{ Text string } }
	}
	Error *struct {
		Code    int
		Message string
	}
}

func ask(t *testing.T, server, text string) (a answer) {
	t.Helper()
	if err := json.Unmarshal([]byte(post(t, server, execute(text))), &a); err != nil {
		t.Fatal(err)
	}
	return a
}

func TestLongPagesAreCut(t *testing.T) {
	server, site := newServer(t)
	for path, start := range map[string]string{"/long": strings.Repeat("長", 14_000), "/huge": strings.Repeat("x", 14_000)} {
		a := ask(t, server, site+path)
		if a.Result == nil || a.Result.Messages[0].Content[0].Text != start+"\n\n... [以下省略]" {
			t.Errorf("execute_task(%s) = %+v with %d characters, want 14,000 and the mark", path, a.Error, utf8.RuneCountInString(fmt.Sprint(a.Result)))
		}
	}
}

// TestEveryEndOfTheStateDiagram goes through the failures of document 000; the timeout is in the tests of package webfetch.
func TestEveryEndOfTheStateDiagram(t *testing.T) {
	server, site := newServer(t)
	for text, want := range map[string]string{
		"ftp://example.com/ を読んで":        "URLスキームエラー",
		"no URL here":                    "URLスキームエラー",
		"http://169.254.169.254/latest/": "プライベートIPアクセス拒否",
		"http://10.0.0.1/":               "プライベートIPアクセス拒否",
		site + "/missing":                "HTTPエラー: ステータスコード 404",
		"http://127.0.0.1:9/":            "ネットワークエラー", // nobody listens
		"http://name.invalid/":           "ネットワークエラー",
	} {
		a := ask(t, server, text)
		if a.Error == nil || a.Error.Code != -32603 || !strings.Contains(a.Error.Message, want) || a.ID != "3f1e" {
			t.Errorf("execute_task(%s) = %+v, want -32603 with %s", text, a.Error, want)
		}
	}
}

func TestEverythingElseIsPassedOn(t *testing.T) {
	server, _ := newServer(t)
	long := `{"jsonrpc":"2.0","method":"SendMessage","id":1,"params":"` + strings.Repeat("x", 3<<20) + `"}`
	for name, body := range map[string]string{
		"A2A": `{"jsonrpc":"2.0","method":"SendMessage","id":1,"params":{}}`, "a long body": long, "no JSON": "hello",
		"the method's name in a text": `{"jsonrpc":"2.0","method":"SendMessage","params":{"text":"\"method\":\"execute_task\""}}`,
	} {
		if got := post(t, server, body); got != "next:"+body+":<nil>" {
			t.Errorf("%s: post = %.80q, want it passed on whole", name, got)
		}
	}
	if got := post(t, server+"/rest/x", execute("x")); !strings.HasPrefix(got, "next:") {
		t.Errorf("post to another path = %q, want it passed on", got)
	}
}

func TestBrokenRequestsAreAnswered(t *testing.T) {
	server, _ := newServer(t)
	for name, body := range map[string]string{
		"params of another type": `{"jsonrpc":"2.0","method":"execute_task","id":7,"params":[1]}`,
		"another version":        `{"jsonrpc":"1.0","method":"execute_task","id":7}`,
		"content as a text":      `{"jsonrpc":"2.0","method":"execute_task","id":7,"params":{"messages":[{"role":"user","content":"x"}]}}`,
	} {
		if got := post(t, server, body); !strings.Contains(got, `"id":7`) || !strings.Contains(got, "-32602") {
			t.Errorf("%s: post = %s, want the error -32602 for the id 7", name, got)
		}
	}
}
