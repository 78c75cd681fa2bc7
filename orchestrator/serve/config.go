package serve

import (
	"math"
	"net"
	"strconv"
	"strings"
	"time"

	"github.com/quorate/quorate/consultation"
	"github.com/quorate/quorate/consultation/cloudwatch"
	"github.com/quorate/quorate/orchestrator/engine"
	"github.com/quorate/quorate/platform/auth/oidc"
	"github.com/quorate/quorate/platform/fault"
	"github.com/quorate/quorate/platform/netguard"
	"github.com/quorate/quorate/platform/rpcserver"
	"github.com/quorate/quorate/platform/telemetry"
	"github.com/quorate/quorate/registry"
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

// Auth says who may call, besides registered agents with their tokens.
type Auth struct {
	KeysFile string      `yaml:"keysFile" doc:"File with a line for each API key, as printed by quorate keys new; reloaded when it changes."`
	OIDC     oidc.Config `yaml:"oidc"`
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
	TraceRatio   float64 `yaml:"traceRatio" doc:"Share of traces, 0 to 1, that agents are told to record, and that are sent to otlpEndpoint if it is set; those of consultations, and of calls whose callers record them, always are."`
}

// DefaultConfig returns the defaults.
func DefaultConfig() Config {
	return Config{
		HTTP:    HTTP{Addr: "127.0.0.1:8080"},
		GRPC:    GRPC{Addr: "127.0.0.1:9090"},
		Store:   Store{Kind: KindEmbedded, Lease: defaultLease},
		Auth:    Auth{OIDC: oidc.DefaultConfig()},
		Calls:   Calls{Max: rpcserver.DefaultMaxCalls, Connections: rpcserver.DefaultMaxConnections},
		Agents:  Agents{Signatures: string(registry.SignaturesIfPresent), CardChanges: string(registry.CardChangesAllow), MaxExchanges: engine.DefaultExchanges},
		Routing: Routing{EmbeddingsTimeout: defaultEmbeddings},
		Evidence: Evidence{
			Lowest: consultation.LevelRecorded, AnswerWithin: consultation.DefaultTTL, JaegerTimeout: defaultJaegerTimeout,
			CloudWatchGroup: cloudwatch.DefaultGroup, CloudWatchTimeout: defaultCloudWatchTimeout,
		},
		Retention: Retention{Tasks: 30 * 24 * time.Hour},
		Backup:    Backup{Every: defaultEvery, Keep: defaultKeep},
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
	if c.GRPC.Addr == c.HTTP.Addr && !strings.HasSuffix(c.GRPC.Addr, ":0") {
		return invalid("grpc.addr", "%q is http.addr, too: give each a port of its own", c.GRPC.Addr)
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
	if port == "" { // with which any free port would be chosen
		return false, &net.AddrError{Err: "missing port", Addr: addr}
	}
	if number, err := strconv.Atoi(port); err == nil && (number < 0 || number > math.MaxUint16) { // named ports, such as https, are resolved when listening
		return false, &net.AddrError{Err: "invalid port", Addr: addr}
	}
	return netguard.IsLoopback(host), nil
}

// wantURL says what netguard.IsEndpoint accepts. It does not repeat the text, which may hold a password.
const wantURL = "want an http or https URL of a host such as quorate.example, without user, query and fragment"

// Validate refuses a URL that clients cannot use, and names that no request can have.
func (h *HTTP) Validate() error {
	if h.PublicURL != "" && !netguard.IsEndpoint(h.PublicURL) {
		return invalid("publicURL", wantURL)
	}
	for _, name := range h.AllowedHosts {
		if !netguard.IsHost(name) {
			return invalid("allowedHosts", "%q is not the name of a host, such as quorate.example", name)
		}
	}
	return nil
}

// Validate refuses an address that clients cannot use.
func (g *GRPC) Validate() error {
	if g.PublicAddr != "" && !netguard.IsHostPort(g.PublicAddr) {
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
