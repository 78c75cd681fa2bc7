package cli_test

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/quorate/quorate/orchestrator/dev"
	"github.com/quorate/quorate/orchestrator/serve"
	"github.com/quorate/quorate/platform/config"
)

func TestTheTokenComesFromTheStrongestSource(t *testing.T) {
	var got string
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		got = strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer ")
		_, _ = io.WriteString(w, `{}`)
	}))
	defer server.Close()
	t.Setenv("XDG_STATE_HOME", t.TempDir())
	if err := os.MkdirAll(filepath.Dir(dev.DefaultTokenFile()), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(dev.DefaultTokenFile(), []byte("of-dev\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	flag, file := write(t, "flag", "of-flag"), write(t, "file", "of-file\n")
	tests := map[string]struct {
		args            []string
		token, fromFile string
		want            string
	}{
		"the flag wins":                  {[]string{"--token-file", flag}, "of-env", file, "of-flag"},
		"the variable beats its file":    {nil, "of-env", file, "of-env"},
		"the file that a variable names": {nil, "", file, "of-file"},
		"the dev server's own file":      {nil, "", "", "of-dev"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Setenv("QUORATE_SERVER", server.URL)
			t.Setenv("QUORATE_TOKEN", test.token)
			t.Setenv("QUORATE_TOKEN_FILE", test.fromFile)
			exit, _, stderr := run(t.Context(), "", append([]string{"agents", "list"}, test.args...)...)
			if exit != 0 || got != test.want || !strings.HasPrefix(stderr, "no agents\n") {
				t.Errorf("Main(agents list %q) = %d, %q with token %q, want 0 with %q", test.args, exit, stderr, got, test.want)
			}
		})
	}
}

func TestATokenThatLeavesTheMachineInClearIsRemarked(t *testing.T) {
	t.Setenv("QUORATE_TOKEN", "secret")
	ctx, cancel := context.WithCancel(t.Context())
	cancel() // nothing is sent
	for server, want := range map[string]bool{"http://quorate.example": true, "https://quorate.example": false, "http://127.0.0.1:1": false} {
		_, _, stderr := run(ctx, "", "agents", "list", "--server", server)
		if got := strings.Contains(stderr, "without encryption; use https"); got != want {
			t.Errorf("Main(agents list --server %s) says %q, want a warning: %v", server, stderr, want)
		}
	}
}

func TestTheDevTokenStaysOnThisMachine(t *testing.T) {
	t.Setenv("XDG_STATE_HOME", t.TempDir())
	t.Setenv("QUORATE_TOKEN", "")
	t.Setenv("QUORATE_TOKEN_FILE", "")
	if err := os.MkdirAll(filepath.Dir(dev.DefaultTokenFile()), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(dev.DefaultTokenFile(), []byte("not a token\n"), 0o600); err != nil { // which New refuses, if it is read
		t.Fatal(err)
	}
	exit, _, stderr := run(t.Context(), "", "agents", "list", "--server", "http://quorate.invalid")
	if exit != 9 || strings.Contains(stderr, "TOKEN_INVALID") {
		t.Errorf("Main(agents list) = %d, %q, want 9 without a look at the token", exit, stderr)
	}
	exit, _, stderr = run(t.Context(), "", "agents", "list", "--server", "http://localhost:1")
	if exit != 6 || !strings.Contains(stderr, "TOKEN_INVALID") {
		t.Errorf("Main(agents list) = %d, %q, want 6 because of the token", exit, stderr)
	}
}

func TestTokenFiles(t *testing.T) {
	t.Parallel()
	open := write(t, "token", "quorate_test_abc")
	if err := os.Chmod(open, 0o644); err != nil {
		t.Fatal(err)
	}
	tests := map[string]struct {
		file string
		exit int
		want string
	}{
		"one that others can read is warned of": {open, 0, "warning: " + open + " can be read by other users; chmod 600 " + open},
		"one that is missing is an error":       {"/no/such", 6, "/no/such: no such file or directory (TOKEN_INVALID)"},
		"one that is empty is an error":         {write(t, "empty", "\n"), 6, "TOKEN_INVALID"},
		"one that is too long is an error":      {write(t, "long", strings.Repeat("x", 5000)), 6, "TOKEN_INVALID"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			g := newGateway(t, map[string][]http.HandlerFunc{"GET /v1/agents": answer(`{}`)})
			exit, _, stderr := run(t.Context(), "", "agents", "list", "--server", g.url, "--token-file", test.file)
			if exit != test.exit || !strings.Contains(stderr, test.want) {
				t.Errorf("Main(agents list) = %d, %q, want %d and %q", exit, stderr, test.exit, test.want)
			}
		})
	}
}

func TestConfigExplainTellsWhereEachSettingComesFrom(t *testing.T) {
	t.Setenv("QUORATE_GRPC_ADDR", "127.0.0.1:7001")
	t.Setenv("QUORATE_SERVER", "http://127.0.0.1:8080") // known, so not warned of
	file := write(t, "quorate.yaml", "webfetch:\n  addr: 127.0.0.1:7002\n")
	exit, stdout, stderr := run(t.Context(), "", "config", "explain", "--config", file, "--http-addr", "127.0.0.1:7000", "--data-dir", "/data")
	if exit != 0 || stderr != "" {
		t.Fatalf("Main(config explain) = %d, %q, want 0", exit, stderr)
	}
	for _, want := range []string{"127.0.0.1:7000 flag", "127.0.0.1:7001 env QUORATE_GRPC_ADDR", "127.0.0.1:7002 " + file + ":2"} {
		if !strings.Contains(strings.Join(strings.Fields(stdout), " "), want) {
			t.Errorf("Main(config explain) printed\n%swant %q", stdout, want)
		}
	}
}

func TestConfigExplainTellsWhatEachSettingIsFor(t *testing.T) {
	t.Parallel()
	for of, want := range map[string]string{
		"dev":   "grpc.addr  127.0.0.1:9090  default\n    Address of gRPC and OTLP/gRPC; port 0 chooses a free one.\n    env QUORATE_GRPC_ADDR\n",
		"serve": "agents.strict  false  default\n    Refuse rules whose target agent is not registered, and names that look like another agent's.\n    env QUORATE_AGENTS_STRICT\n",
	} {
		_, stdout, stderr := run(t.Context(), "", "config", "explain", of, "--describe")
		if !strings.Contains(stdout, want) || strings.Contains(stdout, "\n    \n") {
			t.Errorf("Main(config explain %s --describe) printed\n%s%s\nwant a word about each setting, and of one\n%s", of, stdout, stderr, want)
		}
	}
}

func TestAValueThatIsRefusedIsNamed(t *testing.T) {
	t.Parallel()
	for content, want := range map[string]string{
		"agents: {signatures: maybe}\n":  `:1: agents.signatures: "maybe" is not off`,
		"agents: {cardChanges: maybe}\n": `:1: agents.cardChanges: "maybe" is not allow or confirm`,
		"telemetry: {logLevel: loud}\n":  `log level "loud" is not debug`,
	} {
		file := write(t, "quorate.yaml", content)
		exit, _, stderr := run(t.Context(), "", "dev", "--config", file, "--data-dir", t.TempDir())
		if exit != 6 || !strings.Contains(stderr, want) {
			t.Errorf("Main(dev) with %q = %d, %q, want 6 and %q", content, exit, stderr, want)
		}
	}
}

func TestAWrongSettingIs6(t *testing.T) {
	t.Parallel()
	file := write(t, "quorate.yaml", "htp: {addr: x}\n")
	for _, verb := range [][]string{{"config", "explain"}, {"dev"}} {
		exit, _, stderr := run(t.Context(), "", append(verb, "--config", file, "--data-dir", t.TempDir())...)
		if exit != 6 || !strings.Contains(stderr, "did you mean http?") {
			t.Errorf("Main(%q) = %d, %q, want 6 and the key that was meant", verb, exit, stderr)
		}
	}
}

// TestWhatDevAndServeBothHaveHasOneName compares the settings that dev has with those of serve.
func TestWhatDevAndServeBothHaveHasOneName(t *testing.T) {
	t.Parallel()
	usual, production := dev.DefaultConfig(), serve.DefaultConfig()
	of := func(c any) map[string]bool {
		settings, err := config.Settings(c)
		if err != nil {
			t.Fatalf("Settings(%T) = %v, want no error", c, err)
		}
		paths := make(map[string]bool)
		for _, s := range settings {
			paths[s.Path] = true
		}
		return paths
	}
	own := map[string]bool{"webfetch.addr": true, "webfetch.browser": true, "portsFile": true} // of what production does not run
	known := of(&production)
	for path := range of(&usual) {
		if known[path] == own[path] {
			t.Errorf("the setting %s of dev is one of serve: %t, want %t", path, known[path], !own[path])
		}
	}
}
