package rpc_test

import (
	"bufio"
	"net/http"
	"slices"
	"strings"
	"testing"
)

// TestAWatchOverREST reads the change log as a long poll and as server-sent events.
func TestAWatchOverREST(t *testing.T) {
	t.Parallel()
	onEachStore(t, watchOverREST)
}

func watchOverREST(t *testing.T, url string) {
	t.Helper()
	admin := adminToken.Reveal()
	for _, c := range []call{
		{name: "registration", method: "POST", path: "/v1/agents:apply", status: 200, want: `"outcome":"created"`, body: `{"card":{"name":"web","version":"1.0.0","url":"https://web.example/","skills":[{"id":"fetch"}]}}`},
		{name: "a snapshot", method: "GET", path: "/v1/agents:watch?wait=1s", status: 200, want: `"type":"snapshot","agentName":"web"`},
		{name: "its bookmark", method: "GET", path: "/v1/agents:watch?wait=1s", status: 200, want: `"sequence":"1","type":"bookmark"`},
		{name: "no snapshot", method: "GET", path: "/v1/agents:watch?skipSnapshot=true&wait=1s", status: 200, want: `{"result":{"sequence":"1","type":"bookmark"`},
		{name: "news that are there", method: "GET", path: "/v1/agents:watch?revision=0&wait=60s", status: 200, want: `"sequence":"1","type":"created"`},
		{name: "no news", method: "GET", path: "/v1/agents:watch?revision=1&wait=0.01s", status: 200, want: `"type":"bookmark"`},
		{name: "what is there, without waiting", method: "GET", path: "/v1/agents:watch?wait=0s", status: 200, want: `"type":"bookmark"`},
		{name: "no news, without waiting", method: "GET", path: "/v1/agents:watch?revision=1&wait=0s", status: 200, want: `"type":"bookmark"`},
		{name: "a revision of the future", method: "GET", path: "/v1/agents:watch?revision=9&wait=1s", status: 400, want: `REVISION_GONE`},
		{name: "its code, which is OUT_OF_RANGE", method: "GET", path: "/v1/agents:watch?revision=9&wait=1s", status: 400, want: `"code":11,`},
		{name: "a wait that is too long", method: "GET", path: "/v1/agents:watch?wait=61s", status: 400, want: `"wait"`},
		{name: "drain", method: "POST", path: "/v1/agents/web:drain", body: `{"reason":"new disk"}`, status: 200, want: `"draining":true`},
		{name: "resume", method: "POST", path: "/v1/agents/web:resume", body: `{}`, status: 200, want: `"status":"unknown"`},
	} {
		c.token = admin
		c.do(t, url)
	}
	for query, want := range map[string]string{
		"?revision=0 ":  "1 2 3",
		" 1":            "2 3",
		"?revision=0 2": "3", // what the reader has seen counts, not where it once began
		" 0":            "0 3",
	} {
		query, last, _ := strings.Cut(query, " ")
		if code, got := eventIDs(t, url+"/v1/agents:watch"+query, admin, last); code != http.StatusOK || got != want {
			t.Errorf("GET %s with the last event %q = %d, events %s, want %s", query, last, code, got, want)
		}
	}
	if code, _ := eventIDs(t, url+"/v1/agents:watch", admin, "x"); code != http.StatusBadRequest {
		t.Errorf("GET with a last event that is no number = %d, want 400", code)
	}
}

// eventIDs reads server-sent events, for a reader that has seen the event last where that is not empty, and returns the ids of those up to the third revision.
func eventIDs(t *testing.T, url, token, last string) (code int, ids string) {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, url, http.NoBody)
	if err != nil {
		t.Fatalf("NewRequest() = %v, want no error", err)
	}
	request.Header.Set("Authorization", "Bearer "+token)
	request.Header.Set("Accept", "text/event-stream")
	if last != "" {
		request.Header.Set("Last-Event-ID", last)
	}
	response, err := new(http.Client).Do(request)
	if err != nil {
		t.Fatalf("GET %s = %v, want an answer", url, err)
	}
	defer func() { _ = response.Body.Close() }()
	var seen []string
	for lines := bufio.NewScanner(response.Body); !slices.Contains(seen, "3") && lines.Scan(); {
		if id, ok := strings.CutPrefix(lines.Text(), "id: "); ok {
			seen = append(seen, id)
		}
	}
	return response.StatusCode, strings.Join(seen, " ")
}

func TestFindingAgentsOverREST(t *testing.T) {
	t.Parallel()
	onEachStore(t, findOverREST)
}

func findOverREST(t *testing.T, url string) {
	t.Helper()
	admin := adminToken.Reveal()
	const inline = `{"card":{"name":"NAME","version":"1.0.0","url":"https://web.example/","skills":[{"id":"fetch","description":"Reads a page","tags":["web"]}]},
		"metadata":{"outputSchemas":[{"name":"page","semanticType":"artifact","jsonSchema":{"type":"object"}}],"inputSchemas":[{"name":"spec","semanticType":"document","json_schema":{}}]}}`
	for _, c := range []call{
		{name: "one agent", method: "POST", path: "/v1/agents:apply", body: strings.Replace(inline, "NAME", "web", 1), status: 200, want: `"outcome":"created"`},
		{name: "the same", method: "POST", path: "/v1/agents:apply", body: strings.Replace(inline, "NAME", "web", 1), status: 200, want: `"outcome":"unchanged"`},
		{name: "another agent", method: "POST", path: "/v1/agents:apply", body: strings.Replace(inline, "NAME", "sub", 1), status: 200, want: `"outcome":"created"`},
		{name: "a stale If-Match", method: "POST", path: "/v1/agents:apply", body: strings.Replace(inline, "NAME", "web", 1), ifMatch: `"x"`, status: 412, want: "ETAG_MISMATCH"},
		{name: "any version, of which there is one", method: "POST", path: "/v1/agents:apply", body: strings.Replace(inline, "NAME", "web", 1), ifMatch: "*", status: 200, want: `"outcome":"unchanged"`},
		{name: "any version, of which there is none", method: "POST", path: "/v1/agents:apply", body: strings.Replace(inline, "NAME", "pub", 1), ifMatch: "*", status: 404, want: "AGENT_NOT_FOUND"},
		{name: "any version of what is to be created", method: "POST", path: "/v1/agents:register", body: strings.Replace(inline, "NAME", "pub", 1), ifMatch: "*", status: 400, want: "CONDITION_UNSUPPORTED"},
		{name: "a bad JSON Schema", method: "POST", path: "/v1/agents:apply", body: strings.Replace(inline, `"object"`, `"thing"`, 1), status: 400, want: "json_schema"},
		{name: "by text", method: "POST", path: "/v1/agents:search", body: `{"query":"pages","pageSize":1}`, status: 200, want: `"skillIds":["fetch"]`},
		{name: "by tag and skill", method: "POST", path: "/v1/agents:search", body: `{"tag":"WEB","skill":"fetch"}`, status: 200, want: `"name":"web"`},
		{name: "by nothing", method: "POST", path: "/v1/agents:search", body: `{}`, status: 400, want: `SEARCH_EMPTY`},
		{name: "by the index of tags", method: "GET", path: "/v1/tags/Web/agents", status: 200, want: `{"agents":[{"name":"sub"`},
		{name: "its next page", method: "GET", path: "/v1/tags/web/agents?pageSize=1", status: 200, want: `"nextPageToken"`},
		{name: "nobody of them is available", method: "GET", path: "/v1/tags/web/agents?availableOnly=true", status: 200, want: `{"agents":[],"nextPageToken":""}`},
		{name: "by the index of skills, with a tag", method: "GET", path: "/v1/skills/fetch/agents?tag=WEB", status: 200, want: `{"agents":[{"name":"sub"`},
		{name: "with another tag", method: "GET", path: "/v1/skills/fetch/agents?tag=ftp", status: 200, want: `"agents":[]`},
		{name: "a filter on a tag", method: "GET", path: "/v1/agents?filter=tags:web%20AND%20name=w*", status: 200, want: `{"agents":[{"name":"web"`},
		{name: "a wait without a unit", method: "GET", path: "/v1/agents:watch?wait=5", status: 400, want: `wait: \"5\" is not a duration, such as 5s or 1m30s`},
		{name: "a wait that is none", method: "GET", path: "/v1/agents:watch?wait=soon", status: 400, want: `wait: \"soon\" is not a duration`},
		{name: "a wait with a comma", method: "GET", path: "/v1/agents:watch?wait=5,5s", status: 400, want: `wait: \"5,5s\" is not a duration`},
		{name: "several", method: "GET", path: "/v1/agents:batchGet?names=web&names=sub", status: 200, want: `{"agents":[{"name":"web"`},
		{name: "a filter", method: "GET", path: "/v1/agents?filter=skills:%22fetch%22%20AND%20name=s*&orderBy=version%20desc", status: 200, want: `{"agents":[{"name":"sub"`},
		{name: "a filter on what is not there", method: "GET", path: "/v1/agents?filter=colour=red", status: 400, want: `\"colour\"`},
		{name: "consumers", method: "POST", path: "/v1/agents:findCompatible", body: `{"agentName":"web"}`, status: 200, want: `"tier":"seed"`},
		{name: "producers", method: "POST", path: "/v1/agents:findCompatible", body: `{"agentName":"web","direction":"producers","minTier":"exact"}`, status: 200, want: `"pairs":[]`},
		{name: "a mapping", method: "POST", path: "/v1/semanticMappings", body: `{"fromType":"document","toType":"comment"}`, status: 200, want: `"name":"document-comment"`},
		{name: "the other way", method: "POST", path: "/v1/semanticMappings", body: `{"fromType":"comment","toType":"document"}`, status: 409, want: `MAPPING_EXISTS`},
		{name: "its description", method: "PATCH", path: "/v1/semanticMappings/document-comment", body: `{"description":"why"}`, status: 200, want: `"description":"why"`},
		{name: "another field", method: "PATCH", path: "/v1/semanticMappings/document-comment?updateMask=toType", body: `{"toType":"artifact"}`, status: 400, want: `MASK_INVALID`},
		{name: "nothing", method: "PATCH", path: "/v1/semanticMappings/document-comment", body: `{}`, status: 400, want: `nothing is named`},
		{name: "a stale etag and nothing", method: "PATCH", path: "/v1/semanticMappings/document-comment", body: `{"etag":"x"}`, status: 400, want: `nothing is named`},
		{name: "a stale etag", method: "PATCH", path: "/v1/semanticMappings/document-comment", body: `{"description":"no","etag":"x"}`, status: 409, want: `ETAG_MISMATCH`},
		{
			name: "the whole mapping, as it was read", method: "PATCH", path: "/v1/semanticMappings/document-comment", status: 200, want: `"description":"why not"`,
			body: `{"name":"document-comment","fromType":"document","toType":"comment","description":"why not","createTime":"2026-01-16T12:00:00Z","updateTime":"2026-01-16T12:00:00Z"}`,
		},
		{name: "another type", method: "PATCH", path: "/v1/semanticMappings/document-comment", body: `{"description":"no","toType":"artifact"}`, status: 400, want: `MASK_INVALID`},
		{name: "another name", method: "PATCH", path: "/v1/semanticMappings/document-comment", body: `{"description":"no","name":"x"}`, status: 400, want: `MASK_INVALID`},
		{name: "another type among all", method: "PATCH", path: "/v1/semanticMappings/document-comment?updateMask=*", body: `{"description":"no","toType":"artifact"}`, status: 400, want: `MASK_INVALID`},
		{name: "one mapping", method: "GET", path: "/v1/semanticMappings/document-comment", status: 200, want: `"description":"why not"`},
		{name: "a stale mapping", method: "DELETE", path: "/v1/semanticMappings/document-comment", ifMatch: `"x"`, status: 412, want: `ETAG_MISMATCH`},
		{name: "all mappings", method: "GET", path: "/v1/semanticMappings", status: 200, want: `{"semanticMappings":[{`},
		{name: "no mapping", method: "DELETE", path: "/v1/semanticMappings/document-comment?requestId=1", status: 200, want: `{}`},
		{name: "its retry", method: "DELETE", path: "/v1/semanticMappings/document-comment?requestId=1", status: 200, want: `{}`},
		{name: "deletion", method: "DELETE", path: "/v1/agents/sub?requestId=2", status: 200, want: `{}`},
		{name: "its retry", method: "DELETE", path: "/v1/agents/sub?requestId=2", status: 200, want: `{}`},
	} {
		c.token = admin
		c.do(t, url)
	}
	call{name: "a viewer may not map", token: "viewer-token", method: "POST", path: "/v1/semanticMappings", body: `{"fromType":"document","toType":"comment"}`, status: 403, want: `ROLE_MISSING`}.do(t, url)
}
