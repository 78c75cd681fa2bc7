package catalog_test

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/quorate/quorate/platform/auth"
	"github.com/quorate/quorate/platform/page"
	"github.com/quorate/quorate/registry"
	"github.com/quorate/quorate/registry/catalog"
	"github.com/quorate/quorate/registry/registrytest"
)

// serve returns a function that asks a catalog with the agents as the caller that the Authorization names by its tenant.
func serve(t *testing.T, o catalog.Options, cards ...string) (ask func(tenant, method, path, body string) (int, map[string]any, http.Header)) {
	t.Helper()
	r := registrytest.New(t, registry.Options{})
	for _, card := range cards {
		if _, _, err := r.Register(t.Context(), "t", registry.Registration{RawCard: []byte(card)}); err != nil {
			t.Fatalf("Register(%s) = %v, want no error", card, err)
		}
	}
	c, err := catalog.New(r, page.New(make([]byte, 32)), o)
	if err != nil {
		t.Fatalf("New() = %v, want no error", err)
	}
	mux := http.NewServeMux()
	mux.Handle(catalog.WellKnownPath, c)
	mux.Handle(catalog.ARDPath+"/", c.ARD())
	return func(tenant, method, path, body string) (int, map[string]any, http.Header) {
		t.Helper()
		ctx := t.Context()
		if tenant != "" {
			ctx = auth.NewContext(ctx, auth.Principal{Tenant: tenant, Name: "ann", Roles: []auth.Role{auth.RoleViewer}})
		}
		request := httptest.NewRequestWithContext(ctx, method, "http://q.example"+path, strings.NewReader(body))
		answer := httptest.NewRecorder()
		mux.ServeHTTP(answer, request)
		raw, err := io.ReadAll(answer.Body)
		if err != nil {
			t.Fatalf("ReadAll() = %v, want no error", err)
		}
		var tree map[string]any
		if err := json.Unmarshal(raw, &tree); err != nil {
			t.Fatalf("%s %s = %s, want JSON", method, path, raw)
		}
		return answer.Code, tree, answer.Header()
	}
}

const (
	weather = `{"name":"weather","description":"Forecasts","version":"1.2.0","url":"https://w.example/","skills":[` +
		`{"id":"forecast","name":"Weather forecast","description":"Tells tomorrow's weather","tags":["weather","public"],"examples":["will it rain","how warm is it"]}]}`
	review = `{"name":"review","version":"1.0.0","url":"https://r.example/","skills":[{"id":"review","name":"Review","description":"Reviews text","tags":["text"]},` +
		`{"id":"lint","name":"Lint","description":"Finds mistakes in text","tags":["text","public"]}]}`
)

// at returns what is at a path of names and numbers in v.
func at(t *testing.T, v any, path ...any) any {
	t.Helper()
	for _, step := range path {
		switch step := step.(type) {
		case string:
			v = v.(map[string]any)[step]
		case int:
			list := v.([]any)
			if step >= len(list) {
				t.Fatalf("%v in %v: there are %d", path, v, len(list))
			}
			v = list[step]
		}
	}
	return v
}

func names(t *testing.T, list any) (names []string) {
	t.Helper()
	for _, item := range list.([]any) {
		names = append(names, at(t, item, "displayName").(string))
	}
	return names
}

func TestTheCatalogNamesTheSearchAPIAndAllAgents(t *testing.T) {
	t.Parallel()
	ask := serve(t, catalog.Options{BaseURL: "https://agents.example/", Publisher: "acme.com"}, weather, review)
	code, got, header := ask("t", "GET", catalog.WellKnownPath, "")
	if code != http.StatusOK || header.Get("Content-Type") != "application/ai-catalog+json" || header.Get("ETag") == "" ||
		header.Get("Vary") != "Authorization" || header.Get("X-Content-Type-Options") != "nosniff" {
		t.Fatalf("GET catalog = %d, %v, want 200 with an ETag, for this caller only", code, header)
	}
	updated := at(t, got, "entries", 2, "updatedAt")
	want := map[string]any{
		"specVersion": "1.0", "host": map[string]any{"displayName": "Quorate"},
		"entries": []any{
			map[string]any{
				"identifier": "urn:air:acme.com:registry:quorate", "displayName": "Quorate", "type": "application/ai-registry+json",
				"url": "https://agents.example/ard", "description": "Search for all agents of this registry, by Agentic Resource Discovery.",
			},
			map[string]any{
				"identifier": "urn:air:acme.com:agent:review", "displayName": "review", "type": "application/a2a-agent-card+json",
				"url": "https://agents.example/v1/agents/review/card", "version": "1.0.0", "updatedAt": at(t, got, "entries", 1, "updatedAt"),
				"tags": []any{"text", "public"}, "capabilities": []any{"review", "lint"}, "metadata": map[string]any{"verification": "unsigned"},
			},
			map[string]any{
				"identifier": "urn:air:acme.com:agent:weather", "displayName": "weather", "type": "application/a2a-agent-card+json", "description": "Forecasts",
				"url": "https://agents.example/v1/agents/weather/card", "version": "1.2.0", "updatedAt": updated,
				"tags": []any{"weather", "public"}, "capabilities": []any{"forecast"}, "metadata": map[string]any{"verification": "unsigned"},
				"representativeQueries": []any{"will it rain", "how warm is it"},
			},
		},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("GET catalog, difference (-want +got):\n%s", diff)
	}
}

// TestAnEntryKeepsToTheSchema has cards with more than an entry may have, and with fewer examples than it must have.
func TestAnEntryKeepsToTheSchema(t *testing.T) {
	t.Parallel()
	ask := serve(t, catalog.Options{},
		strings.Replace(weather, `"will it rain",`, "", 1),
		strings.Replace(review, `"tags":["text"]}`, `"tags":["text"`+strings.Repeat(`,"`+strings.Repeat("x", 65)+`"`, 3)+`],"examples":["1","2","3","4","5","6"]}`, 1))
	_, got, _ := ask("t", "GET", catalog.WellKnownPath, "")
	if diff := cmp.Diff([]any{"1", "2", "3", "4", "5"}, at(t, got, "entries", 1, "representativeQueries")); diff != "" {
		t.Errorf("the queries of an agent with six examples, difference (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]any{"text", "public"}, at(t, got, "entries", 1, "tags")); diff != "" {
		t.Errorf("the tags of an agent with a tag of 65 bytes, difference (-want +got):\n%s", diff)
	}
	if queries := at(t, got, "entries", 2, "representativeQueries"); queries != nil {
		t.Errorf("the queries of an agent with one example = %v, want none, as they must be two", queries)
	}
}

func TestOnlyTheCallersOwnAgentsAreShown(t *testing.T) {
	t.Parallel()
	ask := serve(t, catalog.Options{}, weather)
	if code, got, _ := ask("", "GET", catalog.WellKnownPath, ""); code != http.StatusUnauthorized || got["errorCode"] != "UNAUTHENTICATED" {
		t.Errorf("GET catalog without a caller = %d, %v, want 401", code, got)
	}
	if _, got, _ := ask("other", "GET", catalog.WellKnownPath, ""); len(got["entries"].([]any)) != 1 {
		t.Errorf("GET catalog of another tenant = %v, want only the search API", got)
	}
	for path, body := range map[string]string{"/search": `{"query":{"text":"weather"}}`, "/explore": `{"resultType":{"facets":[{"field":"tags"}]}}`} {
		if code, got, _ := ask("", "POST", catalog.ARDPath+path, body); code != http.StatusUnauthorized {
			t.Errorf("POST %s without a caller = %d, %v, want 401", path, code, got)
		}
		if code, got, _ := ask("other", "POST", catalog.ARDPath+path, body); code != http.StatusOK || strings.Contains(mustJSON(t, got), "forecast") {
			t.Errorf("POST %s of another tenant = %d, %v, want nothing found", path, code, got)
		}
	}
	if code, got, _ := ask("", "GET", catalog.ARDPath+"/agents", ""); code != http.StatusUnauthorized {
		t.Errorf("GET agents without a caller = %d, %v, want 401", code, got)
	}
	if _, got, _ := ask("other", "GET", catalog.ARDPath+"/agents", ""); len(got["items"].([]any)) != 0 {
		t.Errorf("GET agents of another tenant = %v, want none", got)
	}
}

func mustJSON(t *testing.T, v any) string {
	t.Helper()
	encoded, err := json.Marshal(v)
	if err != nil {
		t.Fatalf("Marshal() = %v, want no error", err)
	}
	return string(encoded)
}

func TestSearchRanksAndFilters(t *testing.T) {
	t.Parallel()
	ask := serve(t, catalog.Options{}, weather, review)
	tests := map[string]struct {
		body string
		want []string
	}{
		"words":                     {`{"query":{"text":"tomorrow weather"}}`, []string{"weather"}},
		"nothing fits":              {`{"query":{"text":"zebra"},"federation":"none","pageSize":2}`, nil},
		"a filter with one value":   {`{"query":{"text":"text weather","filter":{"tags":"public"}}}`, []string{"review", "weather"}},
		"a filter with two values":  {`{"query":{"text":"text weather","filter":{"capabilities":["lint","x"]}}}`, []string{"review"}},
		"every field has to fit":    {`{"query":{"text":"text weather","filter":{"capabilities":["lint"],"tags":["weather"]}}}`, nil},
		"another kind of resource":  {`{"query":{"text":"weather","filter":{"type":["application/mcp-server-card+json"]}}}`, nil},
		"by status, which is known": {`{"query":{"text":"weather","filter":{"metadata.status":["unknown"]}}}`, []string{"weather"}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			code, got, _ := ask("t", "POST", catalog.ARDPath+"/search", test.body)
			found := map[string]bool{}
			for i, item := range got["results"].([]any) {
				found[at(t, item, "displayName").(string)] = true
				score := at(t, item, "score").(float64)
				if score < 1 || score > 100 || (i == 0 && score != 100) || at(t, item, "source") != "http://q.example/ard" || at(t, item, "identifier") == "" {
					t.Errorf("result %v, want a score of 1 to 100 and where it is from", item)
				}
			}
			want := map[string]bool{}
			for _, name := range test.want {
				want[name] = true
			}
			if code != http.StatusOK || cmp.Diff(want, found) != "" {
				t.Errorf("POST search %s = %d, %v, want %v", test.body, code, found, want)
			}
		})
	}
	if _, got, _ := ask("t", "POST", catalog.ARDPath+"/search", `{"query":{"text":"x"},"federation":"referrals"}`); got["referrals"] == nil {
		t.Errorf("POST search for referrals = %v, want an empty list of them", got)
	}
}

func TestSearchAndListPageByPage(t *testing.T) {
	t.Parallel()
	var cards []string
	for _, name := range []string{"a", "b", "c", "d", "e"} {
		cards = append(cards, strings.Replace(weather, `"weather"`, `"`+name+`"`, 1))
	}
	ask := serve(t, catalog.Options{}, cards...)
	var searched, listed [][]string // pages
	token := ""
	for range 4 {
		_, got, _ := ask("t", "POST", catalog.ARDPath+"/search", `{"query":{"text":"forecast"},"pageSize":2,"pageToken":"`+token+`"}`)
		searched = append(searched, names(t, got["results"]))
		if token, _ = got["pageToken"].(string); token == "" {
			break
		}
	}
	for range 4 {
		_, got, _ := ask("t", "GET", catalog.ARDPath+"/agents?pageSize=2&pageToken="+url.QueryEscape(token), "")
		listed = append(listed, names(t, got["items"]))
		if token, _ = got["pageToken"].(string); token == "" {
			break
		}
	}
	want := [][]string{{"a", "b"}, {"c", "d"}, {"e"}}
	if cmp.Diff(want, searched) != "" || cmp.Diff(want, listed) != "" {
		t.Errorf("searched %v and listed %v, want %v each", searched, listed, want)
	}
}

func TestExploreCountsValues(t *testing.T) {
	t.Parallel()
	ask := serve(t, catalog.Options{}, weather, review)
	tests := map[string]struct {
		body string
		want string
	}{
		"of everything":        {`{"resultType":{"facets":[{"field":"tags"}]}}`, `{"tags":{"buckets":[{"count":2,"value":"public"},{"count":1,"value":"text"},{"count":1,"value":"weather"}],"otherCount":0}}`},
		"of what fits a text":  {`{"query":{"text":"weather"},"resultType":{"facets":[{"field":"tags"}]}}`, `{"tags":{"buckets":[{"count":1,"value":"public"},{"count":1,"value":"weather"}],"otherCount":0}}`},
		"the most frequent":    {`{"resultType":{"facets":[{"field":"tags","limit":1}]}}`, `{"tags":{"buckets":[{"count":2,"value":"public"}],"otherCount":2}}`},
		"at least two":         {`{"resultType":{"facets":[{"field":"tags","minCount":2}]}}`, `{"tags":{"buckets":[{"count":2,"value":"public"}],"otherCount":2}}`},
		"of what passes":       {`{"query":{"filter":{"tags":["text"]}},"resultType":{"facets":[{"field":"displayName"}]}}`, `{"displayName":{"buckets":[{"count":1,"value":"review"}],"otherCount":0}}`},
		"of several fields":    {`{"resultType":{"facets":[{"field":"type"},{"field":"publisher"}]}}`, `{"publisher":{"buckets":[{"count":2,"value":"agent.localhost"}],"otherCount":0},"type":{"buckets":[{"count":2,"value":"application/a2a-agent-card+json"}],"otherCount":0}}`},
		"of nothing that fits": {`{"query":{"text":"zebra"},"resultType":{"facets":[{"field":"type"}]}}`, `{"type":{"buckets":[],"otherCount":0}}`},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			code, got, _ := ask("t", "POST", catalog.ARDPath+"/explore", test.body)
			if code != http.StatusOK || got["resultType"] != "facets" || mustJSON(t, got["facets"]) != test.want {
				t.Errorf("POST explore %s = %d, %v, want %s", test.body, code, got, test.want)
			}
		})
	}
}

func TestTheListIsFiltered(t *testing.T) {
	t.Parallel()
	ask := serve(t, catalog.Options{}, weather, review)
	for filter, want := range map[string][]string{
		"": {"review", "weather"}, "displayName = 'REV'": {"review"},
		"type = 'application/mcp-server-card+json, application/a2a-agent-card+json'":                  {"review", "weather"},
		"type = 'application/mcp-server-card+json'":                                                   nil,
		"publisherId = 'agent.localhost' AND displayName = 'weather' and createdAfter > '2026-01-01'": {"weather"},
		"updatedAfter = '2199-01-01T00:00:00Z'":                                                       nil,
	} {
		code, got, _ := ask("t", "GET", catalog.ARDPath+"/agents?filter="+url.QueryEscape(filter), "")
		if code != http.StatusOK || cmp.Diff(want, names(t, got["items"])) != "" {
			t.Errorf("GET agents with %s = %d, %v, want %v", filter, code, got, want)
		}
	}
}

func TestMalformedRequests(t *testing.T) {
	t.Parallel()
	ask := serve(t, catalog.Options{}, weather)
	tests := map[string]struct {
		method, path, body string
		code               int
		text               string
	}{
		"no text":                     {"POST", "/search", `{"query":{}}`, 400, "query.text"},
		"an unknown field":            {"POST", "/search", `{"query":{"text":"x"},"pagesize_":1}`, 400, "pagesize_"},
		"a field that is not there":   {"POST", "/search", `{"query":{"text":"x","filter":{"trustManifest.identity":["x"]}}}`, 400, "not supported; these are: capabilities"},
		"an empty filter":             {"POST", "/search", `{"query":{"text":"x","filter":{"tags":[]}}}`, 400, "0 values"},
		"another kind of value":       {"POST", "/search", `{"query":{"text":"x","filter":{"tags":{}}}}`, 400, "not what this expects"},
		"an unknown federation":       {"POST", "/search", `{"query":{"text":"x"},"federation":"all"}`, 400, "federation"},
		"a filter of 101 values":      {"POST", "/search", `{"query":{"text":"x","filter":{"tags":[` + strings.Repeat(`"x",`, 100) + `"x"]}}}`, 400, "101 values"},
		"a text of 4,001 bytes":       {"POST", "/search", `{"query":{"text":"` + strings.Repeat("x", 4001) + `"}}`, 400, "4001 bytes"},
		"a negative page size":        {"POST", "/search", `{"query":{"text":"x"},"pageSize":-1}`, 400, "pageSize"},
		"a token of nobody":           {"POST", "/search", `{"query":{"text":"x"},"pageToken":"AAAA"}`, 400, "page token"},
		"two values":                  {"POST", "/search", `{"query":{"text":"x"}}{}`, 400, "more than one"},
		"a query that is a number":    {"POST", "/search", `{"query":5}`, 400, `"query" is of type number, where an object`},
		"not JSON":                    {"POST", "/search", `hello`, 400, "not what this expects"},
		"a body of 64 KiB":            {"POST", "/search", `{"query":{"text":"` + strings.Repeat("x", 64<<10) + `"}}`, 400, "more than 65536 bytes"},
		"blanks beyond 64 KiB":        {"POST", "/search", `{"query":{"text":"x"}}` + strings.Repeat(" ", 64<<10) + "{}", 400, "more than 65536 bytes"},
		"no facets":                   {"POST", "/explore", `{"query":{}}`, 400, "facets"},
		"a facet that is not there":   {"POST", "/explore", `{"resultType":{"facets":[{"field":"x"}]}}`, 400, "not supported"},
		"a text too long to explore":  {"POST", "/explore", `{"query":{"text":"` + strings.Repeat("x", 4001) + `"},"resultType":{"facets":[{"field":"tags"}]}}`, 400, "4001 bytes"},
		"a filter to explore":         {"POST", "/explore", `{"query":{"filter":{"x":["x"]}},"resultType":{"facets":[{"field":"tags"}]}}`, 400, "not supported"},
		"a negative limit":            {"POST", "/explore", `{"resultType":{"facets":[{"field":"tags","limit":-1}]}}`, 400, "not negative"},
		"a negative minimum":          {"POST", "/explore", `{"resultType":{"facets":[{"field":"tags","minCount":-1}]}}`, 400, "not negative"},
		"eleven facets":               {"POST", "/explore", `{"resultType":{"facets":[` + strings.Repeat(`{"field":"tags"},`, 10) + `{"field":"tags"}]}}`, 400, "11 entries"},
		"a parameter twice":           {"GET", "/agents?pageSize=1&pageSize=2", "", 400, "twice"},
		"a token to list of nobody":   {"GET", "/agents?pageToken=AAAA", "", 400, "page token"},
		"a filter of 2,049 bytes":     {"GET", "/agents?filter=" + strings.Repeat("+", 2049), "", 400, "2048 bytes"},
		"an unknown parameter":        {"GET", "/agents?page_size=1", "", 400, "page_size"},
		"a filter that is not one":    {"GET", "/agents?filter=type", "", 400, "cannot be read"},
		"a filter on something else":  {"GET", "/agents?filter=" + url.QueryEscape("name = 'x'"), "", 400, "not supported"},
		"a time that is none":         {"GET", "/agents?filter=" + url.QueryEscape("createdAfter > 'now'"), "", 400, "not a time"},
		"an operator that is not one": {"GET", "/agents?filter=" + url.QueryEscape("type > 'x'"), "", 400, "with = only"},
		"an order that is not known":  {"GET", "/agents?orderBy=updatedAt", "", 400, "order"},
		"a page size that is a word":  {"GET", "/agents?pageSize=all", "", 400, "number"},
		"another method":              {"GET", "/search", "", 405, "GET is not allowed here; use POST"},
		"another path":                {"GET", "/nothing", "", 404, "nothing at"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			code, got, header := ask("t", test.method, catalog.ARDPath+test.path, test.body)
			message, _ := got["message"].(string)
			if code != test.code || got["errorCode"] == nil || header.Get("Content-Type") != "application/json" || !strings.Contains(message, test.text) {
				t.Errorf("%s %s = %d, %v, want %d with %q", test.method, test.path, code, got, test.code, test.text)
			}
		})
	}
	if _, err := catalog.New(nil, nil, catalog.Options{Publisher: "a b"}); err == nil {
		t.Error("New() with a publisher that is no domain = nil, want an error")
	}
	for _, base := range []string{"agents.example", "ftp://agents.example", "https:///agents", "https://agents.example:x"} {
		if _, err := catalog.New(nil, nil, catalog.Options{BaseURL: base}); err == nil {
			t.Errorf("New() with the base URL %s = nil, want an error", base)
		}
	}
}

func TestAKnownCatalogIsNotSentAgain(t *testing.T) {
	t.Parallel()
	c, err := catalog.New(registrytest.New(t, registry.Options{}), page.New(make([]byte, 32)), catalog.Options{})
	if err != nil {
		t.Fatalf("New() = %v, want no error", err)
	}
	ask := func(method, etag string) *httptest.ResponseRecorder {
		ctx := auth.NewContext(t.Context(), auth.Principal{Tenant: "t", Name: "ann"})
		request := httptest.NewRequestWithContext(ctx, method, catalog.WellKnownPath, http.NoBody)
		request.Header.Set("If-None-Match", etag)
		answer := httptest.NewRecorder()
		c.ServeHTTP(answer, request)
		return answer
	}
	tag := ask(http.MethodGet, "").Header().Get("ETag")
	for _, known := range []string{tag, "W/" + tag, `"other", ` + tag, "*"} {
		again := ask(http.MethodGet, known)
		if again.Code != http.StatusNotModified || again.Body.Len() != 0 || !strings.Contains(again.Header().Get("Cache-Control"), "private") {
			t.Errorf("GET with If-None-Match %s = %d, %v, want 304 and nothing more", known, again.Code, again.Header())
		}
	}
	for _, known := range []string{`"other"`, "", tag[:5]} {
		if other := ask(http.MethodGet, known); other.Code != http.StatusOK || other.Body.Len() == 0 {
			t.Errorf("GET with If-None-Match %s = %d, want 200 and the catalog", known, other.Code)
		}
	}
	if posted := ask(http.MethodPost, ""); posted.Code != http.StatusMethodNotAllowed || posted.Header().Get("Allow") != "GET, HEAD" {
		t.Errorf("POST = %d, %v, want 405 and what is allowed", posted.Code, posted.Header())
	}
}

func TestAWrongMethodIsToldWhichAreRight(t *testing.T) {
	t.Parallel()
	ask := serve(t, catalog.Options{}, weather)
	for path, want := range map[string]string{"/agents": "GET, HEAD", "/search": "POST", "/explore": "POST"} {
		if code, _, header := ask("t", http.MethodPut, catalog.ARDPath+path, ""); code != http.StatusMethodNotAllowed || header.Get("Allow") != want {
			t.Errorf("PUT %s = %d, Allow %q, want 405, %q", path, code, header.Get("Allow"), want)
		}
	}
}
