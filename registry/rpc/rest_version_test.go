package rpc_test

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"encoding/json"
	"testing"

	"github.com/go-jose/go-jose/v4"
)

func TestVersionsAndSigningKeysOverREST(t *testing.T) {
	t.Parallel()
	onEachStore(t, versionsOverREST)
}

func versionsOverREST(t *testing.T, url string) {
	t.Helper()
	admin := adminToken.Reveal()
	private, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatalf("GenerateKey() = %v, want no error", err)
	}
	jwk, err := json.Marshal(jose.JSONWebKey{Key: private.Public(), KeyID: "did:web:acme.com/team#key-1"})
	if err != nil {
		t.Fatalf("Marshal() = %v, want no error", err)
	}
	second, err := json.Marshal(jose.JSONWebKey{Key: private.Public(), KeyID: "key-2"})
	if err != nil {
		t.Fatalf("Marshal() = %v, want no error", err)
	}
	const keyPath, escapedPath = "/v1/signingKeys/did:web:acme.com/team%23key-1", "/v1/signingKeys/did:web:acme.com%2Fteam%23key-1"
	for _, c := range []call{
		{
			name: "registration with another version", token: admin, method: "POST", path: "/v1/agents:register", status: 200, want: "VERSION_MISMATCH",
			body: `{"card":{"name":"web","version":"1.0.0","url":"https://web.example/","skills":[{"id":"fetch"}]},"version":"2.0.0"}`,
		},
		{name: "its source", token: "viewer-token", method: "GET", path: "/v1/agents/web", status: 200, want: `"source":{"type":"api","present":true}`},
		{
			name: "metadata as the data model spells it", token: admin, method: "PATCH", path: "/v1/agents/web/metadata", status: 200, want: `"semanticType":"document"`,
			body: `{"agent_name":"web","version":"1.0.0","created_at":"2026-01-16T12:00:00Z","updated_at":"2026-01-16T12:00:00Z","input_schemas":[{"name":"specification",` +
				`"semantic_type":"document","description":"d","required":true,"validation_rules":[{"type":"enum","value":["a","b"],"message":"a or b"}]}],` +
				`"output_schemas":[{"name":"stories","semantic_type":"artifact","description":"d","guaranteed":true}],"consultation_requirements":[]}`,
		},
		{name: "metadata of another version", token: admin, method: "PATCH", path: "/v1/agents/web/metadata", body: `{"version":"1.0.1"}`, status: 200, want: "metadata.version"},
		{name: "metadata that says nothing", token: admin, method: "PATCH", path: "/v1/agents/web/metadata", body: `{}`, status: 400, want: "nothing is named that should change"},
		{
			name: "metadata with a time that is none", token: admin, method: "PATCH", path: "/v1/agents/web/metadata", body: `{"createdAt":"yesterday"}`, status: 400,
			want: `created_at: \"yesterday\" is not a time`,
		},
		{name: "metadata of another agent", token: admin, method: "PATCH", path: "/v1/agents/web/metadata", body: `{"agent_name":"other"}`, status: 400, want: "metadata.agent_name"},
		{name: "whose metadata", token: "viewer-token", method: "GET", path: "/v1/agents/web/metadata", status: 200, want: `"agentName":"web","version":"1.0.0","createdAt":"2026-`},
		{name: "its versions", token: "viewer-token", method: "GET", path: "/v1/agents/web/versions", status: 200, want: `"version":"1"`},
		{name: "one version", token: "viewer-token", method: "GET", path: "/v1/agents/web/versions/1", status: 200, want: `"card":{`},
		{name: "a version that is not there", token: "viewer-token", method: "GET", path: "/v1/agents/web/versions/2", status: 404, want: "VERSION_NOT_FOUND"},
		{name: "a version that is no number", token: "viewer-token", method: "GET", path: "/v1/agents/web/versions/x", status: 400, want: "version"},
		{name: "versions of nobody", token: "viewer-token", method: "GET", path: "/v1/agents/nobody/versions", status: 404, want: "AGENT_NOT_FOUND"},
		{name: "a viewer may not go back", token: "viewer-token", method: "POST", path: "/v1/agents/web:setLiveVersion", body: `{"version":"1"}`, status: 403, want: "ROLE_MISSING"},
		{name: "another card", token: admin, method: "POST", path: "/v1/agents:apply", body: `{"card":{"name":"web","version":"2.0.0","url":"https://web.example/","skills":[]}}`, status: 200},
		{name: "what going back would do", token: admin, method: "POST", path: "/v1/agents/web:setLiveVersion", body: `{"version":1,"validateOnly":true}`, status: 200, want: `"liveVersion":"1"`},
		{name: "what is live then", token: "viewer-token", method: "GET", path: "/v1/agents/web", status: 200, want: `"liveVersion":"2"`},
		{name: "going back", token: admin, method: "POST", path: "/v1/agents/web:setLiveVersion", body: `{"version":1}`, status: 200, want: `"liveVersion":"1"`},
		{
			name: "going back with a stale If-Match", token: admin, method: "POST", path: "/v1/agents/web:setLiveVersion", body: `{"version":1}`, ifMatch: `"x"`,
			status: 412, want: "ETAG_MISMATCH",
		},
		{name: "a viewer may not pin", token: "viewer-token", method: "POST", path: "/v1/signingKeys", body: `{"jwk":` + string(jwk) + `}`, status: 403, want: "ROLE_MISSING"},
		{name: "no key", token: admin, method: "POST", path: "/v1/signingKeys", body: `{}`, status: 400, want: "jwk"},
		{name: "a key that is secret", token: admin, method: "POST", path: "/v1/signingKeys", body: `{"jwk":{"kty":"oct","k":"AAAA","kid":"k"}}`, status: 400, want: "KEY_INVALID"},
		{name: "a key", token: admin, method: "POST", path: "/v1/signingKeys", body: `{"jwk":` + string(jwk) + `,"agents":["web"]}`, status: 200, want: `"thumbprint"`},
		{name: "the key again", token: admin, method: "POST", path: "/v1/signingKeys", body: `{"jwk":` + string(jwk) + `}`, status: 409, want: "KEY_EXISTS"},
		{name: "another key", token: admin, method: "POST", path: "/v1/signingKeys", body: `{"jwk":` + string(second) + `,"requestId":"pin"}`, status: 200, want: `"thumbprint"`},
		{name: "its retry", token: admin, method: "POST", path: "/v1/signingKeys", body: `{"requestId":"pin","jwk":` + string(second) + `}`, status: 200, want: `"thumbprint"`},
		{name: "its id for other agents", token: admin, method: "POST", path: "/v1/signingKeys", body: `{"jwk":` + string(second) + `,"agents":["web"],"requestId":"pin"}`, status: 409, want: "REQUEST_ID_REUSED"},
		{name: "going back once more", token: admin, method: "POST", path: "/v1/agents/web:setLiveVersion", body: `{"version":1,"requestId":"back"}`, status: 200, want: `"liveVersion":"1"`},
		{name: "a token", token: admin, method: "POST", path: "/v1/agents/web:issueToken", body: `{"requestId":"token"}`, status: 200, want: "quorate_agent_"},
		{name: "a late copy of the request", token: admin, method: "POST", path: "/v1/agents/web:issueToken", body: `{"requestId":"token"}`, status: 400, want: "TOKEN_SHOWN_BEFORE"},
		{name: "a page of the keys", token: "viewer-token", method: "GET", path: "/v1/signingKeys?pageSize=1", status: 200, want: `"nextPageToken":`},
		{name: "the keys", token: "viewer-token", method: "GET", path: "/v1/signingKeys", status: 200, want: `"agents":["web"]`},
		{name: "the key's end", token: admin, method: "DELETE", path: keyPath + "?requestId=unpin", status: 200, want: "{}"},
		{name: "its retry", token: admin, method: "DELETE", path: escapedPath + "?requestId=unpin", status: 200, want: "{}"},
		{name: "a key that is not there", token: admin, method: "DELETE", path: keyPath, status: 404, want: "KEY_NOT_FOUND"},
	} {
		c.do(t, url)
	}
}
