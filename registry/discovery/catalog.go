package discovery

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"time"

	"github.com/quorate/quorate/platform/bounded"
	"github.com/quorate/quorate/registry"
	"github.com/quorate/quorate/registry/agentcard"
)

// Limits of a catalog, including those nested in it.
const (
	maxCatalogBytes   = 4 << 20 // of one document
	maxCatalogDepth   = 4       // as the AI Catalog specification recommends
	maxCatalogs       = 50
	maxCatalogEntries = 5000
	maxIdentifier     = 256 // bytes of an entry's identifier by which it is known
	catalogTimeout    = 10 * time.Second
)

const wellKnownCatalog = "/.well-known/ai-catalog.json"

// walk collects the agents of a catalog and of nested ones. An entry that cannot be used, such as a nested catalog that cannot be read, is noted and left
// out.
type walk struct {
	reader   *reader
	urls     []string          // of cards
	inline   map[string][]byte // cards by the place of their entry
	places   []string          // of the cards in inline, in order
	unusable map[string]error  // by the place of an entry: why it cannot be used
	visited  map[string]bool   // URLs of catalogs
	entries  int
}

// readCatalog reads a catalog and the cards in it. An agent is gone when the catalog no longer names it, or when reading its card has failed several
// times in a row.
func (r *reader) readCatalog(ctx context.Context) {
	source := registry.Source{Type: registry.SourceAICatalog, Location: r.source.Catalog}
	w := &walk{reader: r, inline: make(map[string][]byte), unusable: make(map[string]error), visited: make(map[string]bool)}
	if err := w.fetch(ctx, r.source.Catalog, 1); err != nil {
		r.unreadable(ctx, source, err)
		return
	}
	r.failures = 0
	slices.Sort(w.urls)
	w.urls = slices.Compact(w.urls)
	r.rank(slices.Concat(w.urls, w.places))
	inTurns(ctx, w.urls, func(uri string) { r.readURL(ctx, uri, source) })
	for _, place := range w.places { // in order: of several cards of an agent, each replica has to take the same one
		r.card(ctx, r.state(place), place, registry.Found{RawCard: w.inline[place], Source: source})
	}
	for place, why := range w.unusable {
		r.failed(ctx, r.state(place), place, why)
	}
	if ctx.Err() != nil {
		return
	}
	r.forget(func(id string) bool {
		return w.inline[id] != nil || w.unusable[id] != nil || slices.Contains(w.urls, id)
	})
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
	return w.document(ctx, raw, uri, base, depth)
}

// document collects the entries of one document, which is at a place and whose URLs may be relative to base.
func (w *walk) document(ctx context.Context, raw []byte, place string, base *url.URL, depth int) error {
	entries, err := entriesOf(raw)
	if err != nil {
		return fmt.Errorf("catalog %s: %w", place, err)
	}
	if w.entries+len(entries) > maxCatalogEntries {
		return fmt.Errorf("catalog %s: with it there are more than %d entries", place, maxCatalogEntries)
	}
	w.entries += len(entries)
	for i, raw := range entries {
		e, err := readEntry(raw)
		at := w.placeOf(place, i, e.Identifier)
		if err == nil {
			err = w.entry(ctx, &e, at, base, depth)
		}
		if err != nil {
			w.unusable[at] = err
		}
	}
	return nil
}

// placeOf returns what identifies an entry within the source: its identifier, which stays when other entries come and go, or its index when it has none
// of its own.
func (w *walk) placeOf(document string, index int, identifier string) string {
	if n := len(identifier); n > 0 && n <= maxIdentifier {
		place := fmt.Sprintf("%s entry %q", document, identifier)
		if w.inline[place] == nil && w.unusable[place] == nil {
			return place
		}
	}
	return fmt.Sprintf("%s entries[%d]", document, index)
}

// entry collects what is behind an entry, whose place identifies it within the source.
func (w *walk) entry(ctx context.Context, e *entry, place string, base *url.URL, depth int) error {
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
		w.inline[place], w.places = e.Data, append(w.places, place)
	case embedded:
		return w.document(ctx, e.Data, place, base, depth+1)
	case e.URL == "" || err != nil || agentcard.CheckURL(target.String()) != nil:
		return errors.New("it has neither data nor a usable URL")
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
