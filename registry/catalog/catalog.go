package catalog

import (
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"log/slog"
	"net/http"
	"net/url"
	"regexp"
	"strings"

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

const readChunk = 500

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
		return nil, fault.Invalid("publisher", "CATALOG_INVALID", "the publisher %q is not a domain name", o.Publisher)
	}
	if u, err := url.Parse(o.BaseURL); o.BaseURL != "" && (err != nil || !strings.HasPrefix(u.Scheme, "http") || u.Host == "") {
		return nil, fault.Invalid("base_url", "CATALOG_INVALID", "the base URL %q is not an http or https URL", o.BaseURL)
	}
	o.BaseURL = strings.TrimRight(o.BaseURL, "/")
	return &Catalog{registry: r, pages: pages, options: o}, nil
}

// ServeHTTP answers the AI Catalog of the caller's tenant, for WellKnownPath. It names the search API first and then up to 10,000
// agents in order of name.
func (c *Catalog) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		c.fail(w, r, errMethod)
		return
	}
	body, err := c.document(r)
	if err != nil {
		c.fail(w, r, err)
		return
	}
	hash := sha256.Sum256(body)
	etag := `"` + base64.RawURLEncoding.EncodeToString(hash[:16]) + `"`
	h := w.Header()
	h.Set("ETag", etag)
	h.Set("Cache-Control", "private, max-age=60")
	h.Set("Vary", "Authorization")
	if strings.Contains(r.Header.Get("If-None-Match"), etag) {
		w.WriteHeader(http.StatusNotModified)
		return
	}
	h.Set("Content-Type", typeCatalog)
	h.Set("X-Content-Type-Options", "nosniff")
	if _, err := w.Write(body); err != nil { //nolint:gosec // JSON, and told to be read as nothing else
		return // the client left
	}
}

func (c *Catalog) document(r *http.Request) ([]byte, error) {
	p, err := caller(r)
	if err != nil {
		return nil, err
	}
	where := c.place(r)
	doc := document{SpecVersion: "1.0", Host: host{c.options.DisplayName}, Entries: []entry{where.registry()}}
	bytes := 0
	err = c.each(r.Context(), p.Tenant, func(a *registry.Agent) bool {
		e := where.agent(a)
		delete(e.Metadata, "status") // changes all the time, and a catalog is for keeping
		if bytes += e.size(); bytes > maxBytes {
			return false
		}
		doc.Entries = append(doc.Entries, e)
		return len(doc.Entries) <= maxEntries
	})
	if err != nil {
		return nil, err
	}
	body, err := json.Marshal(doc)
	if err != nil {
		return nil, fmt.Errorf("encoding the catalog: %w", err)
	}
	return body, nil
}

// each calls use for the tenant's agents in order of name until it returns false.
func (c *Catalog) each(ctx context.Context, tenant string, use func(a *registry.Agent) bool) error {
	after := ""
	for {
		agents, err := c.registry.Agents(ctx, tenant, after, readChunk)
		if err != nil {
			return err
		}
		for i := range agents {
			if !use(&agents[i]) {
				return nil
			}
		}
		if len(agents) < readChunk {
			return nil
		}
		after = agents[len(agents)-1].Name
	}
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
	return place{base: base, prefix: ARDPath, publisher: c.options.Publisher}
}

// caller returns who is calling.
func caller(r *http.Request) (auth.Principal, error) {
	p, ok := auth.FromContext(r.Context())
	if !ok {
		return auth.Principal{}, fault.New(fault.Unauthenticated, "TOKEN_MISSING", "a bearer token is needed")
	}
	return p, nil
}
