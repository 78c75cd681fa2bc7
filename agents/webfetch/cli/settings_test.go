package cli_test

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/quorate/quorate/agents/webfetch"
	"github.com/quorate/quorate/agents/webfetch/allowlist/dynamo"
	"github.com/quorate/quorate/agents/webfetch/cli"
	"github.com/quorate/quorate/platform/dynamotest"
)

// newSite answers with what it was sent, long text, or 401.
func newSite(t *testing.T) (url, host string) {
	t.Helper()
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/long":
			_, _ = io.WriteString(w, strings.Repeat("x", 60_000))
		case "/echo":
			_, _ = fmt.Fprintf(w, "agent=%s auth=%s a=%s", r.UserAgent(), r.Header.Get("Authorization"), r.Header.Get("X-A"))
		case "/html":
			w.Header().Set("Content-Type", "text/html")
			_, _ = io.WriteString(w, "<title>T</title><h1>Heading</h1><p>A sentence of text.</p>")
		default:
			http.NotFound(w, r)
		}
	}))
	t.Cleanup(s.Close)
	return s.URL, s.Listener.Addr().String()
}

func run(t *testing.T, args ...string) (code int, out, errOut string) {
	t.Helper()
	var stdout, stderr strings.Builder
	code = cli.Main(t.Context(), args, nil, &stdout, &stderr)
	return code, stdout.String(), stderr.String()
}

func write(t *testing.T, name, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestTheEnvironmentOfTheEarlierTools(t *testing.T) {
	site, host := newSite(t)
	t.Setenv("WEBFETCH_ALLOW_INTERNAL", host)
	for name, test := range map[string]struct {
		env  map[string]string
		path string
		code int
		want string // the start of what is printed, or in the error
	}{
		"WEB_FETCH_MAX_CHARACTERS":            {map[string]string{"WEB_FETCH_MAX_CHARACTERS": "7"}, "/long", 0, "xxxxxxx\n"},
		"a number of characters that is none": {map[string]string{"WEB_FETCH_MAX_CHARACTERS": "many"}, "/long", 6, "WEB_FETCH_MAX_CHARACTERS"},
		"WEB_FETCH_DEFAULT_MODE":              {map[string]string{"WEB_FETCH_DEFAULT_MODE": "html"}, "/html", 0, "<"},
		"WEB_FETCH_USER_AGENT":                {map[string]string{"WEB_FETCH_USER_AGENT": "Mine/1"}, "/echo", 0, "agent=Mine/1 "},
		"a mode that is none":                 {map[string]string{"WEB_FETCH_DEFAULT_MODE": "pdf"}, "/long", 6, "WEB_FETCH_DEFAULT_MODE"},
		"WEB_FETCH_ENABLED":                   {map[string]string{"WEB_FETCH_ENABLED": "false"}, "/long", 6, "FETCHING_DISABLED"},
		"WEB_FETCH_ENABLED that is neither":   {map[string]string{"WEB_FETCH_ENABLED": "perhaps"}, "/long", 6, "WEB_FETCH_ENABLED"},
		"WEBFETCH_PROFILE 000":                {map[string]string{"WEBFETCH_PROFILE": "000"}, "/long", 0, strings.Repeat("x", 14_000) + "\n\n... [以下省略]"},
		"WEBFETCH_PROFILE 002":                {map[string]string{"WEBFETCH_PROFILE": "002"}, "/echo", 0, "agent=GLaDOS-Agent/1.0 "},
		"WEBFETCH_PROFILE 001":                {map[string]string{"WEBFETCH_PROFILE": "001"}, "/echo", 0, "agent=adk-code/1.0 (+"},
		"WEBFETCH_PROFILE 003, no service":    {map[string]string{"WEBFETCH_PROFILE": "003"}, "/echo", 6, "try: --markdown-service URL"},
		"an unknown profile":                  {map[string]string{"WEBFETCH_PROFILE": "009"}, "/echo", 6, "profile"},
	} {
		t.Run(name, func(t *testing.T) {
			for key, value := range test.env {
				t.Setenv(key, value)
			}
			code, out, errOut := run(t, site+test.path)
			if code != test.code || code == 0 && !strings.HasPrefix(out, test.want) || code != 0 && !strings.Contains(errOut, test.want) {
				t.Errorf("webfetch URL = %d\nout: %.200s\nerr: %s\nwant %d and %.60q", code, out, errOut, test.code, test.want)
			}
		})
	}
}

// TestTheMarkdownServiceOfTheConfiguration reads the section of document 003, with its variable.
func TestTheMarkdownServiceOfTheConfiguration(t *testing.T) {
	service := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		_, _ = io.WriteString(w, `{"markdown":"`+strings.Repeat("y", 30)+`","success":true}`)
	}))
	defer service.Close()
	config := write(t, "config.yaml", "profile: myao\nallowlist: off\ntools:\n  web_fetch:\n    enabled: true\n    api_endpoint: ${MY_ENDPOINT}\n    timeout_seconds: 60\n    max_content_length: 20\n")
	t.Setenv("MY_ENDPOINT", service.URL)
	if code, out, errOut := run(t, "--config", config, "http://93.184.216.34/"); code != 0 || out != strings.Repeat("y", 20)+"\n" {
		t.Errorf("webfetch URL = %d, %q, %s, want 20 characters from the service", code, out, errOut)
	}
	t.Setenv("WEB_FETCH_ENABLED", "")
	off := write(t, "off.yaml", "tools: {web_fetch: {enabled: false}}")
	if code, _, errOut := run(t, "--config", off, "http://93.184.216.34/"); code != 6 || !strings.Contains(errOut, "FETCHING_DISABLED") {
		t.Errorf("webfetch URL with enabled: false = %d, %s, want a refusal", code, errOut)
	}
}

func TestCredentialsOfTheConfiguration(t *testing.T) {
	site, host := newSite(t)
	t.Setenv("DOCS_TOKEN", "hunter2")
	password := write(t, "password", "pw\n")
	config := write(t, "c.yaml", fmt.Sprintf(`
allow_internal: [%q]
credentials:
  docs: {hosts: [%q], allow_http: true, bearer: {env: DOCS_TOKEN}}
  old: {hosts: [%q], allow_http: true, basic: {username: ada, password: {file: %s}}}
`, host, host, host, password))
	for name, want := range map[string]string{"docs": "auth=Bearer hunter2 ", "old": "auth=Basic YWRhOnB3 "} {
		if code, out, errOut := run(t, "--config", config, "--credential", name, site+"/echo"); code != 0 || !strings.Contains(out, want) {
			t.Errorf("webfetch --credential %s = %d, %q, %s, want %q", name, code, out, errOut, want)
		}
	}
	for name, text := range map[string]string{
		"a variable that is not set": "credentials: {x: {hosts: [a.example], bearer: {env: NOT_SET}}}",
		"a secret in the file":       "credentials: {x: {hosts: [a.example], bearer: hunter2}}",
		"no reference":               "credentials: {x: {hosts: [a.example], bearer: {}}}",
		"an unknown key":             "proffile: default",
		"no YAML":                    "{",
	} {
		if code, _, errOut := run(t, "--config", write(t, "bad.yaml", text), site); code != 6 || strings.Contains(errOut, "hunter2") {
			t.Errorf("%s: webfetch = %d, %s, want 6", name, code, errOut)
		}
	}
}

func TestOutputInJSON(t *testing.T) {
	site, host := newSite(t)
	_, out, _ := run(t, "--allow-internal", host, "-o", "json", "-H", "X-A: b", site+"/echo")
	var page webfetch.Page
	if err := json.Unmarshal([]byte(out), &page); err != nil || !page.Success || !strings.Contains(page.Content, "a=b") {
		t.Errorf("webfetch -o json = %s, %v, want the page with the header's value", out, err)
	}
	code, out, _ := run(t, "--allow-internal", host, "-o", "json", "--locale", "ja", site+"/missing")
	if err := json.Unmarshal([]byte(out), &page); err != nil || code != 3 || page.Success || page.ErrorCode != webfetch.CodeStatus || !strings.Contains(page.Error, "HTTPエラー 404") {
		t.Errorf("webfetch -o json of a missing page = %d, %s, %v, want 3 and the error in Japanese", code, out, err)
	}
}

func TestAPageIsReadOn(t *testing.T) {
	site, host := newSite(t)
	code, out, notes := run(t, "--allow-internal", host, "--max-characters", "5", "--start-index", "10", site+"/long")
	if code != 0 || out != "xxxxx\n" || !strings.Contains(notes, "--start-index 15") {
		t.Errorf("webfetch = %d, %q, %q, want five characters and how to read on", code, out, notes)
	}
	if code, _, notes := run(t, site); code != 4 || !strings.Contains(notes, webfetch.ReasonAddressBlocked) {
		t.Errorf("webfetch of an internal page = %d, %q, want 4 and ADDRESS_BLOCKED", code, notes)
	}
}

func TestNothingIsMissingInSilence(t *testing.T) {
	site, host := newSite(t)
	code, out, notes := run(t, "--allow-internal", host, "--profile", "adk", "--max-size", "100", site+"/long")
	if code != 0 || len(out) != 101 || !strings.Contains(notes, "cut at 100 bytes of the page's body; raise --max-size for more\n") || !strings.Contains(notes, "warning: "+webfetch.WarnCut+"\n") {
		t.Errorf("webfetch of a body without end = %d, %q, %q, want 100 bytes and that it was cut", code, out, notes)
	}
	if code, _, notes := run(t, "--allow-internal", host, site+"/html"); code != 0 || notes != "" {
		t.Errorf("webfetch of a whole page = %d, %q, want no notes", code, notes)
	}
}

// serve runs the agent and returns its base URL.
func serve(t *testing.T, args ...string) (base string) {
	t.Helper()
	ctx, stop := context.WithCancel(context.WithoutCancel(t.Context()))
	reader, writer := io.Pipe()
	code := make(chan int, 1)
	go func() {
		defer writer.Close() //nolint:errcheck // a pipe's Close returns nil
		code <- cli.Main(ctx, append([]string{"--addr", "127.0.0.1:0"}, args...), nil, writer, io.Discard)
	}()
	line, err := bufio.NewReader(reader).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		stop()
		if got := <-code; got != 0 {
			t.Errorf("Main() = %d after a stop, want 0", got)
		}
	})
	_, base, _ = strings.Cut(strings.TrimSpace(line), " serves on ")
	return base
}

func post(t *testing.T, url, body string, headers ...string) string {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, url, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Accept", "application/json, text/event-stream")
	for i := 0; i+1 < len(headers); i += 2 {
		req.Header.Set(headers[i], headers[i+1])
	}
	resp, err := (&http.Transport{DisableKeepAlives: true}).RoundTrip(req)
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

// TestOnePortSpeaksEveryDialect asks the agent over A2A, execute_task and MCP.
func TestOnePortSpeaksEveryDialect(t *testing.T) {
	site, host := newSite(t)
	data := t.TempDir()
	base := serve(t, "--allow-internal", host, "--data-dir", data, "--allowlist-write")
	execute := fmt.Sprintf(`{"jsonrpc":"2.0","method":"execute_task","id":"1","params":{"messages":[{"role":"user","content":[{"type":"text","text":"%s/html を読んで"}]}],"context":{}}}`, site)
	if got := post(t, base+"/", execute); !strings.Contains(got, "A sentence of text.") || !strings.Contains(got, `"role":"agent"`) {
		t.Errorf("execute_task = %s, want the page", got)
	}
	send := fmt.Sprintf(`{"jsonrpc":"2.0","method":"SendMessage","id":1,"params":{"message":{"messageId":"m1","role":"ROLE_USER","parts":[{"text":"%s/html"}]}}}`, site)
	if got := post(t, base+"/", send, "A2A-Version", "1.0"); !strings.Contains(got, "TASK_STATE_COMPLETED") || !strings.Contains(got, "A sentence of text.") {
		t.Errorf("SendMessage = %s, want a completed task with the page", got)
	}
	call := `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"add_domain","arguments":{"domain":"example.com"}}}`
	if got := post(t, base+"/mcp", call, "MCP-Protocol-Version", "2025-06-18"); !strings.Contains(got, `"added":true`) {
		t.Errorf("tools/call = %s, want the domain added", got)
	}
}

// TestNoSettingIsIgnored has settings that cannot be applied, or that contradict others.
func TestNoSettingIsIgnored(t *testing.T) {
	site, host := newSite(t)
	two := write(t, "two.yaml", "allow: [a.example]\n---\nallow: [b.example]\n")
	both := write(t, "both.yaml", "credentials: {x: {hosts: [a.example], bearer: {env: HOME}, basic: {username: ada, password: {env: HOME}}}}")
	unknown := write(t, "unknown.yaml", "allow: [a.example]\nfile: x\n")
	for want, args := range map[string][]string{
		"line 2: unknown field file (":                {"--config", unknown},
		"/no/such: no such file or directory (":       {"--config", "/no/such"},
		"there is no Chromium at /nonexistent":        {"--browser", "/nonexistent"},
		"more than one document":                      {"--config", two},
		"needs one of bearer, basic and oauth":        {"--config", both},
		`the user agent "two\nlines" cannot be sent`:  {"--user-agent", "two\nlines"},
		"--table-prefix is for --store dynamodb":      {"--table-prefix", "prod-"},
		"--region is for --store dynamodb":            {"--region", "eu-central-1"},
		"--dynamodb-endpoint is for --store dynamodb": {"--data-dir", t.TempDir(), "--dynamodb-endpoint", "http://127.0.0.1:1"},
		"--data-dir is for --store folder":            {"--store", "dynamodb", "--data-dir", t.TempDir()},
	} {
		args = append(args, "--allow-internal", host, site+"/echo")
		if code, _, notes := run(t, args...); code != 6 || !strings.Contains(notes, want) {
			t.Errorf("webfetch %q = %d, %s, want 6 and %q", args, code, notes, want)
		}
	}
	for want, args := range map[string][]string{
		"--addr is for serving":            {"--addr", "127.0.0.1:0", site},
		"--api-keys is for serving":        {"--api-keys", "keys", site},
		"--allowlist-write is for serving": {"--allowlist-write", site},
		"--selector is for a URL":          {"--selector", "p"},
		"--output is for a URL":            {"-o", "json"},
		"[format mode] were all set":       {"--format", "text", "--mode", "html", site},
	} {
		if code, _, notes := run(t, args...); code != 2 || !strings.Contains(notes, want) {
			t.Errorf("webfetch %q = %d, %s, want 2 and %q", args, code, notes, want)
		}
	}
	for want, args := range map[string][]string{"API keys and no API": {"--api-keys", "keys"}, "--api-plaintext is for": {"--api-plaintext"}} {
		if code, _, notes := run(t, append(args, "--addr", "127.0.0.1:0")...); code != 6 || !strings.Contains(notes, want) {
			t.Errorf("webfetch %q = %d, %s, want 6 and %q", args, code, notes, want)
		}
	}
	var notes strings.Builder
	if code := cli.Main(t.Context(), []string{"mcp", "--profile", "myao"}, io.NopCloser(strings.NewReader("")), io.Discard, &notes); code != 0 || !strings.Contains(notes.String(), "WEB_FETCH_API_ENDPOINT") {
		t.Errorf("webfetch mcp --profile myao without a service = %d, %s, want 0 and what to do", code, notes.String())
	}
	t.Setenv("WEBFETCH_ALLOWLIST_WRITE", "please")
	if code := cli.Main(t.Context(), []string{"mcp"}, io.NopCloser(strings.NewReader("")), io.Discard, &notes); code != 6 || !strings.Contains(notes.String(), "WEBFETCH_ALLOWLIST_WRITE") {
		t.Errorf("webfetch mcp with WEBFETCH_ALLOWLIST_WRITE=please = %d, %s, want 6 and its name", code, notes.String())
	}
}

func TestDomainsAreKeptInTheDataDirectory(t *testing.T) {
	keepsDomains(t, "--data-dir", t.TempDir())
}

func TestDomainsAreKeptInDynamoDB(t *testing.T) {
	db := dynamotest.Open(t, nil)
	if err := db.Apply(t.Context(), dynamo.Tables(), nil); err != nil {
		t.Fatal(err)
	}
	t.Setenv("WEBFETCH_STORE", "dynamodb")
	keepsDomains(t, "--table-prefix", strings.TrimSuffix(*db.Table("AllowedDomains"), "AllowedDomains"), "--dynamodb-endpoint", dynamotest.Endpoint(t))
	if code, _, notes := run(t, "--store", "paper", "https://example.com/"); code != 6 || !strings.Contains(notes, "folder or dynamodb") {
		t.Errorf("webfetch --store paper = %d, %s, want 6 and what there is", code, notes)
	}
}

func TestATableThatIsMissingIsTold(t *testing.T) {
	code, _, notes := run(t, "--store", "dynamodb", "--table-prefix", dynamotest.Prefix(), "--dynamodb-endpoint", dynamotest.Endpoint(t), "https://example.com/")
	if code != 6 || !strings.Contains(notes, "AllowedDomains is not there") {
		t.Errorf("webfetch without its table = %d, %s, want 6 and which one is missing", code, notes)
	}
}

// keepsDomains adds a domain in one process and looks for it in another.
func keepsDomains(t *testing.T, flags ...string) {
	t.Helper()
	call := func(tool string) string {
		var out strings.Builder
		in := `{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}
{"jsonrpc":"2.0","method":"notifications/initialized"}
{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"` + tool + `","arguments":{"domain":"example.com"}}}
`
		reader, writer := io.Pipe()
		answered := &watched{w: &out, seen: make(chan struct{}), text: `"id":1`}
		go func() {
			_, _ = io.WriteString(writer, in)
			<-answered.seen
			_ = writer.Close()
		}()
		if code := cli.Main(t.Context(), append([]string{"mcp", "--allowlist-write"}, flags...), reader, answered, io.Discard); code != 0 {
			t.Errorf("webfetch mcp = %d, want 0", code)
		}
		return out.String()
	}
	if got := call("add_domain"); !strings.Contains(got, `"added":true`) {
		t.Errorf("add_domain = %s, want it added", got)
	}
	if got := call("list_domains"); !strings.Contains(got, "example.com") {
		t.Errorf("list_domains by another process = %s, want the domain", got)
	}
}

// watched tells when a text was written.
type watched struct {
	w    io.Writer
	text string
	seen chan struct{}
	done bool
}

// Write implements io.Writer.
func (w *watched) Write(p []byte) (int, error) {
	if !w.done && strings.Contains(string(p), w.text) {
		w.done = true
		close(w.seen)
	}
	return w.w.Write(p)
}
