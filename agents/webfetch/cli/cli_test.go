package cli_test

import (
	"bufio"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/quorate/quorate/agents/webfetch/cli"
	"github.com/quorate/quorate/platform/dynamotest"
)

// TestMain fails when a test leaves a goroutine behind, the emulator's connections with the emulator.
func TestMain(m *testing.M) {
	code := dynamotest.Main(m)
	if err := goleak.Find(); code == 0 && err != nil {
		_, _ = os.Stderr.WriteString(err.Error() + "\n")
		code = 1
	}
	os.Exit(code)
}

// TestAnAgentThatQuorateMayNotCallSaysWhatToDo has Quorate refuse the address of the agent, about which --allow-internal changes nothing.
func TestAnAgentThatQuorateMayNotCallSaysWhatToDo(t *testing.T) {
	quorate := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(http.StatusForbidden)
		_, _ = io.WriteString(w, `{"code":7,"message":"this address may not be called","details":[`+
			`{"@type":"type.googleapis.com/google.rpc.ErrorInfo","reason":"ADDRESS_BLOCKED","domain":"quorate"}]}`)
	}))
	defer quorate.Close()
	t.Setenv("QUORATE_TOKEN", "token")
	var errOut strings.Builder
	code := cli.Main(t.Context(), []string{"--addr", "127.0.0.1:0", "--server", quorate.URL}, io.NopCloser(strings.NewReader("")), io.Discard, &errOut)
	if code != 4 || !strings.Contains(errOut.String(), "(ADDRESS_BLOCKED)\n  try: --public-url URL") {
		t.Errorf("webfetch --server = %d with\n%s\nwant 4, and to try --public-url", code, &errOut)
	}
}

func TestFetchOnce(t *testing.T) {
	site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/":
		case "/moved":
			http.Redirect(w, r, "/", http.StatusFound)
			return
		case "/empty":
			w.Header().Set("Content-Type", "text/html")
			return
		default:
			http.NotFound(w, r)
			return
		}
		w.Header().Set("Content-Type", "text/html")
		_, _ = io.WriteString(w, "<h1>Hello</h1><p>there")
	}))
	defer site.Close()
	host := site.Listener.Addr().String()
	for name, test := range map[string]struct {
		args        []string
		code        int
		out, errOut string // parts of what is printed
	}{
		"an internal page that is allowed": {[]string{"--allow-internal", host, site.URL}, 0, "# Hello\n\nthere\n", ""},
		"as text":                          {[]string{"--allow-internal=" + host, "--format", "text", site.URL}, 0, "Hello\n\nthere\n", ""},
		"cut":                              {[]string{"--allow-internal", host, "--max-characters", "3", site.URL}, 0, "# H\n", "cut at 3 characters"},
		"without text":                     {[]string{"--allow-internal", host, site.URL + "/empty"}, 0, "\n", "no text that can be read"},
		"a redirect that is not followed":  {[]string{"--allow-internal", host, "--format", "text", "--follow-redirects=false", site.URL + "/moved"}, 0, "", `the page redirects to "/"`},
		"an internal page":                 {[]string{site.URL}, 4, "", "(ADDRESS_BLOCKED)\n  try: --allow-internal HOST:PORT"},
		"an internal page, with a colon":   {[]string{"http://127.0.0.1:/"}, 4, "", "(ADDRESS_BLOCKED)"},
		"an address that is never called":  {[]string{"http://169.254.169.254/"}, 4, "", "cloud metadata service (ADDRESS_BLOCKED)\n"},
		"a missing page":                   {[]string{"--allow-internal", host, site.URL + "/missing"}, 3, "", "HTTP_STATUS"},
		"no URL":                           {[]string{"hello"}, 6, "", "URL_INVALID"},
		"a format nobody knows":            {[]string{"--format", "pdf", "https://example.com"}, 6, "", "format must be markdown, text"},
		"a profile nobody knows":           {[]string{"--profile", "005", "https://example.com"}, 6, "", "choose one of default, slack"},
		"too large a limit":                {[]string{"--max-size", "99999999999", "https://example.com"}, 6, "", "REQUEST_INVALID"},
		"an allowed host that is none":     {[]string{"--allow", "https://a/b", "https://example.com"}, 6, "", "cannot be listed"},
		"an unknown flag":                  {[]string{"--colour"}, 2, "", "unknown flag"},
		"an output nobody knows":           {[]string{"-o", "xml", "https://example.com"}, 2, "", "neither text nor json"},
		"a header that is none":            {[]string{"-H", "Accept", "https://example.com"}, 2, "", "write it as"},
		"two URLs":                         {[]string{"https://a.example", "https://b.example"}, 2, "", "see \"webfetch --help\""},
		"a port that is no web server's":   {[]string{"http://93.184.216.34:22/"}, 4, "", "port 22"},
		"a token file that is not there":   {[]string{"--token-file", filepath.Join(t.TempDir(), "none"), "--addr", "127.0.0.1:0"}, 6, "", "read the token file"},
		"a callers' token that is not there": {
			[]string{"--callers-token-file", filepath.Join(t.TempDir(), "none"), "--addr", "127.0.0.1:0"}, 6, "", "the token of callers",
		},
		"an address that cannot be used": {[]string{"--addr", "999.0.0.1:0"}, 1, "", "choose another address"},
		"help":                           {[]string{"--help"}, 0, "WEBFETCH_ALLOW", ""},
		"version":                        {[]string{"--version"}, 0, "0.1.0", ""},
	} {
		t.Run(name, func(t *testing.T) {
			var out, errOut strings.Builder
			ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
			defer cancel()
			code := cli.Main(ctx, test.args, nil, &out, &errOut)
			if code != test.code || !strings.Contains(out.String(), test.out) || !strings.Contains(errOut.String(), test.errOut) {
				t.Errorf("Main(%q) = %d\nout: %s\nerr: %s\nwant %d, %q and %q", test.args, code, out.String(), errOut.String(), test.code, test.out, test.errOut)
			}
			if strings.Contains(errOut.String(), "never called") && strings.Contains(errOut.String(), "try:") {
				t.Errorf("Main(%q) printed %q, want no advice that does not help", test.args, errOut.String())
			}
		})
	}
}

// screen keeps what is written to a terminal.
type screen struct {
	strings.Builder

	terminal *os.File
}

func (s *screen) Fd() uintptr { return s.terminal.Fd() }

// TestAPageCannotCommandATerminal fetches a page that renames the window, as it is.
func TestAPageCannotCommandATerminal(t *testing.T) {
	const page = "safe\x1b]0;owned\a\u202e\ttext"
	site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/plain; charset=utf-8")
		_, _ = io.WriteString(w, page)
	}))
	defer site.Close()
	args := []string{"--allow-internal", site.Listener.Addr().String(), "--format", "raw", site.URL}
	terminal, err := os.OpenFile("/dev/ptmx", os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = terminal.Close() })
	var piped, errOut strings.Builder
	shown := screen{terminal: terminal}
	for out, want := range map[io.Writer]string{&piped: page + "\n", &shown: `safe\x1b]0;owned\a\u202e` + "\ttext\n"} {
		code := cli.Main(t.Context(), args, nil, out, &errOut)
		if got := out.(interface{ String() string }).String(); code != 0 || got != want {
			t.Errorf("Main(%q) = %d and printed %q, want %q; %s", args, code, got, want, &errOut)
		}
	}
}

// TestAFetchIsInterrupted ends the fetch of a page that does not come.
func TestAFetchIsInterrupted(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	site := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/" {
			cancel()
		}
		<-r.Context().Done()
	}))
	defer site.Close()
	var out, errOut strings.Builder
	code := cli.Main(ctx, []string{"--allow-internal", site.Listener.Addr().String(), "--ignore-robots", site.URL}, nil, &out, &errOut)
	if code != 130 || errOut.String() != "webfetch: interrupted\n" {
		t.Errorf("Main() = %d, %q, want 130 and that it was interrupted", code, errOut.String())
	}
}

func TestCallersOfTheAgentShowTheirToken(t *testing.T) {
	token := filepath.Join(t.TempDir(), "token")
	if err := os.WriteFile(token, []byte("shown\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	t.Setenv("WEBFETCH_CALLERS_TOKEN_FILE", token)
	base := serve(t)
	for authorization, want := range map[string]string{"": "wants the token", "Bearer other": "wants the token", "Bearer shown": "jsonrpc"} {
		for _, path := range []string{"/", "/mcp"} { // MCP is JSON-RPC, too
			if got := post(t, base+path, `{"jsonrpc":"2.0","id":1,"method":"ping"}`, "Authorization", authorization); !strings.Contains(got, want) {
				t.Errorf("POST %s that shows %q = %s, want %q in it", path, authorization, got, want)
			}
		}
	}
}

func TestServe(t *testing.T) {
	t.Setenv("WEBFETCH_ADDR", "127.0.0.1:0")
	t.Setenv("WEBFETCH_ALLOW", "example.com, example.org:8443")
	t.Setenv("AGENTCORE_RUNTIME_URL", "http://agents.example.com/fetch")
	token := filepath.Join(t.TempDir(), "token")
	if err := os.WriteFile(token, []byte("quorate_agent_x\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(context.WithoutCancel(t.Context()))
	reader, writer := io.Pipe()
	var log strings.Builder
	code := make(chan int, 1)
	go func() {
		defer writer.Close() //nolint:errcheck // a pipe's Close returns nil
		code <- cli.Main(ctx, []string{"--token-file", token}, nil, writer, &log)
	}()
	line, err := bufio.NewReader(reader).ReadString('\n')
	if err != nil || line != "web-fetch serves on http://agents.example.com/fetch\n" {
		t.Errorf("Main() printed %q, %v, want where it serves", line, err)
	}
	stop()
	if got := <-code; got != 0 {
		t.Errorf("Main() = %d after a stop, want 0; log: %s", got, log.String())
	}
	if !strings.Contains(log.String(), "msg=web-fetch state=enabled") {
		t.Errorf("the log is %s, want that fetching is enabled", log.String())
	}
	if strings.Contains(log.String(), "quorate_agent_x") {
		t.Errorf("the log holds the token: %s", log.String())
	}
}

func TestServeAnswers(t *testing.T) {
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, serve(t)+"/.well-known/agent-card.json", http.NoBody)
	if err != nil {
		t.Fatal(err)
	}
	transport := &http.Transport{}
	defer transport.CloseIdleConnections()
	resp, err := transport.RoundTrip(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	var card struct {
		Name   string
		Skills []struct{ ID string }
	}
	if err := json.NewDecoder(resp.Body).Decode(&card); err != nil || card.Name != "web-fetch" || len(card.Skills) != 4 || card.Skills[0].ID != "fetch_url" {
		t.Errorf("card = %+v, %v, want web-fetch with the skill fetch_url", card, err)
	}
}
