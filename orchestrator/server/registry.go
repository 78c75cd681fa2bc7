package server

import (
	"net/http"
	"time"

	"github.com/quorate/quorate/orchestrator/agentclient"
	"github.com/quorate/quorate/platform/fault"
	"github.com/quorate/quorate/platform/netguard"
	"github.com/quorate/quorate/platform/tasks"
	"github.com/quorate/quorate/registry"
	"github.com/quorate/quorate/registry/catalog"
	"github.com/quorate/quorate/registry/discovery"
)

// Agents says where agents come from besides the API, and what their cards must satisfy.
type Agents struct {
	Sources    []discovery.Source       // where agents are looked for
	Signatures registry.SignaturePolicy // which signatures a card must have; empty is verify-if-present
	Changes    registry.CardChanges     // whose changes of what matters take effect at once; empty is allow
	Strict     bool                     // refuse a rule whose target is not registered, which is otherwise a warning
}

// Sources returns where settings say that agents are looked for: at URLs of cards, in a folder of cards and in catalogs, each of which may be empty.
func Sources(cardURLs []string, cardFolder string, catalogs []string) (list []discovery.Source) {
	if len(cardURLs) > 0 {
		list = append(list, discovery.Source{URLs: cardURLs})
	}
	if cardFolder != "" {
		list = append(list, discovery.Source{Folder: cardFolder})
	}
	for _, u := range catalogs {
		list = append(list, discovery.Source{Catalog: u})
	}
	return list
}

// sourceSettings are the names, in a configuration, of what are fields of a discovery.Source.
var sourceSettings = map[string]string{"urls": "cardURLs", "folder": "cardFolder", "catalog": "catalogs"}

// CheckSources returns an InvalidArgument fault with the reason CONFIG_INVALID that names the setting of the first source that cannot be used.
func CheckSources(sources []discovery.Source) error {
	for i := range sources {
		if err := sources[i].Validate(); err != nil {
			f := fault.From(err)
			return fault.Invalid(sourceSettings[f.Violations[0].Field], "CONFIG_INVALID", "%s", f.Message)
		}
	}
	return nil
}

// Limits on reading a card.
const (
	cardTimeout   = 5 * time.Second
	cardRedirects = 3
)

// openRegistry creates the registry, discovery and the catalog.
func (s *Server) openRegistry(o Options) (err error) {
	client := o.Credentials.Client(o.Policy.Client(netguard.ClientOptions{Timeout: cardTimeout, MaxRedirects: cardRedirects}))
	s.Registry = registry.New(o.Stores.Registry, registry.Options{
		Client: client, Logger: s.logger, Now: o.Stores.Now, Signatures: o.Agents.Signatures, CardChanges: o.Agents.Changes, Strict: o.Agents.Strict,
		Denied: o.Credentials.Denied, Unspoken: agentclient.Unspoken,
	})
	if s.discoverer, err = discovery.New(s.Registry, discovery.Options{Sources: o.Agents.Sources, Client: client, Logger: s.logger}); err != nil {
		return err
	}
	s.catalog, err = catalog.New(s.Registry, o.Stores.Pages, catalog.Options{BaseURL: o.PublicURL, Logger: s.logger})
	return err
}

// registryTasks returns the tasks that keep the registry up to date.
func (s *Server) registryTasks() []tasks.Task {
	return []tasks.Task{
		{Name: "prober", Run: s.Registry.RunProber},
		{Name: "card refresher", Run: s.Registry.RunRefresher},
		{Name: "change log sweeper", Run: s.Registry.RunSweeper},
		{Name: "directory", Run: s.Registry.Directory().Run},
		{Name: "discovery", Run: s.discoverer.Run},
	}
}

// handleCatalog serves the AI Catalog and the search API to which it refers.
func (s *Server) handleCatalog() {
	s.rpc.Handle(catalog.WellKnownPath, s.rpc.Authenticated(http.HandlerFunc(s.catalog.ServeHTTP)))
	search := s.rpc.Authenticated(s.catalog.ARD())
	s.rpc.Handle(catalog.ARDPath+"/", search)
	s.rpc.Handle(catalog.ARDPath, search) // which the catalog names, and would be redirected
}
