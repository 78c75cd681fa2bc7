package catalog

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"iter"
	"log/slog"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/quorate/quorate/platform/auth"
	"github.com/quorate/quorate/platform/fault"
	"github.com/quorate/quorate/platform/page"
	"github.com/quorate/quorate/registry"
)

// Paths where the handlers are meant to be.
const (
	WellKnownPath = "/.well-known/ai-catalog.json"
	ARDPath       = "/ard"
)

// Limits of the catalog; the search API has the agents beyond them.
const (
	maxEntries = 10_000
	maxBytes   = 16 << 20
)

// Options are the optional settings of a Catalog.
type Options struct {
	// BaseURL is the origin that clients reach this server at, such as https://agents.example.com. Empty: that of each request.
	BaseURL string
	// Publisher is the domain name in agents' identifiers (urn:air:PUBLISHER:agent:NAME). Empty: agent.localhost, which the URN
	// guide of ARD reserves for agents that are published nowhere else.
	Publisher string
	// DisplayName is how the host is shown; empty: Quorate.
	DisplayName string
	Logger      *slog.Logger // nil discards
}

// Catalog publishes a registry.
type Catalog struct {
	registry *registry.Registry
	pages    *page.Codec
	options  Options
	rendered cache
}

var publisherPattern = regexp.MustCompile(`^[A-Za-z0-9.-]{1,253}$`)

// New returns a catalog of r that makes its page tokens with pages.
func New(r *registry.Registry, pages *page.Codec, o Options) (*Catalog, error) {
	if o.Publisher == "" {
		o.Publisher = "agent.localhost"
	}
	if o.DisplayName == "" {
		o.DisplayName = "Quorate"
	}
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
	if !publisherPattern.MatchString(o.Publisher) {
		return nil, fault.Invalid("publisher", "CONFIG_INVALID", "the publisher %q is not a domain name", o.Publisher)
	}
	if u, err := url.Parse(o.BaseURL); o.BaseURL != "" && (err != nil || !strings.HasPrefix(u.Scheme, "http") || u.Host == "") {
		return nil, fault.Invalid("base_url", "CONFIG_INVALID", "the base URL %q is not an http or https URL", o.BaseURL)
	}
	o.BaseURL = strings.TrimRight(o.BaseURL, "/")
	return &Catalog{registry: r, pages: pages, options: o}, nil
}

// ServeHTTP answers the AI Catalog of the caller's tenant, for WellKnownPath, or 304 to a caller that has it already. It names the search
// API first and then up to 10,000 agents in order of name.
func (c *Catalog) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.Method != http.MethodGet { // also of a request for HEAD, which a Server hands on as GET
		c.refuseMethod(w, r, http.MethodGet)
		return
	}
	doc, err := c.document(r)
	if err != nil {
		c.fail(w, r, err)
		return
	}
	h := w.Header()
	h.Set("ETag", doc.etag)
	h.Set("Cache-Control", "private, max-age=60")
	h.Set("Vary", "Authorization")
	h.Set("Content-Type", typeCatalog)
	h.Set("X-Content-Type-Options", "nosniff")
	http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(doc.body))
}

// document returns the AI Catalog, which is made anew when an agent has changed.
func (c *Catalog) document(r *http.Request) (rendered, error) {
	p, err := caller(r)
	if err != nil {
		return rendered{}, err
	}
	directory, where := c.registry.Directory(), c.place(r)
	if err := directory.Sync(r.Context(), p.Tenant); err != nil {
		return rendered{}, err
	}
	if kept, ok := c.rendered.get(p.Tenant, where.base, directory.Edition(p.Tenant)); ok {
		return kept, nil
	}
	listing := directory.Listing(p.Tenant)
	body, err := c.render(where, listing.Agents)
	if err != nil {
		return rendered{}, err
	}
	made := rendered{base: where.base, edition: listing.Edition, body: body, etag: etagOf(body)}
	c.rendered.put(p.Tenant, made)
	return made, nil
}

func (c *Catalog) render(where place, agents []*registry.Agent) ([]byte, error) {
	doc := document{SpecVersion: "1.0", Host: host{c.options.DisplayName}, Entries: []entry{where.registry()}}
	bytes := 0
	for _, a := range agents {
		e := where.agent(a)
		delete(e.Metadata, "status") // changes all the time, and a catalog is for keeping
		if bytes += e.size(); bytes > maxBytes || len(doc.Entries) > maxEntries {
			break
		}
		doc.Entries = append(doc.Entries, e)
	}
	body, err := json.Marshal(doc)
	if err != nil {
		return nil, fmt.Errorf("encoding the catalog: %w", err)
	}
	return body, nil
}

// agents returns the tenant's agents behind after in order of name, with their status, as the directory knows them.
func (c *Catalog) agents(ctx context.Context, tenant, after string) (iter.Seq[*registry.Agent], error) {
	directory := c.registry.Directory()
	if err := directory.Sync(ctx, tenant); err != nil {
		return nil, err
	}
	list := directory.Listing(tenant).Agents
	first, found := slices.BinarySearchFunc(list, after, func(a *registry.Agent, name string) int { return strings.Compare(a.Name, name) })
	if found {
		first++
	}
	return func(yield func(*registry.Agent) bool) {
		for _, a := range list[first:] {
			if shown, ok := directory.Agent(tenant, a.Name); ok && !yield(&shown) {
				return
			}
		}
	}, nil
}

// place returns where the agents are published, as this client sees it.
func (c *Catalog) place(r *http.Request) place {
	base := c.options.BaseURL
	if base == "" {
		base = "http://" + r.Host
		if r.TLS != nil {
			base = "https://" + r.Host
		}
	}
	return place{base: base, publisher: c.options.Publisher}
}

// caller returns who is calling.
func caller(r *http.Request) (auth.Principal, error) {
	p, ok := auth.FromContext(r.Context())
	if !ok {
		return auth.Principal{}, fault.New(fault.Unauthenticated, "TOKEN_MISSING", "a bearer token is needed")
	}
	return p, nil
}
