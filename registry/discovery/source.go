package discovery

import (
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/quorate/quorate/platform/auth"
	"github.com/quorate/quorate/platform/fault"
	"github.com/quorate/quorate/registry"
	"github.com/quorate/quorate/registry/agentcard"
)

// Limits of the configuration.
const (
	maxSources    = 100
	maxURLs       = 1000
	minInterval   = time.Second
	maxInterval   = 24 * time.Hour
	usualInterval = 5 * time.Minute
)

// Source is a place where agents are found. Exactly one of URLs, Folder and Catalog is set.
type Source struct {
	URLs     []string      `yaml:"urls" doc:"URLs of agent cards; one without a path means /.well-known/agent-card.json. At most 1000."`
	Folder   string        `yaml:"folder" doc:"Absolute path of a folder whose *.json files are agent cards."`
	Catalog  string        `yaml:"catalog" doc:"URL of an AI Catalog; one without a path means /.well-known/ai-catalog.json."`
	Tenant   string        `yaml:"tenant" doc:"Tenant that the agents belong to; empty means default."`
	Interval time.Duration `yaml:"interval" doc:"How often it is read again, 1s to 24h; 0 means 5m."`
}

// Validate returns an InvalidArgument fault with the reason CONFIG_INVALID if the source cannot be used.
func (s *Source) Validate() error {
	kinds := 0
	for _, set := range []bool{len(s.URLs) > 0, s.Folder != "", s.Catalog != ""} {
		if set {
			kinds++
		}
	}
	switch {
	case kinds != 1:
		return invalid("urls", "a source has exactly one of urls, folder and catalog")
	case len(s.URLs) > maxURLs:
		return invalid("urls", "a source has at most %d URLs", maxURLs)
	case s.Folder != "" && !filepath.IsAbs(s.Folder):
		return invalid("folder", "the folder %q is not an absolute path", s.Folder)
	case s.Interval != 0 && (s.Interval < minInterval || s.Interval > maxInterval):
		return invalid("interval", "the interval %s is not from %s to %s", s.Interval, minInterval, maxInterval)
	}
	if err := (auth.Principal{Name: "any", Tenant: s.tenant()}).Check(); err != nil { // nobody could see the agents
		return invalid("tenant", "%v", err)
	}
	if s.Catalog != "" {
		return checkURL("catalog", s.Catalog)
	}
	for _, text := range s.URLs {
		if err := checkURL("urls", text); err != nil {
			return err
		}
	}
	return nil
}

func checkURL(field, text string) error {
	if err := agentcard.CheckURL(text); err != nil {
		shown := text[strings.LastIndexByte(text, '@')+1:] // without a password
		return invalid(field, "the URL %q cannot be used: %v", fault.Clip(shown), err)
	}
	return nil
}

func invalid(field, format string, args ...any) error {
	return fault.Invalid(field, "CONFIG_INVALID", format, args...)
}

func (s *Source) tenant() string {
	if s.Tenant == "" {
		return auth.DefaultTenant
	}
	return s.Tenant
}

// interval returns how often the source is read.
func (s *Source) interval() time.Duration {
	if s.Interval == 0 {
		return usualInterval
	}
	return s.Interval
}

// has reports whether the agent was found in this source.
func (s *Source) has(a *registry.Agent) bool {
	if a.Tenant != s.tenant() {
		return false
	}
	switch a.Source.Type {
	case registry.SourceURLs:
		return slices.Contains(s.URLs, a.Source.Location)
	case registry.SourceFolder:
		return s.Folder != "" && a.Source.Location == filepath.Clean(s.Folder)
	case registry.SourceAICatalog:
		return s.Catalog != "" && a.Source.Location == s.Catalog
	}
	return false
}
