package rpc_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/quorate/quorate/registry"
)

func TestAChangeWaitsForAnAdminOverREST(t *testing.T) {
	t.Parallel()
	onEachStoreWith(t, registry.Options{CardChanges: registry.CardChangesConfirm}, changesOverREST)
}

func changesOverREST(t *testing.T, url string) {
	t.Helper()
	admin := adminToken.Reveal()
	card := func(host string) string {
		return `{"card":{"name":"web","version":"1.0.0","url":"https://` + host + `.example/","skills":[{"id":"fetch"}]}}`
	}
	call{name: "registration", token: admin, method: "POST", path: "/v1/agents:register", body: card("one"), status: 200}.do(t, url)
	_, issued := call{name: "a token", token: admin, method: "POST", path: "/v1/agents/web:issueToken", body: `{}`, status: 200}.do(t, url)
	agent := field(t, issued, "token")
	shown := func(c call) string {
		t.Helper()
		c.token, c.status = "viewer-token", 200
		c.method, c.path = "GET", "/v1/agents/web"
		_, body := c.do(t, url)
		return field(t, body, "etag")
	}
	call{
		name: "a card elsewhere", token: agent, method: "POST", path: "/v1/agents:apply", body: card("evil"), status: 200, want: `"outcome":"unchanged","warnings":[{"code":"CHANGE_WAITS"`,
	}.do(t, url)
	call{
		name: "other schemas", token: agent, method: "PATCH", path: "/v1/agents/web/metadata", status: 200, want: "CHANGE_WAITS",
		body: `{"outputSchemas":[{"name":"page","semanticType":"artifact"}]}`,
	}.do(t, url)
	shown(call{name: "what is in force", want: `"url":"https://one.example/"`})
	shown(call{name: "what waits", want: `"pendingChange":{"author":"agent","createTime":"2`})
	shown(call{name: "the version that waits", want: `"version":"2"`})
	shown(call{name: "the schemas that wait", want: `"metadata":{"outputSchemas":[{"name":"page"`})
	etag := shown(call{name: "how it differs", want: `{"field":"card.url","old":"\"https://one.example/\"","new":"\"https://evil.example/\""}`})
	for _, c := range []call{
		{name: "who waits", token: "viewer-token", method: "GET", path: "/v1/agents?filter=pending_change%3Dtrue", status: 200, want: `"name":"web"`},
		{name: "the card that waits", token: "viewer-token", method: "GET", path: "/v1/agents/web/versions/2", status: 200, want: `"url":"https://evil.example/"`},
		{name: "the agent may not approve", token: agent, method: "POST", path: "/v1/agents/web:approveChange", body: `{"etag":"` + etag + `"}`, status: 403, want: "ROLE_MISSING"},
		{name: "nor refuse", token: agent, method: "POST", path: "/v1/agents/web:rejectChange", body: `{}`, status: 403, want: "ROLE_MISSING"},
		{name: "approval of anything", token: admin, method: "POST", path: "/v1/agents/web:approveChange", body: `{}`, status: 400, want: "ETAG_MISSING"},
		{name: "approval of something else", token: admin, method: "POST", path: "/v1/agents/web:approveChange", body: `{}`, ifMatch: `"x"`, status: 412, want: "ETAG_MISMATCH"},
		{name: "refusal of something else", token: admin, method: "POST", path: "/v1/agents/web:rejectChange", body: `{"etag":"x"}`, status: 409, want: "ETAG_MISMATCH"},
		{
			name: "what approval would do", token: admin, method: "POST", path: "/v1/agents/web:approveChange", body: `{"validateOnly":true}`, ifMatch: `"` + etag + `"`, status: 200,
			want: "INTERFACE_REMOVED",
		},
		{name: "approval", token: admin, method: "POST", path: "/v1/agents/web:approveChange", body: `{}`, ifMatch: `"` + etag + `"`, status: 200, want: "INTERFACE_REMOVED"},
		{name: "what is in force then", token: "viewer-token", method: "GET", path: "/v1/agents/web/card", status: 200, want: "https://evil.example/"},
		{name: "the schemas then", token: "viewer-token", method: "GET", path: "/v1/agents/web/metadata", status: 200, want: `"outputSchemas":[{"name":"page"`},
		{name: "nothing waits", token: admin, method: "POST", path: "/v1/agents/web:rejectChange", body: `{}`, status: 400, want: "NO_CHANGE_WAITS"},
		{name: "another card", token: agent, method: "POST", path: "/v1/agents:apply", body: card("worse"), status: 200, want: "CHANGE_WAITS"},
		{name: "refusal", token: admin, method: "POST", path: "/v1/agents/web:rejectChange", body: `{}`, status: 200, want: `"liveVersion":"2"`},
		{name: "the refused card", token: agent, method: "POST", path: "/v1/agents:apply", body: card("worse"), status: 200, want: "CHANGE_REFUSED"},
		{
			name: "an admin's schemas", token: admin, method: "PATCH", path: "/v1/agents/web/metadata", status: 200, want: `"warnings":[]`,
			body: `{"outputSchemas":[{"name":"note","semanticType":"comment"}]}`,
		},
		{name: "an admin's card", token: admin, method: "POST", path: "/v1/agents:apply", body: card("worse"), status: 200, want: `"outcome":"replaced"`},
	} {
		c.do(t, url)
	}
}

// field returns a text of a JSON object.
func field(t *testing.T, body, name string) string {
	t.Helper()
	var object map[string]any
	if err := json.NewDecoder(strings.NewReader(body)).Decode(&object); err != nil {
		t.Fatalf("Decode(%s) = %v, want no error", body, err)
	}
	text, _ := object[name].(string)
	return text
}
