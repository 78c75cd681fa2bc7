package dev

import (
	"os"
	"path/filepath"
	"slices"

	"github.com/quorate/quorate/platform/config"
	"github.com/quorate/quorate/platform/fault"
	"github.com/quorate/quorate/platform/telemetry"
	"github.com/quorate/quorate/registry"
	"github.com/quorate/quorate/registry/discovery"
)

// Config is the configuration of `quorate dev`. What `quorate serve` has too has the same name there.
type Config struct {
	HTTP      HTTP      `yaml:"http"`
	GRPC      GRPC      `yaml:"grpc"`
	Webfetch  Webfetch  `yaml:"webfetch"`
	Store     Store     `yaml:"store"`
	Agents    Agents    `yaml:"agents"`
	Telemetry Telemetry `yaml:"telemetry"`
	PortsFile string    `yaml:"portsFile" doc:"File that is written as JSON with the addresses once everything is ready; empty for none."`
}

// HTTP is the door of REST, A2A over HTTP and OTLP/HTTP.
type HTTP struct {
	Addr string `yaml:"addr" doc:"Address of REST, A2A over HTTP and OTLP/HTTP; port 0 chooses a free one."`
}

// GRPC is the door of gRPC and OTLP/gRPC.
type GRPC struct {
	Addr string `yaml:"addr" doc:"Address of gRPC and OTLP/gRPC; port 0 chooses a free one."`
}

// Webfetch is the web-fetch agent.
type Webfetch struct {
	Addr    string `yaml:"addr" doc:"Address of the web-fetch agent; port 0 chooses a free one."`
	Browser string `yaml:"browser" doc:"Whether web-fetch shows pages that need scripts in Chromium: auto (when it is found), off, or no-sandbox, which root needs."`
}

// Store says where everything is kept.
type Store struct {
	DataDir string `yaml:"dataDir" doc:"Folder of the embedded store and the token file."`
}

// Agents says where agents come from besides the API.
type Agents struct {
	CardURLs    []string `yaml:"cardURLs" doc:"URLs of agent cards; their agents are registered and read again every 5 minutes."`
	CardFolder  string   `yaml:"cardFolder" doc:"Folder whose *.json files are agent cards."`
	Catalogs    []string `yaml:"catalogs" doc:"URLs of AI Catalogs; the agents they name are registered."`
	Signatures  string   `yaml:"signatures" doc:"What a card's signature must be: off, verify-if-present or require."`
	PassThrough []string `yaml:"passThrough" doc:"Agents whose A2A calls go to them as they came, not kept as tasks: those without rules and required inputs; * names all."`

	CredentialsFile string `yaml:"credentialsFile" doc:"YAML file with the credentials that agents are shown, each for one origin; it names where secrets are and holds none."`
}

// Telemetry says what is told about the process.
type Telemetry struct {
	LogLevel  string `yaml:"logLevel" doc:"debug, info, warn or error."`
	LogFormat string `yaml:"logFormat" doc:"text or json."`
}

// DefaultConfig returns the configuration of a plain `quorate dev`.
func DefaultConfig() Config {
	return Config{
		HTTP:      HTTP{Addr: "127.0.0.1:8080"},
		GRPC:      GRPC{Addr: "127.0.0.1:9090"},
		Webfetch:  Webfetch{Addr: "127.0.0.1:9000", Browser: "auto"},
		Store:     Store{DataDir: DefaultDataDir()},
		Agents:    Agents{Signatures: string(registry.SignaturesIfPresent)},
		Telemetry: Telemetry{LogLevel: "warn", LogFormat: "text"},
	}
}

// Validate implements the check that platform/config runs on what it has loaded.
func (c *Config) Validate() error {
	if c.Store.DataDir == "" {
		return fault.Invalid("store.dataDir", "CONFIG_INVALID", "there is no data folder: set --data-dir (no home folder is known to choose one)")
	}
	if !registry.SignaturePolicy(c.Agents.Signatures).Valid() {
		return fault.Invalid("agents.signatures", "CONFIG_INVALID", "%q is not off, verify-if-present or require", c.Agents.Signatures)
	}
	if !slices.Contains([]string{"auto", "off", "no-sandbox"}, c.Webfetch.Browser) {
		return fault.Invalid("webfetch.browser", "CONFIG_INVALID", "%q is not auto, off or no-sandbox", c.Webfetch.Browser)
	}
	for field, addr := range map[string]string{"http.addr": c.HTTP.Addr, "grpc.addr": c.GRPC.Addr, "webfetch.addr": c.Webfetch.Addr} {
		if err := checkLoopback(field, addr); err != nil {
			return err
		}
	}
	return nil
}

// Validate refuses what telemetry could not apply.
func (t *Telemetry) Validate() error {
	c := t.config()
	return c.Validate()
}

func (t *Telemetry) config() telemetry.Config {
	return telemetry.Config{ServiceName: "quorate", LogLevel: t.LogLevel, LogFormat: t.LogFormat}
}

// sources are the places that the configuration names.
func (a *Agents) sources() ([]discovery.Source, error) {
	var list []discovery.Source
	if len(a.CardURLs) > 0 {
		list = append(list, discovery.Source{URLs: a.CardURLs})
	}
	if a.CardFolder != "" {
		folder, err := filepath.Abs(a.CardFolder)
		if err != nil {
			return nil, fault.Invalid("agents.cardFolder", "CONFIG_INVALID", "the folder %q is no path: %s", a.CardFolder, err)
		}
		list = append(list, discovery.Source{Folder: folder})
	}
	for _, u := range a.Catalogs {
		list = append(list, discovery.Source{Catalog: u})
	}
	return list, nil
}

// DefaultDataDir is quorate/dev in the user's state folder (XDG_STATE_HOME, or .local/state in the home folder); empty when there is neither.
func DefaultDataDir() string {
	if dir := config.Env("XDG_STATE_HOME"); filepath.IsAbs(dir) {
		return filepath.Join(dir, "quorate", "dev")
	}
	home, err := os.UserHomeDir()
	if err != nil {
		return ""
	}
	return filepath.Join(home, ".local", "state", "quorate", "dev")
}

// DefaultTokenFile is where `quorate dev` with the default data folder keeps the admin's token.
func DefaultTokenFile() string { return TokenFile(DefaultDataDir()) }

// TokenFile is where `quorate dev` keeps the admin's token in a data folder; empty for no folder.
func TokenFile(dataDir string) string {
	if dataDir == "" {
		return ""
	}
	return filepath.Join(dataDir, "token")
}
