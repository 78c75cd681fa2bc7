package discovery

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/quorate/quorate/platform/bounded"
	"github.com/quorate/quorate/platform/fault"
	"github.com/quorate/quorate/registry"
	"github.com/quorate/quorate/registry/jws"
)

// Limits of a catalog, including those nested in it.
const (
	maxCatalogBytes   = 4 << 20 // of one document
	maxCatalogDepth   = 4       // as the AI Catalog specification recommends
	maxCatalogs       = 50
	maxCatalogEntries = 5000
	catalogTimeout    = 10 * time.Second
)

const (
	wellKnownCatalog = "/.well-known/ai-catalog.json"
	typeCard         = "application/a2a-agent-card+json"
	typeCatalog      = "application/ai-catalog+json"
)

// catalog is an AI Catalog document, as far as it matters here.
type catalog struct {
	SpecVersion string  `json:"specVersion"`
	Entries     []entry `json:"entries"`
}

type entry struct {
	Identifier string          `json:"identifier"`
	Type       string          `json:"type"`
	MediaType  string          `json:"mediaType"` // the name of type before version 1.0
	URL        string          `json:"url"`
	Data       json.RawMessage `json:"data"`
}

func (e *entry) kind() string {
	kind, _, _ := strings.Cut(cmp.Or(e.Type, e.MediaType), ";")
	return strings.ToLower(strings.TrimSpace(kind))
}

// walk collects the agents of a catalog and of nested ones.
type walk struct {
	reader  *reader
	urls    []string          // of cards
	inline  map[string][]byte // cards by identifier
	visited map[string]bool   // URLs of catalogs
	entries int
}

// readCatalog reads a catalog and the cards in it. An agent is gone when the catalog no longer names it, or when reading its card has failed several
// times in a row.
func (r *reader) readCatalog(ctx context.Context) {
	source := registry.Source{Type: registry.SourceAICatalog, Location: r.source.Catalog}
	w := &walk{reader: r, inline: make(map[string][]byte), visited: make(map[string]bool)}
	if err := w.fetch(ctx, r.source.Catalog, 1); err != nil {
		r.unreadable(ctx, source, err)
		return
	}
	r.failures = 0
	slices.Sort(w.urls)
	w.urls = slices.Compact(w.urls)
	inTurns(ctx, w.urls, func(uri string) { r.readURL(ctx, uri, source) })
	for id, raw := range w.inline {
		r.card(ctx, r.state(id), r.source.Catalog+" "+id, registry.Found{RawCard: raw, Source: source})
	}
	if ctx.Err() != nil {
		return
	}
	r.forget(func(id string) bool { return w.inline[id] != nil || slices.Contains(w.urls, id) })
	r.markMissing(ctx, source)
}

// fetch reads the catalog at uri unless it was read already, so that catalogs may refer to each other.
func (w *walk) fetch(ctx context.Context, uri string, depth int) error {
	where, err := url.Parse(uri)
	if err != nil {
		return fmt.Errorf("catalog %q: it is not a URL", uri)
	}
	if where.Path == "" || where.Path == "/" {
		where.Path = wellKnownCatalog
	}
	if uri = where.String(); w.visited[uri] {
		return nil
	}
	if len(w.visited) == maxCatalogs {
		return fmt.Errorf("there are more than %d catalogs in it", maxCatalogs)
	}
	w.visited[uri] = true
	raw, base, err := w.reader.document(ctx, uri)
	if err != nil {
		return fmt.Errorf("catalog %s: %w", uri, err)
	}
	return w.document(ctx, raw, base, depth)
}

// document collects the entries of one document, whose URLs may be relative to base.
func (w *walk) document(ctx context.Context, raw []byte, base *url.URL, depth int) error {
	var c catalog
	if err := json.Unmarshal(raw, &c); err != nil || c.SpecVersion == "" {
		return fmt.Errorf("catalog %s: it is not an AI Catalog", base)
	}
	if _, err := jws.Canonical(raw); err != nil { // duplicate keys, for example
		return fmt.Errorf("catalog %s: it can be read in more than one way: %w", base, err)
	}
	if w.entries += len(c.Entries); w.entries > maxCatalogEntries {
		return fmt.Errorf("there are more than %d entries in it", maxCatalogEntries)
	}
	for i := range c.Entries {
		if err := w.entry(ctx, &c.Entries[i], base, depth); err != nil {
			return err
		}
	}
	return nil
}

func (w *walk) entry(ctx context.Context, e *entry, base *url.URL, depth int) error {
	kind := e.kind()
	if kind != typeCard && kind != typeCatalog { // of the types that a catalog can have, only these matter here
		return nil
	}
	if kind == typeCatalog && depth == maxCatalogDepth {
		return fmt.Errorf("catalogs are nested more than %d levels deep", maxCatalogDepth)
	}
	embedded := len(e.Data) > 0 && !bytes.Equal(e.Data, []byte("null"))
	target, err := base.Parse(e.URL)
	switch {
	case embedded && kind == typeCard:
		w.inline["data:"+e.Identifier] = e.Data
	case embedded:
		return w.document(ctx, e.Data, base, depth+1)
	case e.URL == "" || err != nil || registry.CheckURL(target.String()) != nil:
		return fmt.Errorf("the entry %q has neither data nor a usable URL", fault.Clip(e.Identifier))
	case kind == typeCard:
		w.urls = append(w.urls, target.String())
	default:
		return w.fetch(ctx, target.String(), depth+1)
	}
	return nil
}

// document reads a catalog document through the guarded client. base is where redirects have led, which its relative URLs go by (RFC 3986, section
// 5.1.3).
func (r *reader) document(ctx context.Context, uri string) (raw []byte, base *url.URL, err error) {
	ctx, cancel := context.WithTimeout(ctx, catalogTimeout)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, uri, http.NoBody)
	if err != nil {
		return nil, nil, errors.New("it is not a URL")
	}
	request.Header.Set("Accept", typeCatalog+", application/json")
	response, err := r.client.Do(request)
	if err != nil {
		return nil, nil, err
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK {
		return nil, nil, fmt.Errorf("it answered %s", response.Status)
	}
	raw, err = bounded.Read(response.Body, "it", maxCatalogBytes)
	return raw, response.Request.URL, err
}
