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

// Config is the configuration of `quorate dev`.
type Config struct {
	HTTPAddr     string   `yaml:"httpAddr" doc:"Address of REST, A2A over HTTP and OTLP/HTTP; port 0 chooses a free one."`
	GRPCAddr     string   `yaml:"grpcAddr" doc:"Address of gRPC and OTLP/gRPC; port 0 chooses a free one."`
	WebfetchAddr string   `yaml:"webfetchAddr" doc:"Address of the web-fetch agent; port 0 chooses a free one."`
	DataDir      string   `yaml:"dataDir" doc:"Folder of the embedded store and the token file."`
	PortsFile    string   `yaml:"portsFile" doc:"File that is written as JSON with the addresses once everything is ready; empty for none."`
	Browser      string   `yaml:"browser" doc:"Whether web-fetch shows pages that need scripts in Chromium: auto (when it is found), off, or no-sandbox, which root needs."`
	CardURLs     []string `yaml:"cardUrls" doc:"URLs of agent cards; their agents are registered and read again every 5 minutes."`
	CardFolder   string   `yaml:"cardFolder" doc:"Folder whose *.json files are agent cards."`
	Catalogs     []string `yaml:"catalogs" doc:"URLs of AI Catalogs; the agents they name are registered."`
	Credentials  string   `yaml:"agentCredentials" doc:"YAML file with the credentials that agents are shown, each for one origin; it names where secrets are and holds none."`
	Signatures   string   `yaml:"signatures" doc:"What a card's signature must be: off, verify-if-present or require."`
	PassThrough  []string `yaml:"passThrough" doc:"Agents whose A2A calls go to them as they came, not kept as tasks: those without rules and required inputs; * names all."`
	LogLevel     string   `yaml:"logLevel" doc:"debug, info, warn or error."`
	LogFormat    string   `yaml:"logFormat" doc:"text or json."`
}

// DefaultConfig returns the configuration of a plain `quorate dev`.
func DefaultConfig() Config {
	return Config{
		HTTPAddr:     "127.0.0.1:8080",
		GRPCAddr:     "127.0.0.1:9090",
		WebfetchAddr: "127.0.0.1:9000",
		DataDir:      DefaultDataDir(),
		Browser:      "auto",
		Signatures:   string(registry.SignaturesIfPresent),
		LogLevel:     "warn",
		LogFormat:    "text",
	}
}

// Validate implements the check that platform/config runs on what it has loaded.
func (c *Config) Validate() error {
	if c.DataDir == "" {
		return fault.Invalid("dataDir", "CONFIG_INVALID", "there is no data folder: set --data-dir (no home folder is known to choose one)")
	}
	if !registry.SignaturePolicy(c.Signatures).Valid() {
		return fault.Invalid("signatures", "CONFIG_INVALID", "%q is not off, verify-if-present or require", c.Signatures)
	}
	if !slices.Contains([]string{"auto", "off", "no-sandbox"}, c.Browser) {
		return fault.Invalid("browser", "CONFIG_INVALID", "%q is not auto, off or no-sandbox", c.Browser)
	}
	logs := telemetry.Config{LogLevel: c.LogLevel, LogFormat: c.LogFormat}
	if err := logs.Validate(); err != nil {
		return err
	}
	for field, addr := range map[string]string{"httpAddr": c.HTTPAddr, "grpcAddr": c.GRPCAddr, "webfetchAddr": c.WebfetchAddr} {
		if err := checkLoopback(field, addr); err != nil {
			return err
		}
	}
	return nil
}

// sources are the places that the configuration names.
func (c *Config) sources() ([]discovery.Source, error) {
	var list []discovery.Source
	if len(c.CardURLs) > 0 {
		list = append(list, discovery.Source{URLs: c.CardURLs})
	}
	if c.CardFolder != "" {
		folder, err := filepath.Abs(c.CardFolder)
		if err != nil {
			return nil, fault.Invalid("cardFolder", "CONFIG_INVALID", "the folder %q is no path: %s", c.CardFolder, err)
		}
		list = append(list, discovery.Source{Folder: folder})
	}
	for _, u := range c.Catalogs {
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
