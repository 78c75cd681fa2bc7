package serve_test

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"math"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/quorate/quorate/orchestrator/serve"
	"github.com/quorate/quorate/platform/auth"
	"github.com/quorate/quorate/platform/certtest"
	settings "github.com/quorate/quorate/platform/config"
	"github.com/quorate/quorate/platform/fault"
	"github.com/quorate/quorate/platform/logtest"
)

const card = `{"card":{"name":"echo","description":"Says it again.","version":"1.0.0","supportedInterfaces":[{"url":"http://192.0.2.1:1","protocolBinding":"JSONRPC","protocolVersion":"1.0"}],` +
	`"capabilities":{},"defaultInputModes":["text/plain"],"defaultOutputModes":["text/plain"],"skills":[{"id":"echo","name":"Echo","description":"Says it again.","tags":["echo"]}]}}`

func TestItServesWhomItKnowsAndKeepsWhatItIsTold(t *testing.T) {
	t.Parallel()
	c, admin := config(t)
	p := start(t, c)
	client := new(http.Client)
	for _, test := range []struct {
		method, path string
		token        auth.Secret
		body         string
		want         int
	}{
		{"GET", "/healthz", "", "", 200},
		{"GET", "/readyz", "", "", 200},
		{"GET", "/metrics", "", "", 200},
		{"GET", "/v1/agents", "", "", 401},
		{"GET", "/v1/agents", auth.NewToken("api"), "", 401},
		{"GET", "/v1/caller", "", "", 401},
		{"GET", "/v1/caller", auth.NewToken("api"), "", 401},
		{"POST", "/v1/agents:register", admin, card, 200},
		{"GET", "/v1/agents/echo", admin, "", 200},
	} {
		if code, body := call(t, client, test.method, "http://"+p.addr+test.path, test.token, test.body); code != test.want {
			t.Errorf("%s %s = %d %s, want %d", test.method, test.path, code, body, test.want)
		}
	}
	_, caller := call(t, client, "GET", "http://"+p.addr+"/v1/caller", admin, "")
	for _, want := range []string{`"ops"`, `"admin"`, `"default"`, `"api-key"`, `"quorate.registry.v1.RegistryService/PinSigningKey"`} {
		if !strings.Contains(caller, want) {
			t.Errorf("GET /v1/caller = %s, want %s in it", caller, want)
		}
	}
	if err := p.stop(); err != nil {
		t.Errorf("Run() = %v when it is stopped, want no error", err)
	}
	again := start(t, c)
	if code, body := call(t, client, "GET", "http://"+again.addr+"/v1/agents/echo", admin, ""); code != 200 {
		t.Errorf("GET /v1/agents/echo after a restart = %d %s, want 200", code, body)
	}
	if log := p.log.String() + again.log.String(); strings.Contains(log, admin.Reveal()) {
		t.Errorf("the log holds the admin's key:\n%s", log)
	}
}

func TestWhatCannotBeAppliedKeepsItFromStarting(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		change        func(t *testing.T, c *serve.Config)
		setting, want string
	}{
		"a port that there is not": {func(_ *testing.T, c *serve.Config) { c.HTTP.Addr = "127.0.0.1:99999" }, "http.addr", "is not an address: write host:port"},
		"a port of no known name":  {func(_ *testing.T, c *serve.Config) { c.GRPC.Addr = "127.0.0.1:nope" }, "grpc.addr", "unknown port"},
		"a foreign address": {func(_ *testing.T, c *serve.Config) {
			c.HTTP.Addr, c.TLS.Plaintext = "192.0.2.1:0", true
		}, "http.addr", "listen on 192.0.2.1:0"},
		"no TLS beyond loopback": {func(_ *testing.T, c *serve.Config) { c.HTTP.Addr = "0.0.0.0:0" }, "http.addr", "not a loopback address and there is no TLS"},
		"nobody could call":      {func(_ *testing.T, c *serve.Config) { c.Auth.KeysFile = "" }, "auth.keysFile", "nobody could call"},
		"no file of keys":        {func(_ *testing.T, c *serve.Config) { c.Auth.KeysFile += ".old" }, "auth.keysFile", "no such file"},
		"an empty file of keys": {func(t *testing.T, c *serve.Config) {
			t.Helper()
			write(t, c.Auth.KeysFile, "# none\n")
		}, "auth.keysFile", "has no key"},
		"a wrong line in it": {func(t *testing.T, c *serve.Config) {
			t.Helper()
			write(t, c.Auth.KeysFile, "ops admin\n")
		}, "auth.keysFile", "line 1"},
		"a certificate that is not there": {func(_ *testing.T, c *serve.Config) {
			c.TLS.Cert, c.TLS.Key = "/nonexistent/cert", "/nonexistent/key"
		}, "tls.cert", "read the certificate"},
		"half a certificate":      {func(_ *testing.T, c *serve.Config) { c.TLS.Cert = "cert.pem" }, "tls.cert", "set both"},
		"clients' CA without TLS": {func(_ *testing.T, c *serve.Config) { c.TLS.ClientCA = "ca.pem" }, "tls.clientCA", "need TLS"},
		"clients' CA that is not there": {func(t *testing.T, c *serve.Config) {
			t.Helper()
			own := certtest.NewAuthority(t).Issue(t, "quorate")
			c.TLS = serve.TLS{Cert: own.CertFile, Key: own.KeyFile, ClientCA: "/nonexistent/ca"}
		}, "tls.clientCA", "read the authorities of clients"},
		"TLS and plaintext":         {func(_ *testing.T, c *serve.Config) { c.TLS = serve.TLS{Cert: "a", Key: "b", Plaintext: true} }, "tls.plaintext", "take plaintext away"},
		"an unknown kind of store":  {func(_ *testing.T, c *serve.Config) { c.Store.Kind = "paper" }, "store.kind", "not embedded or dynamodb"},
		"settings of another store": {func(_ *testing.T, c *serve.Config) { c.Store.TablePrefix = "prod-" }, "store.kind", "are for kind: dynamodb"},
		"a prefix with a space": {func(_ *testing.T, c *serve.Config) {
			c.Store = serve.Store{Kind: "dynamodb", TablePrefix: "a b", PageKeyFile: "key", Lease: time.Minute}
		}, "store.tablePrefix", "is not allowed in a table's name"},
		"a lease that nobody takes":   {func(_ *testing.T, c *serve.Config) { c.Store.Lease = time.Minute }, "store.lease", "is for kind: dynamodb"},
		"one port for both":           {func(_ *testing.T, c *serve.Config) { c.HTTP.Addr, c.GRPC.Addr = "127.0.0.1:8080", "127.0.0.1:8080" }, "grpc.addr", "is http.addr, too"},
		"no folder":                   {func(_ *testing.T, c *serve.Config) { c.Store.DataDir = "" }, "store.dataDir", "needs a folder"},
		"replicas without a page key": {func(_ *testing.T, c *serve.Config) { c.Store = serve.Store{Kind: "dynamodb"} }, "store.pageKeyFile", "openssl rand"},
		"a page key of the wrong size": {func(t *testing.T, c *serve.Config) {
			t.Helper()
			c.Store.PageKeyFile = write(t, filepath.Join(t.TempDir(), "k"), "abc")
		}, "store.pageKeyFile", "has 3 bytes"},
		"a page key that all may read": {func(t *testing.T, c *serve.Config) {
			t.Helper()
			c.Store.PageKeyFile = write(t, filepath.Join(t.TempDir(), "k"), strings.Repeat("ab", 32))
			if err := os.Chmod(c.Store.PageKeyFile, 0o644); err != nil {
				t.Fatal(err)
			}
		}, "store.pageKeyFile", "may be read by everybody"},
		"an unknown signature policy":   {func(_ *testing.T, c *serve.Config) { c.Agents.Signatures = "perhaps" }, "agents.signatures", "not off, verify-if-present"},
		"an unknown policy of changes":  {func(_ *testing.T, c *serve.Config) { c.Agents.CardChanges = "perhaps" }, "agents.cardChanges", "not allow or confirm"},
		"calls to a name that none has": {func(_ *testing.T, c *serve.Config) { c.Agents.PassThrough = []string{"*", "a b"} }, "agents.passThrough", `"a b" is no agent's name`},
		"cards somewhere":               {func(_ *testing.T, c *serve.Config) { c.Agents.CardFolder = "cards" }, "agents.cardFolder", `the folder "cards" is not an absolute path`},
		"time for no embeddings":        {func(_ *testing.T, c *serve.Config) { c.Routing.EmbeddingsTimeout = time.Second }, "routing.embeddingsURL", "need embeddingsURL"},
		"time for no Jaeger":            {func(_ *testing.T, c *serve.Config) { c.Evidence.JaegerTimeout = time.Second }, "evidence.jaegerURL", "need jaegerURL"},
		"time for no CloudWatch":        {func(_ *testing.T, c *serve.Config) { c.Evidence.CloudWatchTimeout = time.Second }, "evidence.cloudWatchRegion", "need cloudWatchRegion"},
		"a group of no CloudWatch":      {func(_ *testing.T, c *serve.Config) { c.Evidence.CloudWatchGroup = "ours" }, "evidence.cloudWatchRegion", "need cloudWatchRegion"},
		"a model from nowhere":          {func(_ *testing.T, c *serve.Config) { c.Routing.EmbeddingsModel = "m" }, "routing.embeddingsURL", "need embeddingsURL"},
		"an endpoint without a model":   {func(_ *testing.T, c *serve.Config) { c.Routing.EmbeddingsURL = "https://embeddings.example/v1" }, "routing.embeddingsModel", "say which model"},
		"replicas with a folder": {func(_ *testing.T, c *serve.Config) {
			c.Store.Kind, c.Store.Lease, c.Store.PageKeyFile = "dynamodb", time.Minute, "key"
		}, "store.dataDir", "is for kind: embedded"},
		"evidence that is needed yet": {func(_ *testing.T, c *serve.Config) { c.Retention.Evidence = time.Hour }, "retention.evidence", "less than"},
		"copies of tables": {func(_ *testing.T, c *serve.Config) {
			c.Store = serve.Store{Kind: "dynamodb", Lease: time.Minute, PageKeyFile: "key", Region: "eu-central-1"}
			c.Backup.Dir = "/backup"
		}, "backup.dir", "point-in-time recovery"},
		"copies somewhere": {func(_ *testing.T, c *serve.Config) { c.Backup.Dir = "backup" }, "backup.dir", "not an absolute path"},
		"a store that is one of its copies": {func(_ *testing.T, c *serve.Config) {
			c.Backup.Dir = filepath.Dir(c.Store.DataDir)
			c.Store.DataDir = filepath.Join(c.Backup.Dir, "quorate-20260102T030405Z")
		}, "store.dataDir", "move it out of backup.dir"},
		"copies that go nowhere": {func(_ *testing.T, c *serve.Config) { c.Backup.Every = time.Hour }, "backup.dir", "no copies are made"},
		"a store that is one of its copies by another name": {func(t *testing.T, c *serve.Config) {
			t.Helper()
			c.Backup.Dir = t.TempDir()
			copied := filepath.Join(c.Backup.Dir, "quorate-20260102T030405Z")
			if err := errors.Join(os.Mkdir(copied, 0o700), os.Symlink(copied, c.Store.DataDir)); err != nil {
				t.Fatal(err)
			}
		}, "store.dataDir", "move it out of backup.dir"},
		"copies in the store":        {func(_ *testing.T, c *serve.Config) { c.Backup.Dir = c.Store.DataDir }, "backup.dir", "choose a folder outside store.dataDir"},
		"copies below the store":     {func(_ *testing.T, c *serve.Config) { c.Backup.Dir = filepath.Join(c.Store.DataDir, "a", "b") }, "backup.dir", "choose a folder outside store.dataDir"},
		"copies all the time":        {func(_ *testing.T, c *serve.Config) { c.Backup.Every = time.Second }, "backup.every", "less than 1m"},
		"copies that are not kept":   {func(_ *testing.T, c *serve.Config) { c.Backup.Keep = 0 }, "backup.keep", "not from 1 to 1000"},
		"a level that opens nothing": {func(_ *testing.T, c *serve.Config) { c.Evidence.Lowest = "C0" }, "evidence.lowest", "not a level that can open a gate"},
		"a level from nowhere":       {func(_ *testing.T, c *serve.Config) { c.Evidence.Lowest = "C1" }, "evidence.lowest", "set jaegerURL or cloudWatchRegion"},
		"no time to answer":          {func(_ *testing.T, c *serve.Config) { c.Evidence.AnswerWithin = time.Second }, "evidence.answerWithin", "not from 1m0s to 168h0m0s"},
		"a token for no Jaeger":      {func(_ *testing.T, c *serve.Config) { c.Evidence.JaegerTokenFile = "token" }, "evidence.jaegerURL", "need jaegerURL"},
		"a Jaeger that is no URL":    {func(_ *testing.T, c *serve.Config) { c.Evidence.JaegerURL = "jaeger:16686" }, "evidence.jaegerURL", "want an http or https URL"},
		"a Jaeger with a password": {func(_ *testing.T, c *serve.Config) {
			c.Evidence.JaegerURL = "https://me:secret@jaeger.example"
		}, "evidence.jaegerURL", "without user"},
		"a token in the open": {func(_ *testing.T, c *serve.Config) {
			c.Evidence.JaegerURL, c.Evidence.JaegerTokenFile = "http://jaeger.example", "token"
		}, "evidence.jaegerTokenFile", "must be https"},
		"a key in the open": {func(_ *testing.T, c *serve.Config) {
			c.Routing.EmbeddingsURL, c.Routing.EmbeddingsModel, c.Routing.EmbeddingsKeyFile = "http://embeddings.example/v1", "m", "key"
		}, "routing.embeddingsKeyFile", "must be https"},
		"a key of nothing": {func(t *testing.T, c *serve.Config) {
			t.Helper()
			c.Routing.EmbeddingsURL, c.Routing.EmbeddingsModel = "https://embeddings.example/v1", "m"
			c.Routing.EmbeddingsKeyFile = write(t, filepath.Join(t.TempDir(), "k"), "\n")
		}, "routing.embeddingsKeyFile", "is empty"},
		"authorities without TLS": {func(_ *testing.T, c *serve.Config) {
			c.Evidence.JaegerURL, c.Evidence.JaegerCA = "http://127.0.0.1:16686", "ca.pem"
		}, "evidence.jaegerCA", "has no TLS"},
		"a Jaeger that may take for ever": {func(_ *testing.T, c *serve.Config) { c.Evidence.JaegerTimeout = time.Minute }, "evidence.jaegerTimeout", "not from 100ms to 10s"},
		"a token that all may read": {func(t *testing.T, c *serve.Config) {
			t.Helper()
			c.Evidence.JaegerURL, c.Evidence.JaegerTokenFile = "https://jaeger.example", write(t, filepath.Join(t.TempDir(), "k"), "abc")
			if err := os.Chmod(c.Evidence.JaegerTokenFile, 0o644); err != nil {
				t.Fatal(err)
			}
		}, "evidence.jaegerTokenFile", "may be read by everybody"},
		"an endpoint of no CloudWatch":        {func(_ *testing.T, c *serve.Config) { c.Evidence.CloudWatchEndpoint = "https://logs.example" }, "evidence.cloudWatchRegion", "need cloudWatchRegion"},
		"a CloudWatch that may take for ever": {func(_ *testing.T, c *serve.Config) { c.Evidence.CloudWatchTimeout = time.Hour }, "evidence.cloudWatchTimeout", "not from 1s to 1m"},
		"a CloudWatch that is no URL": {func(_ *testing.T, c *serve.Config) {
			c.Evidence.CloudWatchRegion, c.Evidence.CloudWatchEndpoint = "eu-central-1", "logs.example"
		}, "evidence.cloudWatchEndpoint", "want an http or https URL"},
		"a CloudWatch without a group": {func(_ *testing.T, c *serve.Config) {
			c.Evidence.CloudWatchRegion, c.Evidence.CloudWatchGroup = "eu-central-1", ""
		}, "evidence.cloudWatchGroup", "which log group"},
		"no authorities for Jaeger": {func(_ *testing.T, c *serve.Config) {
			c.Evidence.JaegerURL, c.Evidence.JaegerCA = "https://jaeger.example", "/nonexistent/ca"
		}, "evidence.jaegerCA", "read the authorities of Jaeger"},
		"no calls at all":            {func(_ *testing.T, c *serve.Config) { c.Calls.Max = 0 }, "calls.max", "not from 16 to 1000000"},
		"no connections":             {func(_ *testing.T, c *serve.Config) { c.Calls.Connections = 1 }, "calls.connections", "not from 16 to 1000000"},
		"a rate that is no number":   {func(_ *testing.T, c *serve.Config) { c.Calls.PerSecond = math.NaN() }, "calls.perSecond", "not from 0 to 1000000"},
		"a burst of nothing":         {func(_ *testing.T, c *serve.Config) { c.Calls.Burst = 5 }, "calls.burst", "no effect without perSecond"},
		"an issuer without audience": {func(_ *testing.T, c *serve.Config) { c.Auth.OIDC.Issuer = "https://id.example" }, "auth.oidc.audience", "audience"},
		"an issuer that is not there": {func(_ *testing.T, c *serve.Config) {
			c.Auth.OIDC.Issuer, c.Auth.OIDC.Audience = "http://127.0.0.1:1", "quorate"
		}, "", "OpenID Connect provider http://127.0.0.1:1 cannot be read; with auth.oidc.keysURL it is not needed: Get"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c, _ := config(t)
			test.change(t, &c)
			if err := startError(t, c); err == nil || !strings.HasPrefix(err.Error(), test.setting) || !strings.Contains(err.Error(), test.want) {
				t.Errorf("Run() = %v, want an error that blames %q, with %q", err, test.setting, test.want)
			}
		})
	}
}

// validate checks a configuration as the command does. The error begins with the setting.
func validate(c *serve.Config) error {
	_, err := settings.Load(c, settings.Options{Environ: []string{}})
	return err
}

// startError returns why a server does not start, after the setting that it blames, if any.
func startError(t *testing.T, c serve.Config) error {
	t.Helper()
	if err := validate(&c); err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(t.Context(), patience) // one that starts does not end by itself
	defer cancel()
	err := serve.Run(ctx, c, "0.0.0", io.Discard)
	if f, ok := errors.AsType[*fault.Error](err); ok && len(f.Violations) == 1 {
		return fmt.Errorf("%s: %w", f.Violations[0].Field, err)
	}
	return err
}

// One answer travels in headers behind the REST door; one that did not fit there ended the connection that all REST calls share.
func TestABodyThatIsWrongInEveryPlaceIsAnError(t *testing.T) {
	t.Parallel()
	c, admin := config(t)
	p := start(t, c)
	body := `{"inputs":[{}` + strings.Repeat(",{}", 50_000) + `]}`
	code, answer := call(t, new(http.Client), "POST", "http://"+p.addr+"/v1/tasks", admin, body)
	if code != 400 || !strings.Contains(answer, "VALIDATION_FAILED") || !strings.Contains(answer, "more") || len(answer) > 8<<10 {
		t.Errorf("POST /v1/tasks with 50,001 inputs without a name = %d and %d bytes: %.300s, want 400 with the first of what is wrong, and how much more there is", code, len(answer), answer)
	}
}

func TestASecondProcessOnTheSameFolderIsRefused(t *testing.T) {
	t.Parallel()
	c, _ := config(t)
	start(t, c)
	if err := startError(t, c); fault.ReasonOf(err) != "STORE_LOCKED" {
		t.Errorf("Run() = %v, want STORE_LOCKED", err)
	}
}

// linkToNowhere returns a link like one to a disk that is not mounted.
func linkToNowhere(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	link := filepath.Join(dir, "link")
	if err := os.Symlink(filepath.Join(dir, "disk", "data"), link); err != nil {
		t.Skipf("no links here: %v", err)
	}
	return link
}

func TestAFolderThatCannotBeUsedIsAMatterOfItsSetting(t *testing.T) {
	t.Parallel()
	file := write(t, filepath.Join(t.TempDir(), "file"), "")
	for _, folder := range []string{file, filepath.Join(file, "data"), linkToNowhere(t)} {
		c, _ := config(t)
		c.Store.DataDir = folder
		err := startError(t, c)
		f, ok := errors.AsType[*fault.Error](err)
		if !ok || f.Reason != "CONFIG_INVALID" || f.Violations[0].Field != "store.dataDir" || !strings.Contains(f.Message, "may write to") {
			t.Errorf("Run() with the folder %s = %v, want a fault about store.dataDir that says what to do", folder, err)
		}
	}
}

// The error that Run returns is printed for people. Who collects logs reads lines of JSON, and is told by their level.
func TestTheLogSaysWhyAServerDidNotStart(t *testing.T) {
	t.Parallel()
	c, _ := config(t)
	start(t, c)
	log := new(logtest.Buffer)
	err := serve.Run(t.Context(), c, "0.0.0", log)
	for _, want := range []string{`"level":"ERROR","msg":"ended by an error"`, `"reason":"STORE_LOCKED"`, c.Store.DataDir} {
		if err == nil || strings.Count(log.String(), want) != 1 {
			t.Errorf("Run() = %v with the log\n%s, want %s in it once", err, log, want)
		}
	}
}

func TestTLSAsksForCertificatesOfClients(t *testing.T) {
	t.Parallel()
	c, admin := config(t)
	authority := certtest.NewAuthority(t)
	own := authority.Issue(t, "quorate")
	c.TLS.ClientCA, c.TLS.Cert, c.TLS.Key = authority.CertFile, own.CertFile, own.KeyFile
	p := start(t, c)
	roots := authority.Pool()
	with := func(c *tls.Config) *http.Client {
		return &http.Client{Transport: &http.Transport{TLSClientConfig: c, ForceAttemptHTTP2: true}}
	}
	code, body := call(t, with(&tls.Config{RootCAs: roots, Certificates: []tls.Certificate{own.Pair}}), "GET", "https://"+p.addr+"/v1/agents", admin, "")
	if code != 200 {
		t.Errorf("GET with a certificate = %d %s, want 200", code, body)
	}
	for name, client := range map[string]*http.Client{"without a certificate": with(&tls.Config{RootCAs: roots}), "without TLS": new(http.Client)} {
		scheme := "https://"
		if name == "without TLS" {
			scheme = "http://"
		}
		r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, scheme+p.addr+"/v1/agents", nil)
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("Authorization", "Bearer "+admin.Reveal())
		if answer, err := client.Do(r); err == nil {
			_ = answer.Body.Close()
			if answer.StatusCode == http.StatusOK {
				t.Errorf("GET %s = 200, want a refusal", name)
			}
		}
	}
}
