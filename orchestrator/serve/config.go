package serve

import (
	"math"
	"net"
	"net/url"
	"path/filepath"
	"strconv"
	"time"

	"github.com/quorate/quorate/consultation"
	"github.com/quorate/quorate/consultation/cloudwatch"
	"github.com/quorate/quorate/orchestrator/engine"
	"github.com/quorate/quorate/orchestrator/server"
	"github.com/quorate/quorate/platform/auth/oidc"
	"github.com/quorate/quorate/platform/ddb"
	"github.com/quorate/quorate/platform/fault"
	"github.com/quorate/quorate/platform/netguard"
	"github.com/quorate/quorate/platform/rpcserver"
	"github.com/quorate/quorate/platform/telemetry"
	"github.com/quorate/quorate/registry"
	"github.com/quorate/quorate/registry/discovery"
)

// Config is the configuration of `quorate serve`.
type Config struct {
	HTTP      HTTP      `yaml:"http"`
	GRPC      GRPC      `yaml:"grpc"`
	TLS       TLS       `yaml:"tls"`
	Store     Store     `yaml:"store"`
	Auth      Auth      `yaml:"auth"`
	Calls     Calls     `yaml:"calls"`
	Agents    Agents    `yaml:"agents"`
	Push      Push      `yaml:"push"`
	Routing   Routing   `yaml:"routing"`
	Evidence  Evidence  `yaml:"evidence"`
	Retention Retention `yaml:"retention"`
	Backup    Backup    `yaml:"backup"`
	Telemetry Telemetry `yaml:"telemetry"`
}

// HTTP configures the port for REST, A2A over HTTP, OTLP/HTTP, health and metrics.
type HTTP struct {
	Addr         string   `yaml:"addr" doc:"Address to listen on."`
	PublicURL    string   `yaml:"publicURL" doc:"URL at which clients reach it, for agent cards; empty: the URL by which the card was requested."`
	AllowedHosts []string `yaml:"allowedHosts" doc:"Host names in requests, besides that of publicURL, localhost and the address itself; requests for other hosts are refused."`
}

// GRPC configures the port for gRPC and OTLP/gRPC.
type GRPC struct {
	Addr       string `yaml:"addr" doc:"Address to listen on."`
	PublicAddr string `yaml:"publicAddr" doc:"Host and port at which clients reach it, for agent cards."`
}

// TLS configures both ports.
type TLS struct {
	Cert      string `yaml:"cert" doc:"File with the certificate chain (PEM); reloaded when it changes."`
	Key       string `yaml:"key" doc:"File with the certificate's private key (PEM)."`
	ClientCA  string `yaml:"clientCA" doc:"File with certificates of authorities (PEM); clients then need a certificate by one of them in addition to a token."`
	Plaintext bool   `yaml:"plaintext" doc:"Serve without TLS on addresses other than loopback: only behind a proxy that terminates TLS."`
}

// Store configures where data is kept.
type Store struct {
	Kind        string        `yaml:"kind" doc:"embedded: in a folder, for one process. dynamodb: for any number of replicas."`
	DataDir     string        `yaml:"dataDir" doc:"Folder of the embedded store; no other process may use it."`
	Region      string        `yaml:"region" doc:"AWS region of the tables; empty: from AWS's own configuration."`
	Endpoint    string        `yaml:"endpoint" doc:"URL of an emulator or a private endpoint; empty: from AWS's own configuration, which may select a FIPS endpoint (AWS_USE_FIPS_ENDPOINT)."`
	TablePrefix string        `yaml:"tablePrefix" doc:"Prefix of the names of all tables, such as prod-."`
	Lease       time.Duration `yaml:"lease" doc:"How long a silent replica keeps its tasks before others take them over, 3s to 1m."`
	PageKeyFile string        `yaml:"pageKeyFile" doc:"File with the 32 random bytes (or 64 hexadecimal digits) that sign page tokens, the same for all replicas; the embedded store makes its own when this is empty."`
}

// Kinds of stores.
const (
	KindEmbedded = "embedded"
	KindDynamoDB = "dynamodb"

	minLease = 3 * time.Second
	maxLease = time.Minute

	minExchanges = 16
	maxExchanges = 1_000_000
)

// Auth says who may call, besides registered agents with their tokens.
type Auth struct {
	KeysFile string      `yaml:"keysFile" doc:"File with a line for each API key, as printed by quorate keys new; reloaded when it changes."`
	OIDC     oidc.Config `yaml:"oidc"`
}

// Agents says where agents come from besides the API, and at which addresses they may be.
type Agents struct {
	CardURLs      []string `yaml:"cardURLs" doc:"URLs of agent cards; the agents are registered, and the cards read again every 5 minutes."`
	CardFolder    string   `yaml:"cardFolder" doc:"Absolute path of a folder whose *.json files are agent cards."`
	Catalogs      []string `yaml:"catalogs" doc:"URLs of AI Catalogs; the agents they name are registered."`
	Signatures    string   `yaml:"signatures" doc:"Policy for the signatures of cards: off, verify-if-present or require."`
	CardChanges   string   `yaml:"cardChanges" doc:"allow: what agents change in their cards and schemas, themselves or through their servers, takes effect at once. confirm: an admin approves it first, except texts."`
	Strict        bool     `yaml:"strict" doc:"Refuse rules whose target agent is not registered, and names that look like another agent's."`
	PassThrough   []string `yaml:"passThrough" doc:"Agents whose A2A calls are passed on unchanged instead of becoming tasks; * means all. Agents with rules or required inputs are excepted."`
	AllowOrigins  []string `yaml:"allowOrigins" doc:"Exact host:port of agents on private addresses; all others must have public addresses."`
	AllowLoopback bool     `yaml:"allowLoopback" doc:"Allow agents on loopback addresses of this machine."`

	MaxExchanges int `yaml:"maxExchanges" doc:"Maximum number of tasks that are with agents at a time, 16 to 1000000; others wait. One agent may have as many as are still free."`

	CredentialsFile string `yaml:"credentialsFile" doc:"YAML file with credentials for calls to agents, each for one origin; it refers to secrets and contains none."`
}

// Push says to which addresses push notifications may be sent. These are not those of agents: dispatchers choose receivers, with path and credentials.
type Push struct {
	AllowOrigins []string `yaml:"allowOrigins" doc:"Exact host:port of receivers of push notifications on private or loopback addresses; all others must have public addresses."`
}

// Routing configures routing by text. Without an endpoint, words and examples decide.
type Routing struct {
	EmbeddingsURL     string        `yaml:"embeddingsURL" doc:"Base URL of an OpenAI-compatible embeddings endpoint, such as https://api.openai.com/v1, that is used when words do not decide; empty for none."`
	EmbeddingsModel   string        `yaml:"embeddingsModel" doc:"Model to ask for."`
	EmbeddingsKeyFile string        `yaml:"embeddingsKeyFile" doc:"File with the endpoint's API key; empty for none."`
	EmbeddingsTimeout time.Duration `yaml:"embeddingsTimeout" doc:"How long a decision waits for the endpoint, 10ms to 2s; after that it is made without it."`
}

// Retention says how long finished tasks and consultations are kept.
type Retention struct {
	Tasks    time.Duration `yaml:"tasks" doc:"How long a task is kept after it ended; 0 is for ever."`
	Evidence time.Duration `yaml:"evidence" doc:"How long a consultation and its evidence are kept after it was requested; longer than any task takes; 0 is for ever."`
}

// Telemetry configures logs and traces of the process itself.
type Telemetry struct {
	LogLevel     string  `yaml:"logLevel" doc:"debug, info, warn or error."`
	LogFormat    string  `yaml:"logFormat" doc:"text or json."`
	OTLPEndpoint string  `yaml:"otlpEndpoint" doc:"URL of an OTLP/gRPC receiver for our own spans; empty for none."`
	TraceRatio   float64 `yaml:"traceRatio" doc:"Share of traces that are recorded, 0 to 1; consultations always are."`
}

// DefaultConfig returns the defaults.
func DefaultConfig() Config {
	return Config{
		HTTP:    HTTP{Addr: "127.0.0.1:8080"},
		GRPC:    GRPC{Addr: "127.0.0.1:9090"},
		Store:   Store{Kind: KindEmbedded, Lease: 10 * time.Second},
		Auth:    Auth{OIDC: oidc.DefaultConfig()},
		Calls:   Calls{Max: rpcserver.DefaultMaxCalls, Connections: rpcserver.DefaultMaxConnections},
		Agents:  Agents{Signatures: string(registry.SignaturesIfPresent), CardChanges: string(registry.CardChangesAllow), MaxExchanges: engine.DefaultExchanges},
		Routing: Routing{EmbeddingsTimeout: 150 * time.Millisecond},
		Evidence: Evidence{
			Lowest: consultation.LevelRecorded, AnswerWithin: consultation.DefaultTTL, JaegerTimeout: 2 * time.Second, CloudWatchGroup: cloudwatch.DefaultGroup, CloudWatchTimeout: 10 * time.Second,
		},
		Retention: Retention{Tasks: 30 * 24 * time.Hour},
		Backup:    Backup{Every: 24 * time.Hour, Keep: 7},
		Telemetry: Telemetry{LogLevel: "info", LogFormat: "json"},
	}
}

func invalid(field, format string, args ...any) error {
	return fault.Invalid(field, "CONFIG_INVALID", format, args...)
}

// Validate refuses combinations that cannot be applied: no setting is ignored silently.
func (c *Config) Validate() error {
	for field, addr := range map[string]string{"http.addr": c.HTTP.Addr, "grpc.addr": c.GRPC.Addr} {
		local, err := loopback(addr)
		if err != nil {
			return invalid(field, "%q is not an address: write host:port, for example 0.0.0.0:8080", addr)
		}
		if !local && c.TLS.Cert == "" && !c.TLS.Plaintext {
			return invalid(field, "%q is not a loopback address and there is no TLS: set tls.cert and tls.key, or tls.plaintext: true behind a proxy that terminates TLS", addr)
		}
	}
	if c.Auth.KeysFile == "" && c.Auth.OIDC.Issuer == "" {
		return invalid("auth.keysFile", "nobody could call: set auth.keysFile (quorate keys new makes a key) or auth.oidc")
	}
	if c.Backup.Dir != "" && c.Store.Kind != KindEmbedded {
		return invalid("backup.dir", "only the embedded store is copied; for DynamoDB turn on point-in-time recovery, and remove backup")
	}
	return c.Backup.apartFrom(c.Store.DataDir)
}

// loopback reports whether an address is reachable from this machine only.
func loopback(addr string) (bool, error) {
	host, port, err := net.SplitHostPort(addr)
	if err != nil {
		return false, err
	}
	if number, err := strconv.Atoi(port); err == nil && (number < 0 || number > math.MaxUint16) { // named ports, such as https, are resolved when listening
		return false, &net.AddrError{Err: "invalid port", Addr: addr}
	}
	return netguard.IsLoopback(host), nil
}

// Validate refuses a URL that clients cannot use.
func (h *HTTP) Validate() error {
	if u, err := url.Parse(h.PublicURL); h.PublicURL != "" && (err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https") {
		return invalid("publicURL", "%q is not an http or https URL", h.PublicURL)
	}
	return nil
}

// Validate refuses an address that clients cannot use.
func (g *GRPC) Validate() error {
	if _, _, err := net.SplitHostPort(g.PublicAddr); g.PublicAddr != "" && err != nil {
		return invalid("publicAddr", "%q is not host:port", g.PublicAddr)
	}
	return nil
}

// Validate refuses incomplete settings, such as a certificate without a key.
func (t *TLS) Validate() error {
	switch {
	case (t.Cert == "") != (t.Key == ""):
		return invalid("cert", "set both cert and key")
	case t.ClientCA != "" && t.Cert == "":
		return invalid("clientCA", "certificates of clients need TLS: set cert and key")
	case t.Cert != "" && t.Plaintext:
		return invalid("plaintext", "there is a certificate: take plaintext away, or cert and key")
	}
	return nil
}

// Validate refuses settings of the other kind of store, which would be ignored.
func (s *Store) Validate() error {
	switch {
	case s.Kind == KindEmbedded && s.DataDir == "":
		return invalid("dataDir", "the embedded store needs a folder")
	case s.Kind == KindEmbedded && s.Region+s.Endpoint+s.TablePrefix != "":
		return invalid("kind", "region, endpoint and tablePrefix are for kind: dynamodb")
	case s.Kind == KindDynamoDB && s.DataDir != "":
		return invalid("dataDir", "dataDir is for kind: embedded")
	case s.Kind == KindDynamoDB && s.PageKeyFile == "":
		return invalid("pageKeyFile", "replicas share the key of page tokens: make one with openssl rand -hex 32, and give every replica the same file")
	case s.Lease < minLease || s.Lease > maxLease:
		return invalid("lease", "%s is not from %s to %s", s.Lease, minLease, maxLease)
	case s.Kind == KindDynamoDB:
		return s.dynamoDB().Validate()
	case s.Kind != KindEmbedded:
		return invalid("kind", "%q is not embedded or dynamodb", s.Kind)
	}
	return nil
}

func (s *Store) dynamoDB() ddb.Config {
	return ddb.Config{Region: s.Region, Endpoint: s.Endpoint, TablePrefix: s.TablePrefix}
}

// Validate refuses a policy or a source that cannot be applied.
func (a *Agents) Validate() error {
	if !registry.SignaturePolicy(a.Signatures).Valid() {
		return invalid("signatures", "%q is not off, verify-if-present or require", a.Signatures)
	}
	if !registry.CardChanges(a.CardChanges).Valid() {
		return invalid("cardChanges", "%q is not allow or confirm", a.CardChanges)
	}
	if a.MaxExchanges < minExchanges || a.MaxExchanges > maxExchanges {
		return invalid("maxExchanges", "%d is not from %d to %d", a.MaxExchanges, minExchanges, maxExchanges)
	}
	if a.CardFolder != "" && !filepath.IsAbs(a.CardFolder) {
		return invalid("cardFolder", "%q is not an absolute path", a.CardFolder)
	}
	if err := checkOrigins(a.AllowOrigins); err != nil {
		return err
	}
	return server.CheckSources(a.sources())
}

// Validate refuses an origin that is none.
func (p *Push) Validate() error { return checkOrigins(p.AllowOrigins) }

func checkOrigins(list []string) error {
	for _, origin := range list {
		if _, _, err := net.SplitHostPort(origin); err != nil {
			return invalid("allowOrigins", "%q is not host:port", origin)
		}
	}
	return nil
}

// sources returns the configured sources of agents.
func (a *Agents) sources() (list []discovery.Source) {
	if len(a.CardURLs) > 0 {
		list = append(list, discovery.Source{URLs: a.CardURLs})
	}
	if a.CardFolder != "" {
		list = append(list, discovery.Source{Folder: a.CardFolder})
	}
	for _, u := range a.Catalogs {
		list = append(list, discovery.Source{Catalog: u})
	}
	return list
}

const (
	minEmbeddings = 10 * time.Millisecond
	maxEmbeddings = 2 * time.Second
)

// Validate refuses an incomplete endpoint.
func (r *Routing) Validate() error {
	u, err := url.Parse(r.EmbeddingsURL)
	switch {
	case r.EmbeddingsURL == "" && r.EmbeddingsModel+r.EmbeddingsKeyFile != "":
		return invalid("embeddingsURL", "embeddingsModel and embeddingsKeyFile need embeddingsURL")
	case r.EmbeddingsURL != "" && (err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https"):
		return invalid("embeddingsURL", "%q is not an http or https URL", r.EmbeddingsURL)
	case r.EmbeddingsURL != "" && r.EmbeddingsModel == "":
		return invalid("embeddingsModel", "say which model is asked for")
	case r.EmbeddingsKeyFile != "" && !netguard.IsPrivateURL(r.EmbeddingsURL):
		return invalid("embeddingsKeyFile", "a key is sent over TLS only: embeddingsURL must be https")
	case r.EmbeddingsTimeout < minEmbeddings || r.EmbeddingsTimeout > maxEmbeddings:
		return invalid("embeddingsTimeout", "%s is not from %s to %s", r.EmbeddingsTimeout, minEmbeddings, maxEmbeddings)
	}
	return nil
}

const (
	minTasksKept    = time.Minute
	minEvidenceKept = 31 * 24 * time.Hour // a task takes 30 days at most, and its gates need the evidence until its end
)

// Validate refuses retention times shorter than data is needed.
func (r *Retention) Validate() error {
	switch {
	case r.Tasks != 0 && r.Tasks < minTasksKept:
		return invalid("tasks", "%s is less than %s; 0 is for ever", r.Tasks, minTasksKept)
	case r.Evidence != 0 && r.Evidence < minEvidenceKept:
		return invalid("evidence", "%s is less than %s; 0 is for ever", r.Evidence, minEvidenceKept)
	}
	return nil
}

// Validate refuses values that telemetry cannot apply.
func (t *Telemetry) Validate() error {
	c := t.config()
	return c.Validate()
}

func (t *Telemetry) config() telemetry.Config {
	return telemetry.Config{ServiceName: "quorate", LogLevel: t.LogLevel, LogFormat: t.LogFormat, OTLPEndpoint: t.OTLPEndpoint, TraceRatio: t.TraceRatio}
}
