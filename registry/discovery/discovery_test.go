package discovery_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/quorate/quorate/platform/boltdb"
	"github.com/quorate/quorate/platform/fault"
	"github.com/quorate/quorate/registry"
	"github.com/quorate/quorate/registry/discovery"
	"github.com/quorate/quorate/registry/embedded"
	"github.com/quorate/quorate/registry/registrytest"
)

// web is a fake internet: it answers with what is put there and otherwise with 404.
type web struct {
	mu    sync.Mutex
	pages map[string]string // guarded by mu
	asked map[string]int    // guarded by mu; how often each URL was asked for in full
	slow  string            // a URL that is answered after a second
}

// away is the page of a server that cannot be reached.
const away = "away"

func newWeb() *web { return &web{pages: make(map[string]string), asked: make(map[string]int)} }

func (w *web) put(url, body string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if body == "" {
		delete(w.pages, url)
		return
	}
	w.pages[url] = body
}

func (w *web) reads(url string) int {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.asked[url]
}

// RoundTrip answers; the page's own text is its ETag.
func (w *web) RoundTrip(r *http.Request) (*http.Response, error) {
	if r.URL.String() == w.slow {
		<-time.After(time.Second)
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	url := r.URL.String()
	body, ok := w.pages[url]
	etag := `"` + strings.ReplaceAll(body, `"`, "'") + `"`
	answer := &http.Response{StatusCode: http.StatusOK, Status: "200 OK", Request: r, Header: http.Header{}, Body: io.NopCloser(strings.NewReader(body))}
	switch {
	case body == away:
		return nil, errors.New("connection refused")
	case !ok:
		answer.StatusCode, answer.Status = http.StatusNotFound, "404 Not Found"
	case strings.HasPrefix(body, "https://"): // the page has moved there
		answer.StatusCode, answer.Status = http.StatusFound, "302 Found"
		answer.Header.Set("Location", body)
	case r.Header.Get("If-None-Match") == etag:
		answer.StatusCode, answer.Status, answer.Body = http.StatusNotModified, "304 Not Modified", http.NoBody
	default:
		answer.Header.Set("ETag", etag)
		w.asked[url]++
	}
	return answer, nil
}

// card returns a card of the agent with a skill.
func card(name, skill string) string {
	return `{"name":"` + name + `","version":"1.0.0","url":"https://` + name + `.example/rpc","skills":[{"id":"` + skill + `"}]}`
}

// minute is the interval of the sources of these tests.
const minute = time.Minute

// finding runs discovery in fake time over a registry, while test runs.
func finding(t *testing.T, source discovery.Source, w *web, test func(t *testing.T, r *registry.Registry)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		client := &http.Client{Transport: w}
		r := registrytest.New(t, registry.Options{Client: client})
		stop := run(t, r, source, client)
		test(t, r)
		stop()
	})
}

func run(t *testing.T, r *registry.Registry, source discovery.Source, client *http.Client) (stop func()) {
	t.Helper()
	return runAll(t, r, client, io.Discard, source)
}

// runAll runs discovery over several sources, which logs into log.
func runAll(t *testing.T, r *registry.Registry, client *http.Client, log io.Writer, sources ...discovery.Source) (stop func()) {
	t.Helper()
	for i := range sources {
		sources[i].Interval = minute
	}
	d, err := discovery.New(r, discovery.Options{Sources: sources, Client: client, Logger: slog.New(slog.NewTextHandler(log, nil))})
	if err != nil {
		t.Fatalf("New() = %v, want no error", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() { done <- d.Run(ctx) }()
	synctest.Wait()
	return func() {
		cancel()
		if err := <-done; err != nil {
			t.Errorf("Run() = %v, want nil", err)
		}
	}
}

// pass lets the source be read n times.
func pass(n int) {
	<-time.After(time.Duration(n) * (minute + 6*time.Second))
	synctest.Wait()
}

// want compares all agents, each as "name skill version", with a minus in front of those that are gone.
func want(t *testing.T, r *registry.Registry, when string, agents ...string) {
	t.Helper()
	list, err := r.Agents(t.Context(), "default", "", 100)
	var got []string
	for i := range list {
		line := list[i].Name + " " + list[i].Card.Skills[0].ID
		if list[i].Source.Gone {
			line = "-" + line
		}
		got = append(got, line)
	}
	if err != nil || cmp.Diff(agents, got) != "" {
		t.Errorf("Agents() %s = %v, difference (-want +got):\n%s", when, err, cmp.Diff(agents, got))
	}
}

func TestAListOfURLs(t *testing.T) {
	t.Parallel()
	const one, two = "https://one.example/.well-known/agent-card.json", "https://two.example/card.json"
	w := newWeb()
	w.put(one, card("one", "a"))
	finding(t, discovery.Source{URLs: []string{"https://one.example", two}}, w, func(t *testing.T, r *registry.Registry) {
		t.Helper()
		want(t, r, "at once", "one a")
		first, err := r.Agent(t.Context(), "default", "one")
		if err != nil || first.CardURI != one || first.Status.Status != registry.StatusAvailable || first.Source.Type != registry.SourceURLs ||
			first.Source.Location != "https://one.example" || !first.Source.SeenTime.Equal(time.Now()) {
			t.Errorf("Agent(one) = %+v, %v, want it available, found and seen now", first, err)
		}
		w.put(two, card("two", "b"))
		pass(1)
		want(t, r, "when another one is there", "one a", "two b")
		reads := w.reads(one)
		pass(5)
		if w.reads(one) != reads {
			t.Errorf("the card was read in full %d times more, want it asked for with validators", w.reads(one)-reads)
		}
		w.put(one, card("one", "new"))
		pass(1)
		want(t, r, "when a card is another one", "one new", "two b")
		w.put(two, "")
		pass(1)
		want(t, r, "when a server fails once", "one new", "two b")
		pass(3)
		want(t, r, "when a server fails again and again", "one new", "-two b")
		w.put(two, card("two", "b"))
		pass(1)
		want(t, r, "when it is back", "one new", "two b")
	})
}

// A server that answers "not changed" speaks of the card that it gave, not of the one that the agent has by now.
func TestWhatAnAdminBringsIsNotTakenForTheCardOfTheSource(t *testing.T) {
	t.Parallel()
	const uri = "https://one.example/card.json"
	w := newWeb()
	w.put(uri, card("one", "a"))
	finding(t, discovery.Source{URLs: []string{uri}}, w, func(t *testing.T, r *registry.Registry) {
		t.Helper()
		pass(1)
		if got := w.reads(uri); got != 1 {
			t.Errorf("the card was read %d times, want 1: it has not changed", got)
		}
		if _, err := r.Apply(t.Context(), "default", registry.Application{Registration: registry.Registration{RawCard: []byte(card("one", "b"))}}); err != nil {
			t.Fatalf("Apply() = %v, want no error", err)
		}
		want(t, r, "after an admin changed the card", "one b")
		pass(1)
		want(t, r, "after the source was read again", "one a")

		if err := r.Once(registry.Retry{}).Delete(t.Context(), "default", "one", ""); err != nil {
			t.Fatalf("Delete() = %v, want no error", err)
		}
		if _, _, err := r.Register(t.Context(), "default", registry.Registration{RawCard: []byte(card("one", "c"))}); err != nil {
			t.Fatalf("Register() = %v, want no error", err)
		}
		pass(1)
		a, err := r.Agent(t.Context(), "default", "one")
		if err != nil || a.Card.Skills[0].ID != "c" || a.Status.Status != registry.StatusUnknown {
			t.Errorf("Agent() of an admin's agent = skills %v, status %v, %v, want c, unknown: what answers is another agent of this name", a.Card.Skills, a.Status, err)
		}
	})
}

func TestAURLThatIsListedTwiceIsReadOnce(t *testing.T) {
	t.Parallel()
	const uri = "https://one.example/card.json"
	w := newWeb()
	w.put(uri, card("one", "a"))
	finding(t, discovery.Source{URLs: []string{uri, uri, uri, uri}}, w, func(t *testing.T, r *registry.Registry) {
		t.Helper()
		want(t, r, "at once", "one a")
		if got := w.reads(uri); got != 1 {
			t.Errorf("the card was read %d times, want 1", got)
		}
	})
}

// into returns a function that writes a file of a folder.
func into(t *testing.T, folder string) func(name, content string) {
	t.Helper()
	return func(name, content string) {
		t.Helper()
		if err := os.WriteFile(filepath.Join(folder, name), []byte(content), 0o600); err != nil {
			t.Fatalf("WriteFile() = %v, want no error", err)
		}
	}
}

func TestAFolderOfCards(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	write := into(t, folder)
	outside := filepath.Join(t.TempDir(), "outside.json")
	if err := os.WriteFile(outside, []byte(card("outside", "x")), 0o600); err != nil {
		t.Fatalf("WriteFile() = %v, want no error", err)
	}
	if err := os.Symlink(outside, filepath.Join(folder, "link.json")); err != nil {
		t.Fatalf("Symlink() = %v, want no error", err)
	}
	write("a.json", card("a", "x"))
	write("a2.json", card("a", "y"))
	write("b.json", card("b", "x"))
	write("notes.txt", card("c", "x"))
	write(".hidden.json", card("d", "x"))
	finding(t, discovery.Source{Folder: folder + "/"}, newWeb(), func(t *testing.T, r *registry.Registry) {
		t.Helper()
		want(t, r, "at once", "a x", "b x")
		pass(5)
		if a, err := r.Agent(t.Context(), "default", "a"); err != nil || a.LatestVersion != 1 || a.Source.Location != folder {
			t.Errorf("Agent(a) = version %d from %q, %v, want 1 from %s: two files must not take turns", a.LatestVersion, a.Source.Location, err, folder)
		}
		write("a.json", card("a", "z"))
		write("b.json", "{")
		pass(5)
		want(t, r, "when one is new and one cannot be read", "a z", "b x")
		if err := os.Remove(filepath.Join(folder, "b.json")); err != nil {
			t.Fatalf("Remove() = %v, want no error", err)
		}
		pass(1)
		want(t, r, "when a file is gone", "a z", "-b x")
		if err := os.Rename(folder, folder+"-moved"); err != nil {
			t.Fatalf("Rename() = %v, want no error", err)
		}
		pass(1)
		want(t, r, "when the folder cannot be read", "a z", "-b x")
		pass(3)
		want(t, r, "when the folder is gone for good", "-a z", "-b x")
		if err := os.Rename(folder+"-moved", folder); err != nil {
			t.Fatalf("Rename() = %v, want no error", err)
		}
		pass(1)
		want(t, r, "when the folder is back", "a z", "-b x")
	})
}

func TestFilesMayExchangeTheirAgents(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	write := into(t, folder)
	write("1.json", card("a", "x"))
	write("2.json", card("b", "x"))
	finding(t, discovery.Source{Folder: folder}, newWeb(), func(t *testing.T, r *registry.Registry) {
		t.Helper()
		want(t, r, "at once", "a x", "b x")
		write("1.json", card("b", "y"))
		write("2.json", card("a", "y"))
		pass(2)
		want(t, r, "when each file has the other's agent", "a y", "b y")
		write("1.json", card("c", "x"))
		write("3.json", card("b", "z"))
		pass(2)
		want(t, r, "when a file has a new agent, and another one that of the first", "a y", "b z", "c x")
	})
}

func TestACardThatIsNotTakenIsNamed(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	file := filepath.Join(folder, "broken.json")
	if err := os.WriteFile(file, []byte("{"), 0o600); err != nil {
		t.Fatalf("WriteFile() = %v, want no error", err)
	}
	synctest.Test(t, func(t *testing.T) {
		var log strings.Builder
		d, err := discovery.New(registrytest.New(t, registry.Options{}), discovery.Options{
			Sources: []discovery.Source{{Folder: folder, Interval: minute}}, Logger: slog.New(slog.NewTextHandler(&log, nil)),
		})
		if err != nil {
			t.Fatalf("New() = %v, want no error", err)
		}
		ctx, cancel := context.WithTimeout(t.Context(), minute/2)
		defer cancel()
		if err := d.Run(ctx); err != nil || !strings.Contains(log.String(), "card="+file) {
			t.Errorf("Run() = %v and logged %q, want %s named", err, log.String(), file)
		}
	})
}

const catalogURL = "https://c.example/.well-known/ai-catalog.json"

func TestACatalogWithNestedOnes(t *testing.T) {
	t.Parallel()
	w := newWeb()
	const agentType, catalogType = `"type":"application/a2a-agent-card+json"`, `"type":"application/ai-catalog+json"`
	catalog := func(entries ...string) string {
		return `{"specVersion":"1.0","entries":[` + strings.Join(entries, ",") + `]}`
	}
	byURL := `{"identifier":"urn:air:c:one","displayName":"One","url":"/one.json",` + agentType + `}`
	old := `{"identifier":"urn:air:c:old","mediaType":"application/a2a-agent-card+json","data":null,"url":"https://old.example/card"}`
	both := `{"identifier":"urn:air:c:both","mediaType":"application/a2a-agent-card+json","url":"https://both.example/card",` + agentType + `}`
	inline := `{"identifier":"urn:air:c:two","data":` + card("two", "b") + `,` + agentType + `}`
	nested := `{"identifier":"urn:air:c:more","url":"https://d.example/more.json",` + catalogType + `}`
	inner := `{"identifier":"urn:air:c:in","data":` + catalog(`{"identifier":"x","data":`+card("four", "d")+`,`+agentType+`}`) + `,` + catalogType + `}`
	tool := `{"identifier":"urn:air:c:tool","url":"https://c.example/tool","type":"application/mcp-server-card+json"}`
	back := `{"identifier":"urn:air:c:back","url":"` + catalogURL + `",` + catalogType + `}`
	w.put(catalogURL, catalog(byURL, old, both, inline, nested, inner, tool))
	w.put("https://c.example/one.json", card("one", "a"))
	w.put("https://old.example/card", card("old", "o"))
	w.put("https://both.example/card", card("both", "o"))
	w.put("https://c.example/tool", "{}")
	w.put("https://d.example/more.json", catalog(`{"identifier":"y","data":`+card("three", "c")+`,`+agentType+`}`, back))
	finding(t, discovery.Source{Catalog: "https://c.example"}, w, func(t *testing.T, r *registry.Registry) {
		t.Helper()
		want(t, r, "at once", "both o", "four d", "old o", "one a", "three c", "two b")
		if tools, catalogs := w.reads("https://c.example/tool"), w.reads(catalogURL); tools != 0 || catalogs != 1 {
			t.Errorf("what is no agent was read %d times, and a catalog that another one names %d times, want 0 and 1", tools, catalogs)
		}
		if a, err := r.Agent(t.Context(), "default", "three"); err != nil || a.Source.Type != registry.SourceAICatalog || a.Source.Location != "https://c.example" {
			t.Errorf("Agent(three).Source = %+v, %v, want the catalog of the configuration", a.Source, err)
		}
		w.put(catalogURL, catalog(byURL, strings.Replace(inline, `"b"`, `"new"`, 1)))
		pass(1)
		want(t, r, "when entries are gone", "-both o", "-four d", "-old o", "one a", "-three c", "two new")
		w.put("https://c.example/one.json", "")
		pass(1)
		want(t, r, "when a card fails once", "-both o", "-four d", "-old o", "one a", "-three c", "two new")
		pass(3)
		want(t, r, "when a card fails again and again", "-both o", "-four d", "-old o", "-one a", "-three c", "two new")
		w.put(catalogURL, "<html>")
		pass(1)
		want(t, r, "when the catalog fails once", "-both o", "-four d", "-old o", "-one a", "-three c", "two new")
		pass(3)
		want(t, r, "when the catalog is gone", "-both o", "-four d", "-old o", "-one a", "-three c", "-two new")
	})
}

// TestACatalogThatHasMoved is read at another host, which has the cards too.
func TestACatalogThatHasMoved(t *testing.T) {
	t.Parallel()
	w := newWeb()
	w.put(catalogURL, "https://new.example/catalogs/all.json")
	w.put("https://new.example/catalogs/all.json", `{"specVersion":"1.0","entries":[{"identifier":"x","url":"one.json","type":"application/a2a-agent-card+json"}]}`)
	w.put("https://new.example/catalogs/one.json", card("one", "a"))
	finding(t, discovery.Source{Catalog: catalogURL}, w, func(t *testing.T, r *registry.Registry) {
		t.Helper()
		want(t, r, "of a catalog with relative URLs behind a redirect", "one a")
	})
}

// nested returns a catalog of so many levels, with an agent in the last.
func nested(levels int) string {
	body := `{"specVersion":"1.0","entries":[{"identifier":"x","type":"application/a2a-agent-card+json","data":` + card("deep", "x") + `}]}`
	for range levels - 1 {
		body = `{"specVersion":"1.0","entries":[{"identifier":"n","type":"application/ai-catalog+json","data":` + body + `}]}`
	}
	return body
}

func TestACatalogMayBeNestedFourLevelsDeep(t *testing.T) {
	t.Parallel()
	w := newWeb()
	w.put(catalogURL, nested(4))
	finding(t, discovery.Source{Catalog: catalogURL}, w, func(t *testing.T, r *registry.Registry) {
		t.Helper()
		want(t, r, "at once", "deep x")
	})
}

func TestACatalogIsBounded(t *testing.T) {
	t.Parallel()
	const last = "https://n60.example/c.json"
	apart := make([]string, 0, 60)
	for n := range 60 {
		apart = append(apart, fmt.Sprintf(`{"identifier":"n","type":"application/ai-catalog+json","url":"https://n%d.example/c.json"}`, n+1))
	}
	half := `{"identifier":"n","type":"application/ai-catalog+json","data":{"specVersion":"1.0","entries":[` + strings.Repeat(`{},`, 2500)
	found := `{"identifier":"x","type":"application/a2a-agent-card+json","data":` + card("found", "x") + `}`
	for name, test := range map[string]struct{ body, why string }{
		"too deep":         {nested(5), "nested more than 4 levels deep"},
		"too many nested":  {`{"specVersion":"1.0","entries":[` + strings.Join(apart, ",") + `]}`, "more than 50 catalogs"},
		"too many in all":  {`{"specVersion":"1.0","entries":[` + half + `{}]}},` + half + found + `]}}]}`, "more than 5000 entries"},
		"too many entries": {`{"specVersion":"1.0","entries":[` + strings.TrimSuffix(strings.Repeat(`{},`, 5001), ",") + `]}`, "more than 5000 entries"},
		"too large":        {`{"specVersion":"1.0","x":"` + strings.Repeat("x", 4<<20) + `"}`, "more than 4194304 bytes"},
		"a file's address": {`{"specVersion":"1.0","entries":[{"identifier":"x","type":"application/a2a-agent-card+json","url":"file:///etc/passwd"}]}`, "usable URL"},
		"no catalog":       {`{"entries":[` + found + `]}`, "a specVersion and a list of entries"},
		"no version":       {`{"specVersion":"","entries":[` + found + `]}`, "a specVersion and a list of entries"},
		"a list":           {`[` + found + `]`, "not an AI Catalog"},
		"cut off":          {`{"specVersion":"1.0","entries":[` + found + `]`, "not an AI Catalog"},
		"a key twice":      {`{"specVersion":"1.0","entries":[],"entries":[{"identifier":"x","type":"application/a2a-agent-card+json","data":` + card("a", "x") + `}]}`, "occurs twice"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWeb()
			w.put(catalogURL, test.body)
			w.put(last, `{"specVersion":"1.0","entries":[`+found+`]}`)
			synctest.Test(t, func(t *testing.T) {
				var log strings.Builder
				r := registrytest.New(t, registry.Options{})
				runAll(t, r, &http.Client{Transport: w}, &log, discovery.Source{Catalog: catalogURL})()
				want(t, r, "of a catalog that is refused")
				if got := log.String(); !strings.Contains(got, test.why) {
					t.Errorf("logged %s, want %q", fault.ClipTo(got, 2000), test.why)
				}
			})
		})
	}
}

func TestAnEntryThatCannotBeUsedIsLeftOutAndNamed(t *testing.T) {
	t.Parallel()
	const agentType, catalogType = `"type":"application/a2a-agent-card+json"`, `"type":"application/ai-catalog+json"`
	for name, test := range map[string]struct{ entry, named string }{
		"without data and URL":         {`{"identifier":"urn:air:c:bad",` + agentType + `}`, `urn:air:c:bad`},
		"without a name":               {`{` + agentType + `}`, `entries[1]`},
		"with a name of a megabyte":    {`{"identifier":"` + strings.Repeat("x", 1<<20) + `",` + agentType + `}`, `entries[1]`},
		"with a file's address":        {`{"identifier":"urn:air:c:bad","url":"file:///etc/passwd",` + agentType + `}`, `urn:air:c:bad`},
		"with what is no URL":          {`{"identifier":"urn:air:c:bad","url":"http://%zz",` + agentType + `}`, `urn:air:c:bad`},
		"that is a number":             {`5`, `entries[1]`},
		"with a field of another type": {`{"identifier":"urn:air:c:bad","url":5,` + agentType + `}`, `urn:air:c:bad`},
		"with a key twice":             {`{"identifier":"urn:air:c:bad","url":"/a","url":"/b",` + agentType + `}`, `urn:air:c:bad`},
		"with a wrong card":            {`{"identifier":"urn:air:c:bad","data":{},` + agentType + `}`, `urn:air:c:bad`},
		"of a catalog that is none":    {`{"identifier":"urn:air:c:bad","data":{},` + catalogType + `}`, `urn:air:c:bad`},
		"of a catalog that is away":    {`{"identifier":"urn:air:c:bad","url":"https://away.example/c.json",` + catalogType + `}`, `404 Not Found`},
		"of another catalog's entry": {
			`{"identifier":"urn:air:c:in","data":{"specVersion":"1.0","entries":[{"identifier":"urn:air:d:bad",` + agentType + `}]},` + catalogType + `}`, `urn:air:d:bad`,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				w := newWeb()
				w.put(catalogURL, `{"specVersion":"1.0","entries":[{"identifier":"urn:air:c:one","data":`+card("one", "a")+`,`+agentType+`},`+test.entry+
					`,{"identifier":"urn:air:c:two","data":`+card("two", "b")+`,`+agentType+`}]}`)
				var log strings.Builder
				r := registrytest.New(t, registry.Options{})
				d, err := discovery.New(r, discovery.Options{
					Sources: []discovery.Source{{Catalog: catalogURL, Interval: minute}}, Client: &http.Client{Transport: w}, Logger: slog.New(slog.NewTextHandler(&log, nil)),
				})
				if err != nil {
					t.Fatalf("New() = %v, want no error", err)
				}
				ctx, cancel := context.WithTimeout(t.Context(), 10*minute)
				defer cancel()
				if err := d.Run(ctx); err != nil {
					t.Errorf("Run() = %v, want no error", err)
				}
				want(t, r, "after ten reads", "one a", "two b")
				if got := log.String(); strings.Count(got, "agent of a source not taken") != 1 || strings.Contains(got, "Go ") || !strings.Contains(got, test.named) || len(got) > 2000 {
					t.Errorf("logged %q, want %s once, in at most 2,000 bytes", fault.ClipTo(got, 4000), test.named)
				}
			})
		})
	}
}

// TestANestedCatalogThatFailsOnceKeepsItsAgents has one that fails for a while, and then is gone.
func TestANestedCatalogThatFailsOnceKeepsItsAgents(t *testing.T) {
	t.Parallel()
	const nested = "https://d.example/more.json"
	w := newWeb()
	w.put(catalogURL, `{"specVersion":"1.0","entries":[{"identifier":"urn:air:c:one","data":`+card("one", "a")+`,"type":"application/a2a-agent-card+json"},
		{"identifier":"urn:air:c:more","url":"`+nested+`","type":"application/ai-catalog+json"}]}`)
	more := `{"specVersion":"1.0","entries":[{"identifier":"x","data":` + card("two", "b") + `,"type":"application/a2a-agent-card+json"}]}`
	w.put(nested, more)
	finding(t, discovery.Source{Catalog: catalogURL}, w, func(t *testing.T, r *registry.Registry) {
		t.Helper()
		w.put(nested, "")
		pass(2)
		want(t, r, "when the nested catalog fails twice", "one a", "two b")
		pass(2)
		want(t, r, "when it fails again and again", "one a", "-two b")
		w.put(nested, more)
		pass(1)
		want(t, r, "when it is back", "one a", "two b")
	})
}

func TestASourceThatFailsNowAndThenKeepsItsAgents(t *testing.T) {
	t.Parallel()
	web, folder := newWeb(), filepath.Join(t.TempDir(), "cards")
	const content = `{"specVersion":"1.0","entries":[{"identifier":"x","data":{"name":"a","version":"1.0.0","url":"https://a.example/rpc","skills":[{"id":"x"}]},` +
		`"type":"application/a2a-agent-card+json"}]}`
	move := func(from, to string) {
		if err := os.Rename(from, to); err != nil {
			t.Errorf("Rename() = %v, want no error", err)
		}
	}
	if err := os.Mkdir(folder, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(folder, "a.json"), []byte(card("a", "x")), 0o600); err != nil {
		t.Fatal(err)
	}
	web.put(catalogURL, content)
	for name, test := range map[string]struct {
		source     discovery.Source
		away, back func()
	}{
		"a catalog": {discovery.Source{Catalog: catalogURL}, func() { web.put(catalogURL, "") }, func() { web.put(catalogURL, content) }},
		"a server":  {discovery.Source{Catalog: catalogURL}, func() { web.put(catalogURL, away) }, func() { web.put(catalogURL, content) }},
		"a folder":  {discovery.Source{Folder: folder}, func() { move(folder, folder+"-moved") }, func() { move(folder+"-moved", folder) }},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			finding(t, test.source, web, func(t *testing.T, r *registry.Registry) {
				t.Helper()
				for range 3 {
					test.away()
					pass(1) // it is read once or twice
					want(t, r, "when it cannot be read", "a x")
					test.back()
					pass(1)
				}
			})
		})
	}
}

func TestACardThatACatalogNamesTwiceIsReadOnce(t *testing.T) {
	t.Parallel()
	const url = "https://a.example/card.json"
	w := newWeb()
	w.put(url, card("a", "x"))
	entry := `{"identifier":"x","url":"` + url + `","type":"application/a2a-agent-card+json"}`
	other := `{"identifier":"y","url":"https://b.example/card.json","type":"application/a2a-agent-card+json"}`
	w.put(catalogURL, `{"specVersion":"1.0","entries":[`+entry+`,`+other+`,`+entry+`]}`)
	finding(t, discovery.Source{Catalog: "https://c.example/"}, w, func(t *testing.T, r *registry.Registry) {
		t.Helper()
		want(t, r, "at once", "a x")
		if n := w.reads(url); n != 1 {
			t.Errorf("the card was read %d times, want once", n)
		}
	})
}

// TestOfSeveralEntriesForAnAgentTheFirstCounts has a catalog name several versions of an agent. Every replica has to take the same one.
func TestOfSeveralEntriesForAnAgentTheFirstCounts(t *testing.T) {
	t.Parallel()
	w := newWeb()
	var entries []string
	for _, skill := range []string{"m", "z", "a", "q", "b", "l", "y", "c", "n", "d", "x", "e"} {
		entries = append(entries, `{"data":`+card("one", skill)+`,"type":"application/a2a-agent-card+json"}`)
	}
	w.put(catalogURL, `{"specVersion":"1.0","entries":[`+strings.Join(entries, ",")+`]}`)
	source := discovery.Source{Catalog: catalogURL}
	finding(t, source, w, func(t *testing.T, r *registry.Registry) {
		t.Helper()
		want(t, r, "of several entries", "one m")
		stop := run(t, r, source, &http.Client{Transport: w})
		pass(2)
		stop()
		if a, err := r.Agent(t.Context(), "default", "one"); err != nil || a.LatestVersion != 1 || a.Card.Skills[0].ID != "m" {
			t.Errorf("two replicas have version %d with skill %s, %v, want the first one alone", a.LatestVersion, a.Card.Skills[0].ID, err)
		}
	})
}

// TestOfSeveralURLsForAnAgentTheFirstCounts has the server of the first one be slow at times.
func TestOfSeveralURLsForAnAgentTheFirstCounts(t *testing.T) {
	t.Parallel()
	const first, second = "https://one.example/1.json", "https://one.example/2.json"
	for _, slow := range []string{first, second} {
		w := newWeb()
		w.slow = slow
		w.put(first, card("one", "x"))
		w.put(second, card("one", "y"))
		w.put(catalogURL, `{"specVersion":"1.0","entries":[{"url":"`+second+`","type":"application/a2a-agent-card+json"},{"url":"`+first+`","type":"application/a2a-agent-card+json"}]}`)
		finding(t, discovery.Source{Catalog: catalogURL}, w, func(t *testing.T, r *registry.Registry) {
			t.Helper()
			pass(1)
			want(t, r, "where "+slow+" is slow", "one x")
			w.put(first, "")
			pass(1)
			want(t, r, "while the first does not answer", "one x")
			w.put(catalogURL, `{"specVersion":"1.0","entries":[{"url":"`+second+`","type":"application/a2a-agent-card+json"}]}`)
			pass(2)
			want(t, r, "without the first", "one y")
		})
	}
}

func TestEntriesWithTheSameIdentifierAreAllTaken(t *testing.T) {
	t.Parallel()
	w := newWeb()
	entry := func(name string) string {
		return `{"identifier":"same","data":` + card(name, "a") + `,"type":"application/a2a-agent-card+json"}`
	}
	w.put(catalogURL, `{"specVersion":"1.0","entries":[`+entry("one")+`,`+entry("two")+`,`+entry("three")+`]}`)
	finding(t, discovery.Source{Catalog: catalogURL}, w, func(t *testing.T, r *registry.Registry) {
		t.Helper()
		pass(2)
		want(t, r, "of one identifier", "one a", "three a", "two a")
	})
}

func TestASourceTakesNoAgentOfAnother(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	if err := os.WriteFile(filepath.Join(folder, "a.json"), []byte(card("a", "taken")), 0o600); err != nil {
		t.Fatalf("WriteFile() = %v, want no error", err)
	}
	synctest.Test(t, func(t *testing.T) {
		r := registrytest.New(t, registry.Options{})
		if _, _, err := r.Register(t.Context(), "default", registry.Registration{RawCard: []byte(card("a", "own"))}); err != nil {
			t.Fatalf("Register() = %v, want no error", err)
		}
		var log strings.Builder
		stop := runAll(t, r, nil, &log, discovery.Source{Folder: folder})
		pass(3)
		want(t, r, "of an admin", "a own")
		if got := log.String(); strings.Count(got, "agent of a source not taken") != 1 || strings.Contains(got, "agent found") {
			t.Errorf("logged %s, want once that the agent is not taken", got)
		}
		if err := r.Once(registry.Retry{}).Delete(t.Context(), "default", "a", ""); err != nil {
			t.Fatalf("Delete() = %v, want no error", err)
		}
		pass(1)
		want(t, r, "after the admin deleted theirs", "a taken")
		stop()
	})
}

func TestAForgottenSourceIsGone(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	if err := os.WriteFile(filepath.Join(folder, "a.json"), []byte(card("a", "x")), 0o600); err != nil {
		t.Fatalf("WriteFile() = %v, want no error", err)
	}
	synctest.Test(t, func(t *testing.T) {
		r := registrytest.New(t, registry.Options{})
		run(t, r, discovery.Source{Folder: folder}, nil)()
		want(t, r, "of the folder", "a x")
		run(t, r, discovery.Source{Folder: t.TempDir()}, nil)()
		want(t, r, "when another folder is configured", "-a x")
		run(t, r, discovery.Source{Folder: folder}, nil)()
		want(t, r, "when the folder is configured again", "a x")
		run(t, r, discovery.Source{Folder: folder, Tenant: "acme"}, nil)()
		want(t, r, "when the folder is that of another tenant", "-a x")
	})
}

// failing is a store that cannot list agents at first.
type failing struct {
	*embedded.Store
	left atomic.Int64 // how often it still fails
}

func (f *failing) Agents(ctx context.Context, q registry.Query) ([]registry.Record, error) {
	if f.left.Add(-1) >= 0 {
		return nil, errors.New("not now")
	}
	return f.Store.Agents(ctx, q)
}

func TestAForgottenSourceIsGoneOnceTheStoreCanBeRead(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		db, err := boltdb.Open(filepath.Join(t.TempDir(), "quorate.db"), boltdb.Options{})
		if err != nil {
			t.Fatalf("Open() = %v, want no error", err)
		}
		defer db.Close() //nolint:errcheck // nothing is written after this
		inner, err := embedded.New(t.Context(), db)
		if err != nil {
			t.Fatalf("New() = %v, want no error", err)
		}
		store := &failing{Store: inner}
		r := registry.New(store, registry.Options{})
		found := registry.Found{RawCard: []byte(card("a", "x")), Source: registry.Source{Type: registry.SourceFolder, Location: "/before"}}
		if _, _, err := r.Discover(t.Context(), "default", found); err != nil {
			t.Fatalf("Discover() = %v, want no error", err)
		}
		store.left.Store(2) // what is forgotten, and what is missing in the folder
		stop := run(t, r, discovery.Source{Folder: t.TempDir()}, nil)
		pass(6)
		stop()
		want(t, r, "of a folder that is not configured any more", "-a x")
	})
}

func TestSourcesThatCannotBeUsed(t *testing.T) {
	t.Parallel()
	r := registrytest.New(t, registry.Options{})
	for name, source := range map[string]discovery.Source{
		"nothing":             {},
		"two things":          {Folder: "/cards", Catalog: catalogURL},
		"a relative folder":   {Folder: "cards"},
		"another scheme":      {Catalog: "ftp://c.example"},
		"a password":          {URLs: []string{"https://me:hush@c.example"}},
		"a password, no URL":  {Catalog: "https://me:hush%@c.example"},
		"a port that is none": {URLs: []string{"https://c.example:99999"}},
		"a long URL":          {Catalog: "https://c.example/" + strings.Repeat("x", 2048)},
		"an empty URL":        {URLs: []string{""}},
		"too many URLs":       {URLs: slices.Repeat([]string{"https://c.example"}, 1001)},
		"an interval of 1 ms": {Folder: "/cards", Interval: time.Millisecond},
		"an interval of days": {Folder: "/cards", Interval: 25 * time.Hour},
		"a tenant of nobody":  {Folder: "/cards", Tenant: strings.Repeat("t", 129)},
	} {
		if _, err := discovery.New(r, discovery.Options{Sources: []discovery.Source{source}, Client: &http.Client{}}); fault.ReasonOf(err) != "CONFIG_INVALID" || strings.Contains(err.Error(), "hush") {
			t.Errorf("New() with %s = %v, want CONFIG_INVALID without a password", name, err)
		}
	}
	if _, err := discovery.New(r, discovery.Options{Sources: []discovery.Source{{Catalog: catalogURL}}}); err == nil {
		t.Error("New() with a catalog and no client = nil, want an error")
	}
	if _, err := discovery.New(r, discovery.Options{Sources: slices.Repeat([]discovery.Source{{Folder: "/cards"}}, 101)}); fault.ReasonOf(err) != "CONFIG_INVALID" {
		t.Errorf("New() with too many sources = %v, want CONFIG_INVALID", err)
	}
}
