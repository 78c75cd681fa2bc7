package catalog_test

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/quorate/quorate/platform/auth"
	"github.com/quorate/quorate/platform/boltdb"
	"github.com/quorate/quorate/platform/page"
	"github.com/quorate/quorate/registry"
	"github.com/quorate/quorate/registry/catalog"
	"github.com/quorate/quorate/registry/embedded"
)

// meter is a store that counts the agents that are read from it.
type meter struct {
	*embedded.Store

	agents atomic.Int64
}

func (m *meter) Agent(ctx context.Context, key registry.Key) (registry.Record, error) {
	m.agents.Add(1)
	return m.Store.Agent(ctx, key)
}

func (m *meter) Agents(ctx context.Context, q registry.Query) ([]registry.Record, error) {
	list, err := m.Store.Agents(ctx, q)
	m.agents.Add(int64(len(list)))
	return list, err
}

// published returns a catalog of n agents that fit the text weather, and its registry and store.
func published(tb testing.TB, n int) (http.Handler, *registry.Registry, *meter) {
	tb.Helper()
	db, err := boltdb.Open(filepath.Join(tb.TempDir(), "quorate.db"), boltdb.Options{})
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() { _ = db.Close() })
	store, err := embedded.New(tb.Context(), db)
	if err != nil {
		tb.Fatal(err)
	}
	m := &meter{Store: store}
	r := registry.New(m, registry.Options{})
	var group sync.WaitGroup
	for i := range n {
		group.Go(func() {
			card := strings.Replace(weather, `"weather"`, fmt.Sprintf(`"weather%d"`, i), 1)
			if _, _, err := r.Register(tb.Context(), "t", registry.Registration{RawCard: []byte(card)}); err != nil {
				tb.Error(err)
			}
		})
	}
	group.Wait()
	c, err := catalog.New(r, page.New(make([]byte, 32)), catalog.Options{})
	if err != nil {
		tb.Fatal(err)
	}
	mux := http.NewServeMux()
	mux.Handle(catalog.WellKnownPath, c)
	mux.Handle(catalog.ARDPath+"/", c.ARD())
	return mux, r, m
}

// get answers a request of a viewer; etag, unless empty, is what the viewer has.
func get(tb testing.TB, h http.Handler, method, path, body, etag string) *httptest.ResponseRecorder {
	tb.Helper()
	ctx := auth.NewContext(tb.Context(), auth.Principal{Tenant: "t", Name: "ann", Roles: []auth.Role{auth.RoleViewer}})
	request := httptest.NewRequestWithContext(ctx, method, "http://q.example"+path, strings.NewReader(body))
	if etag != "" {
		request.Header.Set("If-None-Match", etag)
	}
	answer := httptest.NewRecorder()
	h.ServeHTTP(answer, request)
	return answer
}

func TestWhatIsPublishedIsReadFromTheStoreOnce(t *testing.T) {
	t.Parallel()
	h, r, m := published(t, 30)
	first := get(t, h, "GET", catalog.WellKnownPath, "", "")
	before := m.agents.Load()
	for path, body := range map[string]string{
		"/search":  `{"query":{"text":"weather","filter":{"version":"9.9.9"}}}`,
		"/explore": `{"query":{"text":"weather"},"resultType":{"facets":[{"field":"tags"}]}}`,
	} {
		if got := get(t, h, "POST", catalog.ARDPath+path, body, ""); got.Code != http.StatusOK {
			t.Errorf("POST %s = %d %s, want 200", path, got.Code, got.Body)
		}
	}
	for _, path := range []string{catalog.WellKnownPath, catalog.ARDPath + "/agents?filter=displayName+%3D+%27nobody%27"} {
		if got := get(t, h, "GET", path, "", ""); got.Code != http.StatusOK {
			t.Errorf("GET %s = %d %s, want 200", path, got.Code, got.Body)
		}
	}
	etag := first.Header().Get("ETag")
	if got := get(t, h, "GET", catalog.WellKnownPath, "", etag); got.Code != http.StatusNotModified || got.Body.Len() > 0 {
		t.Errorf("GET catalog with its etag = %d, want 304", got.Code)
	}
	if n := m.agents.Load() - before; n != 0 {
		t.Errorf("%d agents were read from the store for what has not changed, want none", n)
	}
	if err := r.Once(registry.Retry{}).Delete(t.Context(), "t", "weather7", ""); err != nil {
		t.Fatal(err)
	}
	got := get(t, h, "GET", catalog.WellKnownPath, "", etag)
	if got.Code != http.StatusOK || got.Header().Get("ETag") == etag || strings.Contains(got.Body.String(), `"weather7"`) {
		t.Errorf("GET catalog after a deletion = %d with the etag %s, want another catalog without the agent", got.Code, got.Header().Get("ETag"))
	}
}

// TestACatalogNamesTheServerAsItsClientSeesIt has clients reach one server at two addresses.
func TestACatalogNamesTheServerAsItsClientSeesIt(t *testing.T) {
	t.Parallel()
	h, _, _ := published(t, 1)
	for _, origin := range []string{"http://one.example", "https://two.example", "http://one.example"} {
		request := httptest.NewRequestWithContext(auth.NewContext(t.Context(), auth.Principal{Tenant: "t", Name: "ann"}), "GET", origin+catalog.WellKnownPath, nil)
		answer := httptest.NewRecorder()
		h.ServeHTTP(answer, request)
		if got := answer.Body.String(); !strings.Contains(got, origin+"/v1/agents/weather0/card") {
			t.Errorf("GET catalog at %s = %s, want URLs of that origin", origin, got)
		}
	}
}

func BenchmarkCatalog(b *testing.B) {
	h, _, _ := published(b, 10_000)
	get(b, h, "GET", catalog.WellKnownPath, "", "")
	for name, request := range map[string][3]string{
		"catalog": {"GET", catalog.WellKnownPath, ""},
		"list":    {"GET", catalog.ARDPath + "/agents?filter=displayName+%3D+%27nobody%27", ""},
		"search":  {"POST", catalog.ARDPath + "/search", `{"query":{"text":"weather"}}`},
		"explore": {"POST", catalog.ARDPath + "/explore", `{"resultType":{"facets":[{"field":"tags"}]}}`},
	} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if got := get(b, h, request[0], request[1], request[2], ""); got.Code != http.StatusOK {
					b.Fatalf("%s = %d", request[1], got.Code)
				}
			}
		})
	}
}
