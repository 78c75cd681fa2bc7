package dev

import (
	"os"
	"path/filepath"
	"slices"

	"github.com/quorate/quorate/orchestrator/server"
	"github.com/quorate/quorate/platform/config"
	"github.com/quorate/quorate/platform/fault"
	"github.com/quorate/quorate/platform/telemetry"
	"github.com/quorate/quorate/registry"
	"github.com/quorate/quorate/registry/discovery"
)

// Config is the configuration of `quorate dev`. Settings that `quorate serve` has too have the same names there.
type Config struct {
	HTTP      HTTP      `yaml:"http"`
	GRPC      GRPC      `yaml:"grpc"`
	Webfetch  Webfetch  `yaml:"webfetch"`
	Store     Store     `yaml:"store"`
	Agents    Agents    `yaml:"agents"`
	Telemetry Telemetry `yaml:"telemetry"`
	PortsFile string    `yaml:"portsFile" doc:"JSON file to write the addresses to when everything is ready; empty for none."`
}

// HTTP configures the port for REST, A2A over HTTP and OTLP/HTTP.
type HTTP struct {
	Addr string `yaml:"addr" doc:"Address of REST, A2A over HTTP and OTLP/HTTP; port 0 chooses a free one."`
}

// GRPC configures the port for gRPC and OTLP/gRPC.
type GRPC struct {
	Addr string `yaml:"addr" doc:"Address of gRPC and OTLP/gRPC; port 0 chooses a free one."`
}

// Webfetch configures the web-fetch agent.
type Webfetch struct {
	Addr    string `yaml:"addr" doc:"Address of the web-fetch agent; port 0 chooses a free one."`
	Browser string `yaml:"browser" doc:"Whether web-fetch renders pages that need scripts in Chromium: auto (if it is installed), off, or no-sandbox, which root needs."`
}

// Store configures where data is kept.
type Store struct {
	DataDir string `yaml:"dataDir" doc:"Folder of the embedded store and the token file."`
}

// Agents says where agents come from besides the API.
type Agents struct {
	CardURLs    []string `yaml:"cardURLs" doc:"URLs of agent cards; the agents are registered, and the cards read again every 5 minutes."`
	CardFolder  string   `yaml:"cardFolder" doc:"Folder whose *.json files are agent cards."`
	Catalogs    []string `yaml:"catalogs" doc:"URLs of AI Catalogs; the agents they name are registered."`
	Signatures  string   `yaml:"signatures" doc:"Policy for the signatures of cards: off, verify-if-present or require."`
	CardChanges string   `yaml:"cardChanges" doc:"allow: what agents change in their cards and schemas, themselves or through their servers, takes effect at once. confirm: an admin approves it first, except texts."`
	PassThrough []string `yaml:"passThrough" doc:"Agents whose A2A calls are passed on unchanged instead of becoming tasks; * means all. Agents with rules, agents that rules name, and agents with required inputs are excepted. Callers get each other's tasks of such an agent by their ids."`

	CredentialsFile string `yaml:"credentialsFile" doc:"YAML file with credentials for calls to agents, each for one origin; it refers to secrets and contains none."`
}

// Telemetry configures the log.
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
		Store:     Store{DataDir: defaultDataDir()},
		Agents:    Agents{Signatures: string(registry.SignaturesIfPresent), CardChanges: string(registry.CardChangesAllow)},
		Telemetry: Telemetry{LogLevel: "warn", LogFormat: "text"},
	}
}

// Validate is called by platform/config after loading.
func (c *Config) Validate() error {
	if c.Store.DataDir == "" {
		return fault.Invalid("store.dataDir", "CONFIG_INVALID", "there is no data folder: set --data-dir (no home folder is known to choose one)")
	}
	if !registry.SignaturePolicy(c.Agents.Signatures).Valid() {
		return fault.Invalid("agents.signatures", "CONFIG_INVALID", "%q is not off, verify-if-present or require", c.Agents.Signatures)
	}
	if !registry.CardChanges(c.Agents.CardChanges).Valid() {
		return fault.Invalid("agents.cardChanges", "CONFIG_INVALID", "%q is not allow or confirm", c.Agents.CardChanges)
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

// Validate refuses values that telemetry cannot apply.
func (t *Telemetry) Validate() error {
	c := t.config()
	return c.Validate()
}

func (t *Telemetry) config() telemetry.Config {
	return telemetry.Config{ServiceName: "quorate", LogLevel: t.LogLevel, LogFormat: t.LogFormat}
}

// Validate refuses a source that cannot be used.
func (a *Agents) Validate() error {
	sources, err := a.sources()
	if err != nil {
		return err
	}
	return server.CheckSources(sources)
}

func (a *Agents) sources() (list []discovery.Source, err error) {
	folder := a.CardFolder
	if folder != "" {
		if folder, err = filepath.Abs(folder); err != nil {
			return nil, fault.Invalid("cardFolder", "CONFIG_INVALID", "the folder %q is no path: %s", a.CardFolder, err)
		}
	}
	return server.Sources(a.CardURLs, folder, a.Catalogs), nil
}

// defaultDataDir returns quorate/dev in the user's state folder (XDG_STATE_HOME, or .local/state in the home folder), or "" when there is neither.
func defaultDataDir() string {
	if dir := config.Env("XDG_STATE_HOME"); filepath.IsAbs(dir) {
		return filepath.Join(dir, "quorate", "dev")
	}
	home, err := os.UserHomeDir()
	if err != nil {
		return ""
	}
	return filepath.Join(home, ".local", "state", "quorate", "dev")
}

// DefaultTokenFile returns the file of the admin's token of a `quorate dev` with the default data folder.
func DefaultTokenFile() string { return TokenFile(defaultDataDir()) }

// TokenFile returns the file in a data folder where `quorate dev` keeps the admin's token, or "" without a folder.
func TokenFile(dataDir string) string {
	if dataDir == "" {
		return ""
	}
	return filepath.Join(dataDir, "token")
}
