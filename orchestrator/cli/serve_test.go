package cli_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/quorate/quorate/platform/auth"
)

func TestANewKeyIsShownWithTheLineOfItsHash(t *testing.T) {
	t.Parallel()
	exit, stdout, stderr := run(t.Context(), "", "keys", "new", "--name", "batch", "--role", "dispatcher,viewer", "--tenant", "acme")
	token, line, ok := strings.Cut(strings.TrimSuffix(stdout, "\n"), "\n")
	if exit != 0 || !ok || !strings.HasPrefix(token, "quorate_api_") || strings.Contains(line, token) {
		t.Fatalf("Main(keys new) = %d, %q, %q, want 0, a token and a line without it", exit, stdout, stderr)
	}
	if !strings.HasPrefix(stderr, "the first line is the key") {
		t.Errorf("Main(keys new) says %q, want which line is the key", stderr)
	}
	keys := auth.NewKeyring()
	if n, err := keys.Read(strings.NewReader(line)); n != 1 || err != nil {
		t.Fatalf("Read(%q) = %d, %v, want 1, nil", line, n, err)
	}
	p, err := keys.Authenticate(t.Context(), token)
	if err != nil || p.Name != "batch" || p.Tenant != "acme" || !p.Is(auth.RoleViewer) || p.Is(auth.RoleAdmin) {
		t.Errorf("Authenticate() = %+v, %v, want batch of acme with the roles given", p, err)
	}
}

func TestANewKeyAsJSON(t *testing.T) {
	t.Parallel()
	exit, stdout, stderr := run(t.Context(), "", "keys", "new", "--name", "batch", "--role", "viewer", "-o", "json")
	var got struct{ Key, Line string }
	if err := json.Unmarshal([]byte(stdout), &got); exit != 0 || err != nil || !strings.HasPrefix(got.Key, "quorate_api_") || !strings.HasSuffix(got.Line, " batch viewer") {
		t.Errorf("Main(keys new -o json) = %d, %q, %q, want 0 and the key with its line", exit, stdout, stderr)
	}
}

func TestAKeyThatNobodyCouldUseIsNotMade(t *testing.T) {
	t.Parallel()
	for name, args := range map[string][]string{
		"no name":          {"--role", "admin"},
		"no role":          {"--name", "a"},
		"an unknown role":  {"--name", "a", "--role", "root"},
		"a name of two":    {"--name", "a b", "--role", "admin"},
		"a line in a name": {"--name", "a\nb", "--role", "admin"},
	} {
		if exit, stdout, _ := run(t.Context(), "", append([]string{"keys", "new"}, args...)...); exit != 2 || stdout != "" {
			t.Errorf("Main(keys new) with %s = %d, %q, want 2 and no key", name, exit, stdout)
		}
	}
}

func TestTheConfigurationOfServeIsExplained(t *testing.T) {
	t.Parallel()
	file := write(t, "quorate.yaml", "store: {dataDir: /data}\nauth: {keysFile: /keys}\nretention: {tasks: 48h}\n")
	exit, stdout, stderr := run(t.Context(), "", "config", "explain", "serve", "--config", file)
	if exit != 0 || stderr != "" {
		t.Fatalf("Main(config explain serve) = %d, %q, want 0", exit, stderr)
	}
	for _, want := range [][]string{
		{"http.addr", "127.0.0.1:8080", "default"}, {"store.dataDir", "/data", file + ":1"}, {"retention.tasks", "48h0m0s", file + ":3"}, {"auth.oidc.nameClaim", "sub", "default"},
	} {
		if !strings.Contains(strings.Join(strings.Fields(stdout), " "), strings.Join(want, " ")) {
			t.Errorf("Main(config explain serve) printed\n%swant %q", stdout, want)
		}
	}
	if exit, _, _ := run(t.Context(), "", "config", "explain", "paper"); exit != 2 {
		t.Errorf("Main(config explain paper) = %d, want 2", exit)
	}
}

func TestEditorsGetASchemaOfTheConfiguration(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		args             []string
		setting, without string
	}{
		{[]string{"config", "schema"}, "webfetch.browser", "retention.tasks"},
		{[]string{"config", "schema", "dev"}, "webfetch.browser", "retention.tasks"},
		{[]string{"config", "schema", "serve"}, "retention.tasks", "webfetch.browser"},
	} {
		exit, stdout, stderr := run(t.Context(), "", test.args...)
		if exit != 0 || stderr != "" {
			t.Fatalf("Main(%q) = %d, %q, want 0", test.args, exit, stderr)
		}
		type section struct {
			Description string
			Properties  map[string]section
		}
		var got section
		if err := json.Unmarshal([]byte(stdout), &got); err != nil {
			t.Fatalf("Main(%q) printed %s, want JSON: %v", test.args, stdout, err)
		}
		of := func(path string) string {
			in, name, _ := strings.Cut(path, ".")
			return got.Properties[in].Properties[name].Description
		}
		if of(test.setting) == "" || of(test.without) != "" {
			t.Errorf("Main(%q) describes %s as %q and %s as %q, want only the first", test.args, test.setting, of(test.setting), test.without, of(test.without))
		}
	}
	if exit, _, _ := run(t.Context(), "", "config", "schema", "paper"); exit != 2 {
		t.Errorf("Main(config schema paper) = %d, want 2", exit)
	}
}

func TestSettingsAreExplainedThatDoNotSuffice(t *testing.T) {
	t.Parallel()
	exit, stdout, stderr := run(t.Context(), "", "config", "explain", "serve", "--config", write(t, "quorate.yaml", "retention: {tasks: 48h}\n"))
	if exit != 6 || !strings.Contains(stdout, "48h0m0s") || !strings.Contains(stdout, "auth.keysFile") {
		t.Errorf("Main(config explain serve) without a store and keys = %d, %q, want 6 and every setting", exit, stdout)
	}
	if want := "store.dataDir: the embedded store needs a folder; auth.keysFile: nobody could call"; !strings.Contains(stderr, want) {
		t.Errorf("Main(config explain serve) without a store and keys said %q, want %q", stderr, want)
	}
}

func TestServeDoesNotStartWithAMistake(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct{ text, want string }{
		"a key that is not known":  {"store: {datadir: /data}\n", "did you mean dataDir?"},
		"nobody who could call":    {"store: {dataDir: /data}\n", "nobody could call"},
		"an open door without TLS": {"store: {dataDir: /data}\nauth: {keysFile: /keys}\nhttp: {addr: '0.0.0.0:8080'}\n", "tls.plaintext"},
	} {
		exit, stdout, stderr := run(t.Context(), "", "serve", "--config", write(t, "quorate.yaml", test.text))
		if exit != 6 || stdout != "" || !strings.Contains(stderr, test.want) {
			t.Errorf("Main(serve) with %s = %d, %q, %q, want 6 with %q", name, exit, stdout, stderr, test.want)
		}
	}
}

func TestASourceOfAgentsThatIsWrongIsToldBySetting(t *testing.T) {
	t.Parallel()
	for setting, value := range map[string]string{"cardURLs": "[nowhere]", "catalogs": "['ftp://x']"} {
		file := write(t, "quorate.yaml", "agents:\n  "+setting+": "+value+"\n")
		want := file + ":2: agents." + setting + ": "
		for _, of := range []string{"serve", "dev"} {
			if exit, _, stderr := run(t.Context(), "", "config", "explain", of, "--config", file); exit != 6 || !strings.Contains(stderr, want) {
				t.Errorf("Main(config explain %s) with %s %s = %d, %q, want 6 and %q", of, setting, value, exit, stderr, want)
			}
		}
	}
}
