package serve_test

import (
	"fmt"
	"io"
	"math"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/quorate/quorate/orchestrator/doctor"
	"github.com/quorate/quorate/orchestrator/serve"
	"github.com/quorate/quorate/orchestrator/server"
	"github.com/quorate/quorate/platform/certtest"
	"github.com/quorate/quorate/platform/ddb"
	"github.com/quorate/quorate/platform/dynamotest"
)

// examined returns what one check finds.
func examined(t *testing.T, c serve.Config, name string) doctor.Finding {
	t.Helper()
	checks := serve.Checks(c)
	i := slices.IndexFunc(checks, func(c doctor.Check) bool { return c.Name == name })
	if i < 0 {
		t.Fatalf("Checks() has no %s", name)
	}
	return doctor.Run(t.Context(), checks[i:i+1])[0].Finding
}

func TestTheDoctorFindsNothingWrongBesideARunningServer(t *testing.T) {
	t.Parallel()
	c, _ := config(t)
	authority := certtest.NewAuthority(t)
	own := authority.Issue(t, "quorate")
	c.TLS.ClientCA, c.TLS.Cert, c.TLS.Key = authority.CertFile, own.CertFile, own.KeyFile
	c.Backup.Dir = filepath.Join(filepath.Dir(c.Store.DataDir), "backup")
	p := start(t, c)
	c.HTTP.Addr, c.GRPC.Addr = p.addr, p.grpc
	want := map[string]string{
		"http.addr": "is in use by a running Quorate", "grpc.addr": "a Quorate is running", "readiness": "the server is ready", "tls": "valid until",
		"auth.keysFile": "in order", "store": "in use by a running server", "disk": "are free", "backup": "are free",
	}
	for _, r := range doctor.Run(t.Context(), serve.Checks(c)) {
		usual := doctor.Skip
		if want[r.Name] != "" {
			usual = doctor.OK
		}
		if r.Status != usual || !strings.Contains(r.Found, want[r.Name]) {
			t.Errorf("%s: %+v, want %s with %q", r.Name, r.Finding, usual, want[r.Name])
		}
	}
	if err := p.stop(); err != nil || strings.Contains(p.log.String(), `"level":"ERROR"`) {
		t.Errorf("Run() = %v with the log\n%s, want that it was not disturbed", err, p.log)
	}
	c.HTTP.Addr, c.GRPC.Addr = "127.0.0.1:0", "127.0.0.1:0" // another test may have taken the same ports meanwhile
	for name, want := range map[string]string{"http.addr": "is free", "grpc.addr": "is free", "store": "can be used"} {
		if f := examined(t, c, name); f.Status != doctor.OK || !strings.Contains(f.Found, want) {
			t.Errorf("%s when it has stopped: %+v, want ok with %q", name, f, want)
		}
	}
}

func TestTheDoctorFindsWhatKeepsAServerFromWorking(t *testing.T) {
	t.Parallel()
	const nobody = "http://127.0.0.1:1"
	late := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Date", "Mon, 02 Jan 2006 15:04:05 GMT")
		w.WriteHeader(http.StatusUnauthorized)
	}))
	t.Cleanup(late.Close)
	address := strings.TrimPrefix(late.URL, "http://")
	file := write(t, filepath.Join(t.TempDir(), "file"), strings.Repeat("words ", 9999))
	one, other := certtest.NewAuthority(t), certtest.NewAuthority(t)
	linked := linkToNowhere(t)
	early := one.IssueFrom(t, "quorate", time.Now().Add(time.Hour))
	future := write(t, filepath.Join(t.TempDir(), "credentials"),
		fmt.Sprintf("credentials: [{origin: 'https://bank.example', mutualTLS: {certFile: %s, keyFile: %s}}]", early.CertFile, early.KeyFile))
	for name, test := range map[string]struct {
		check, want string
		change      func(c *serve.Config)
	}{
		"another program at the port":  {"http.addr", "in use by another program", func(c *serve.Config) { c.HTTP.Addr = address }},
		"an address of another":        {"http.addr", "192.0.2.1", func(c *serve.Config) { c.HTTP.Addr = "192.0.2.1:0" }},
		"another program for gRPC":     {"grpc.addr", "in use by another program", func(c *serve.Config) { c.GRPC.Addr = address }},
		"a key that does not belong":   {"tls", "private key does not match", func(c *serve.Config) { c.TLS.Cert, c.TLS.Key = one.CertFile, other.KeyFile }},
		"no authorities of clients":    {"tls", "has no certificate", func(c *serve.Config) { c.TLS = serve.TLS{Cert: one.CertFile, Key: one.KeyFile, ClientCA: file} }},
		"no API keys":                  {"auth.keysFile", "no such file", func(c *serve.Config) { c.Auth.KeysFile += ".old" }},
		"no provider":                  {"auth.oidc", "cannot be read", func(c *serve.Config) { c.Auth.OIDC.Issuer = nobody }},
		"no keys of the provider":      {"auth.oidc", "401", func(c *serve.Config) { c.Auth.OIDC.Issuer, c.Auth.OIDC.KeysURL = nobody, late.URL }},
		"a folder that is none":        {"store", "not a directory", func(c *serve.Config) { c.Store.DataDir = file }},
		"a folder behind a link":       {"store", "no such file", func(c *serve.Config) { c.Store.DataDir = linked }},
		"a disk without that folder":   {"disk", "not a directory", func(c *serve.Config) { c.Store.DataDir = filepath.Join(file, "data") }},
		"nowhere to put copies":        {"backup", "cannot be written to", func(c *serve.Config) { c.Backup.Dir = file }},
		"half a key of pages":          {"store.pageKeyFile", "want 32", func(c *serve.Config) { c.Store.PageKeyFile = file }},
		"a DynamoDB that is not there": {"store", "does not respond", func(c *serve.Config) { c.Store = serve.Store{Kind: "dynamodb", Endpoint: nobody} }},
		"a clock that is wrong":        {"clock", "ahead of", func(c *serve.Config) { c.Auth.OIDC.Issuer = late.URL }},
		"no folder of cards":           {"agents.cardFolder", "no such file", func(c *serve.Config) { c.Agents.CardFolder = file + "s" }},
		"no credentials":               {"agents.credentialsFile", file, func(c *serve.Config) { c.Agents.CredentialsFile = file }},
		"a certificate that is early": {"agents.credentialsFile", "for https://bank.example, the certificate is not valid before", func(c *serve.Config) {
			c.Agents.CredentialsFile = future
		}},
		"no Jaeger":                   {"evidence.jaeger", "refused", func(c *serve.Config) { c.Evidence.JaegerURL = nobody }},
		"a Jaeger that wants a token": {"evidence.jaeger", "401", func(c *serve.Config) { c.Evidence.JaegerURL = late.URL }},
		"no CloudWatch": {"evidence.cloudWatch", "refused", func(c *serve.Config) {
			c.Evidence.CloudWatchRegion, c.Evidence.CloudWatchEndpoint = "eu-central-1", nobody
		}},
		"no embeddings": {"routing.embeddings", "HTTP 401", func(c *serve.Config) { c.Routing.EmbeddingsURL, c.Routing.EmbeddingsModel = late.URL, "m" }},
		"no collector":  {"telemetry.otlpEndpoint", "refused", func(c *serve.Config) { c.Telemetry.OTLPEndpoint = nobody }},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c, _ := config(t)
			test.change(&c)
			if f := examined(t, c, test.check); f.Status != doctor.Fail || !strings.Contains(f.Found, test.want) {
				t.Errorf("%s: %+v, want fail with %q", test.check, f, test.want)
			}
		})
	}
}

func TestTheDoctorSaysWhatToDoAboutAStore(t *testing.T) {
	t.Parallel()
	damaged := t.TempDir()
	write(t, filepath.Join(damaged, "quorate.db"), "garbage")
	for dir, want := range map[string]string{
		write(t, filepath.Join(t.TempDir(), "file"), ""): "let that write there",
		damaged: "restore a backup",
	} {
		c, _ := config(t)
		c.Store.DataDir = dir
		if f := examined(t, c, "store"); f.Status != doctor.Fail || !strings.Contains(f.Do, want) {
			t.Errorf("store %s: %+v, want fail and to %q", dir, f, want)
		}
	}
}

// TestTheDoctorKeepsAKeyThatReplicasShare has a file with a key that others may read, too: another key would refuse the page tokens of this one.
func TestTheDoctorKeepsAKeyThatReplicasShare(t *testing.T) {
	t.Parallel()
	c, _ := config(t)
	c.Store.PageKeyFile = write(t, filepath.Join(t.TempDir(), "page.key"), strings.Repeat("ab", 32))
	if err := os.Chmod(c.Store.PageKeyFile, 0o644); err != nil {
		t.Fatal(err)
	}
	if f := examined(t, c, "store.pageKeyFile"); f.Status != doctor.Fail || !strings.HasPrefix(f.Do, "let this user, and no others, read it") {
		t.Errorf("store.pageKeyFile: %+v, want fail and to keep others from it", f)
	}
}

func TestTheDoctorTellsAnotherQuorateFromOurs(t *testing.T) {
	t.Parallel()
	theirs, _ := config(t)
	p := start(t, theirs)
	ours, _ := config(t)
	ours.HTTP.Addr, ours.GRPC.Addr = p.addr, p.grpc
	for _, check := range []string{"http.addr", "grpc.addr"} {
		if f := examined(t, ours, check); f.Status != doctor.Fail || !strings.Contains(f.Found, "another store.dataDir") {
			t.Errorf("%s: %+v, want fail with the store that it does not use", check, f)
		}
	}
}

func TestTheDoctorSeesThatAnotherServerUsesTheFolders(t *testing.T) {
	t.Parallel()
	theirs, _ := config(t)
	theirs.Backup.Dir = filepath.Join(t.TempDir(), "backup")
	start(t, theirs).said(t, "backed up")
	ours, _ := config(t)
	ours.Backup.Dir = theirs.Backup.Dir
	if f := examined(t, ours, "backup"); f.Status != doctor.Fail || !strings.Contains(f.Found, "another server makes copies") {
		t.Errorf("backup: %+v, want fail, since this server would make no copies", f)
	}
	ours.Store.DataDir = theirs.Store.DataDir
	if f := examined(t, ours, "store"); f.Status != doctor.Fail || !strings.Contains(f.Found, "does not serve http.addr") || f.Do == "" {
		t.Errorf("store: %+v, want fail, since this server would not start", f)
	}
}

func TestTheDoctorReachesOtherServers(t *testing.T) {
	t.Parallel()
	others := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/keys":
			_, _ = io.WriteString(w, `{"keys":[{"kty":"OKP","crv":"Ed25519","x":"`+strings.Repeat("B", 42)+`A"}]}`)
		case "/none":
			_, _ = io.WriteString(w, `{"keys":[]}`)
		case "/embeddings":
			_, _ = io.WriteString(w, `{"data":[{"index":0,"embedding":[0.6,0.8]}]}`)
		default: // Jaeger has no such trace
			if r.Header.Get("Authorization") != "Bearer secret" {
				w.WriteHeader(http.StatusUnauthorized)
				return
			}
			w.WriteHeader(http.StatusNotFound)
			_, _ = io.WriteString(w, `{"error":{"httpCode":404,"message":"No traces found"}}`)
		}
	}))
	t.Cleanup(others.Close)
	c, _ := config(t)
	c.Auth.OIDC.Issuer, c.Auth.OIDC.KeysURL = others.URL, others.URL+"/keys"
	c.Routing.EmbeddingsURL, c.Routing.EmbeddingsModel, c.Routing.EmbeddingsTimeout = others.URL, "m", 10*time.Second
	c.Evidence.JaegerURL, c.Evidence.JaegerTokenFile = others.URL, write(t, filepath.Join(t.TempDir(), "token"), "secret")
	c.Telemetry.OTLPEndpoint, c.Telemetry.TraceRatio = new(collector).start(t), 0.1
	for _, name := range []string{"auth.oidc", "routing.embeddings", "evidence.jaeger", "telemetry.otlpEndpoint", "clock"} {
		if f := examined(t, c, name); f.Status != doctor.OK {
			t.Errorf("%s: %+v, want ok", name, f)
		}
	}
	c.Auth.OIDC.KeysURL = others.URL + "/none"
	if f := examined(t, c, "auth.oidc"); f.Status != doctor.Fail || !strings.Contains(f.Found, "publishes no key") {
		t.Errorf("auth.oidc whose provider has no key: %+v, want fail", f)
	}
	c.Telemetry.TraceRatio = 0 // the default
	if f := examined(t, c, "telemetry.otlpEndpoint"); f.Status != doctor.Warn || !strings.Contains(f.Found, "telemetry.traceRatio is 0") {
		t.Errorf("telemetry.otlpEndpoint that gets hardly any spans: %+v, want warn", f)
	}
	c.Routing.EmbeddingsTimeout = -1 // any answer is late
	if f := examined(t, c, "routing.embeddings"); f.Status != doctor.Warn || !strings.Contains(f.Found, "routing.embeddingsTimeout is -1ns") {
		t.Errorf("routing.embeddings that answer later than decisions wait: %+v, want warn", f)
	}
}

func TestTheDoctorLooksForWhomACertificateIs(t *testing.T) {
	t.Parallel()
	c, _ := config(t)
	own := certtest.NewAuthority(t).Issue(t, "quorate")
	c.TLS.Cert, c.TLS.Key = own.CertFile, own.KeyFile
	for url, want := range map[string]doctor.Status{"": doctor.OK, "https://127.0.0.1:8443/q": doctor.OK, "https://other.example": doctor.Warn} {
		c.HTTP.PublicURL = url
		if f := examined(t, c, "tls"); f.Status != want || want == doctor.Warn && !strings.Contains(f.Found, "not for other.example") {
			t.Errorf("tls with the public URL %q: %+v, want %s", url, f, want)
		}
	}
}

func TestTheDoctorSeesThatAServerHasAnotherCertificate(t *testing.T) {
	t.Parallel()
	c, _ := config(t)
	one, other := certtest.NewAuthority(t), certtest.NewAuthority(t)
	c.TLS.Cert, c.TLS.Key = one.CertFile, one.KeyFile
	p := start(t, c)
	c.HTTP.Addr = p.addr
	if f := examined(t, c, "http.addr"); f.Status != doctor.OK {
		t.Errorf("http.addr: %+v, want ok", f)
	}
	c.TLS.Cert, c.TLS.Key = other.CertFile, other.KeyFile
	if f := examined(t, c, "http.addr"); f.Status != doctor.Warn || !strings.Contains(f.Found, "without its certificate") {
		t.Errorf("http.addr of a server with another certificate: %+v, want warn", f)
	}
}

// TestTheDoctorKnowsAServerThatIsReservedForOtherClients has a server whose own certificate is not by the authority of its clients, as is usual.
func TestTheDoctorKnowsAServerThatIsReservedForOtherClients(t *testing.T) {
	t.Parallel()
	c, _ := config(t)
	own, clients := certtest.NewAuthority(t).Issue(t, "quorate"), certtest.NewAuthority(t)
	c.TLS = serve.TLS{Cert: own.CertFile, Key: own.KeyFile, ClientCA: clients.CertFile}
	p := start(t, c)
	c.HTTP.Addr, c.GRPC.Addr = p.addr, p.grpc
	for _, check := range []string{"http.addr", "grpc.addr"} {
		if f := examined(t, c, check); f.Status != doctor.OK {
			t.Errorf("%s: %+v, want ok", check, f)
		}
	}
	if f := examined(t, c, "readiness"); f.Status != doctor.Skip || !strings.Contains(f.Found, "quorate doctor with --cert-file") {
		t.Errorf("readiness: %+v, want skip and how to ask", f)
	}
	another, _ := config(t)
	another.TLS, another.HTTP.Addr, another.GRPC.Addr = c.TLS, p.addr, p.grpc
	if f := examined(t, another, "http.addr"); f.Status != doctor.Fail || !strings.Contains(f.Found, "another store.dataDir") {
		t.Errorf("http.addr with the store of nobody: %+v, want fail", f)
	}
}

// TestTheDoctorDoesNotTakeAServerForAnotherProgram has the certificate of a running server replaced by another one, or by one without its key.
func TestTheDoctorDoesNotTakeAServerForAnotherProgram(t *testing.T) {
	t.Parallel()
	c, _ := config(t)
	one, other := certtest.NewAuthority(t).Issue(t, "one"), certtest.NewAuthority(t).Issue(t, "other")
	c.TLS.Cert, c.TLS.Key = one.CertFile, one.KeyFile
	c.TLS.ClientCA = other.CertFile // which has issued no certificate
	p := start(t, c)
	c.HTTP.Addr, c.GRPC.Addr = p.addr, p.grpc
	for name, files := range map[string][2]string{
		"with another certificate": {other.CertFile, other.KeyFile}, "with half of one": {other.CertFile, one.KeyFile},
	} {
		c.TLS.Cert, c.TLS.Key = files[0], files[1]
		for _, check := range []string{"http.addr", "grpc.addr"} {
			if f := examined(t, c, check); f.Status != doctor.Warn || !strings.Contains(f.Found, "without its certificate") {
				t.Errorf("%s %s: %+v, want warn", check, name, f)
			}
		}
	}
}

func TestTheDoctorSeesAServerThatIsNotReady(t *testing.T) {
	t.Parallel()
	l, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	s := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(http.StatusServiceUnavailable)
		_, _ = io.WriteString(w, `{"status":"not ready","checks":{"store":"the store accepts no writes"}}`)
	}))
	s.Listener = l
	s.Start()
	t.Cleanup(s.Close)
	c, _ := config(t)
	c.HTTP.Addr = l.Addr().String()
	if f := examined(t, c, "readiness"); f.Status != doctor.Fail || !strings.Contains(f.Found, "store: the store accepts no writes") || f.Do == "" {
		t.Errorf("readiness: %+v, want fail with the part that is not ready", f)
	}
}

func TestTheDoctorDoesNotTakeAnotherServerForThisOne(t *testing.T) {
	t.Parallel()
	other, _ := config(t)
	p := start(t, other)
	c, _ := config(t)
	c.HTTP.Addr, c.GRPC.Addr = p.addr, p.grpc
	for name, want := range map[string]doctor.Status{"http.addr": doctor.Fail, "grpc.addr": doctor.Fail, "readiness": doctor.Skip} {
		if f := examined(t, c, name); f.Status != want || !strings.Contains(f.Found, "another store.dataDir") {
			t.Errorf("%s: %+v, want %s, and that the server has another store.dataDir", name, f, want)
		}
	}
}

func TestTheDoctorLooksAtTablesAsAPlanDoes(t *testing.T) {
	t.Parallel()
	c, _ := replicated(t)
	for _, name := range []string{"store", "clock", "store.pageKeyFile"} {
		if f := examined(t, c, name); f.Status != doctor.OK {
			t.Errorf("%s: %+v, want ok", name, f)
		}
	}
	c.Store.TablePrefix = dynamotest.Prefix()
	if f := examined(t, c, "store"); f.Status != doctor.Fail || !strings.Contains(f.Found, "quorate tables apply") {
		t.Errorf("store without tables: %+v, want fail and what to do", f)
	}
	db, err := ddb.Open(t.Context(), ddb.Config{Endpoint: c.Store.Endpoint, TablePrefix: c.Store.TablePrefix})
	if err != nil {
		t.Fatalf("Open() = %v, want no error", err)
	}
	tables := server.Tables()
	for i := range tables {
		tables[i].TTL = ""
	}
	if err := db.Apply(t.Context(), tables, nil); err != nil {
		t.Fatalf("Apply() = %v, want no error", err)
	}
	if f := examined(t, c, "store"); f.Status != doctor.Warn || !strings.Contains(f.Found, "AgentStatus: turn on ttl") {
		t.Errorf("store without ttl: %+v, want warn with what a plan says", f)
	}
}

func TestTheDoctorFindsADamagedStoreAndAFullDisk(t *testing.T) {
	t.Parallel()
	c, _ := config(t)
	p := start(t, c)
	if err := p.stop(); err != nil {
		t.Fatalf("Run() = %v, want no error", err)
	}
	if err := os.Truncate(filepath.Join(c.Store.DataDir, "spans.db"), 20_000); err != nil {
		t.Fatal(err)
	}
	if f := examined(t, c, "store"); f.Status != doctor.Fail || !strings.Contains(f.Found, "spans.db") {
		t.Errorf("store with half a file: %+v, want fail with its name", f)
	}
	for _, test := range []struct {
		least, enough int64
		want          doctor.Status
	}{{0, 0, doctor.OK}, {0, math.MaxInt64, doctor.Warn}, {math.MaxInt64, math.MaxInt64, doctor.Fail}} {
		if f := serve.CheckSpace(c.Store.DataDir, test.least, test.enough); f.Status != test.want {
			t.Errorf("CheckSpace(%d, %d) = %+v, want %s", test.least, test.enough, f, test.want)
		}
	}
}

func TestTheDoctorMissesACopyThatWasNotMade(t *testing.T) {
	t.Parallel()
	c, _ := config(t)
	c.Backup.Dir = t.TempDir()
	for _, test := range []struct {
		ago  time.Duration
		want string
	}{{48 * time.Hour, "a copy has been due for 24h0m0s"}, {time.Hour, "are free"}} {
		if err := os.Mkdir(filepath.Join(c.Backup.Dir, time.Now().Add(-test.ago).UTC().Format("quorate-20060102T150405Z")), 0o700); err != nil {
			t.Fatal(err)
		}
		if f := examined(t, c, "backup"); !strings.Contains(f.Found, test.want) {
			t.Errorf("backup, %s after the last copy: %+v, want %q", test.ago, f, test.want)
		}
	}
}

func TestTheDoctorLeavesNothingBehind(t *testing.T) {
	t.Parallel()
	c, _ := config(t)
	for _, r := range doctor.Run(t.Context(), serve.Checks(c)) {
		if r.Status == doctor.Fail {
			t.Errorf("%s: %+v, want no failure before the first start", r.Name, r.Finding)
		}
	}
	files, err := os.ReadDir(filepath.Dir(c.Store.DataDir))
	if err != nil || len(files) != 1 {
		t.Errorf("the folder has %v, %v, want the keys alone", files, err)
	}
}
