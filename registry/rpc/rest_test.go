package rpc_test

import (
	"context"
	"encoding/json"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/quorate/quorate/platform/auth"
	"github.com/quorate/quorate/platform/page"
	"github.com/quorate/quorate/platform/rpcserver"
	"github.com/quorate/quorate/platform/telemetry"
	registryv1 "github.com/quorate/quorate/proto/gen/quorate/registry/v1"
	"github.com/quorate/quorate/registry"
	"github.com/quorate/quorate/registry/rpc"
)

const adminToken auth.Secret = "admin-token"

// serveOn runs the service behind the real server and returns its URL.
func serveOn(tb testing.TB, r *registry.Registry) string {
	tb.Helper()
	listener, err := new(net.ListenConfig).Listen(tb.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		tb.Fatalf("Listen() = %v, want no error", err)
	}
	tel, err := telemetry.Setup(tb.Context(), telemetry.Config{LogWriter: io.Discard})
	if err != nil {
		tb.Fatalf("Setup() = %v, want no error", err)
	}
	ring := auth.NewKeyring()
	ring.Add(adminToken, auth.Principal{Name: "root", Roles: []auth.Role{auth.RoleAdmin}})
	ring.Add("viewer-token", auth.Principal{Name: "ann", Roles: []auth.Role{auth.RoleViewer}})
	server, err := rpcserver.New(rpcserver.Options{
		Telemetry: tel, Authenticator: auth.Chain(ring, rpc.Tokens(r)), Rules: rpc.Rules(), HTTPListener: listener,
	})
	if err != nil {
		tb.Fatalf("New() = %v, want no error", err)
	}
	registryv1.RegisterRegistryServiceServer(server.GRPC(), rpc.New(r, page.New(make([]byte, 32))))
	if err := server.Gateway(tb.Context(), rpcserver.NewREST(registryv1.RegisterRegistryServiceHandlerClient, registryv1.NewRegistryServiceClient)); err != nil {
		tb.Fatalf("Gateway() = %v, want no error", err)
	}
	ctx, cancel := context.WithCancel(context.WithoutCancel(tb.Context()))
	done := make(chan error, 1)
	go func() { done <- server.Run(ctx) }()
	tb.Cleanup(func() {
		cancel()
		if err := <-done; err != nil {
			tb.Errorf("Run() = %v, want nil", err)
		}
	})
	return "http://" + listener.Addr().String()
}

// call is one REST call and what its answer must be.
type call struct {
	name, token, method, path, body, ifMatch, ifNoneMatch string

	status int
	want   string // somewhere in the answer's body, without spaces
}

func (c call) do(t *testing.T, url string) (header http.Header, body string) {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), c.method, url+c.path, strings.NewReader(c.body))
	if err != nil {
		t.Fatalf("NewRequest() = %v, want no error", err)
	}
	request.Header.Set("Authorization", "Bearer "+c.token)
	request.Header.Set("Content-Type", "application/json")
	if c.ifMatch != "" {
		request.Header.Set("If-Match", c.ifMatch)
	}
	if c.ifNoneMatch != "" {
		request.Header.Set("If-None-Match", c.ifNoneMatch)
	}
	response, err := new(http.Client).Do(request)
	if err != nil {
		t.Fatalf("%s: %s %s = %v, want an answer", c.name, c.method, c.path, err)
	}
	defer func() { _ = response.Body.Close() }()
	raw, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatalf("%s: reading = %v, want no error", c.name, err)
	}
	if response.StatusCode != c.status || !strings.Contains(strings.ReplaceAll(string(raw), " ", ""), strings.ReplaceAll(c.want, " ", "")) {
		t.Errorf("%s: %s %s = %d %s, want %d with %s", c.name, c.method, c.path, response.StatusCode, raw, c.status, c.want)
	}
	return response.Header, string(raw)
}

func TestTheWholeLifeOfAnAgentOverREST(t *testing.T) {
	t.Parallel()
	onEachStore(t, wholeLife)
}

func TestACardIsServedAsItCame(t *testing.T) {
	t.Parallel()
	onEachStore(t, func(t *testing.T, url string) {
		t.Helper()
		const raw = "{\n  \"version\": \"1.0.0\", \"name\":\"web\", \"x\": 1.50e1, \"y\": \"\\u00e9<\",\n  \"url\": \"https://web.example/\",\"skills\":[] }\n"
		for name, path := range map[string]string{"web": "/v1/agents:register", "other": "/v1/agents:apply"} {
			card := strings.Replace(raw, "web", name, 1)
			body, err := json.Marshal(map[string]string{"cardJson": card})
			if err != nil {
				t.Fatalf("Marshal() = %v, want no error", err)
			}
			call{name: "a card as text", token: adminToken.Reveal(), method: "POST", path: path, body: string(body), status: 200, want: "SKILLS_EMPTY"}.do(t, url)
			_, got := call{name: "its card", token: "viewer-token", method: "GET", path: "/v1/agents/" + name + "/card", status: 200}.do(t, url)
			if got != card {
				t.Errorf("GET card = %q, want %q", got, card)
			}
		}
		call{
			name: "both forms", token: adminToken.Reveal(), method: "POST", path: "/v1/agents:register", body: `{"card":{},"cardJson":"{}"}`, status: 400, want: "oneof",
		}.do(t, url)
		call{
			name: "a key twice", token: adminToken.Reveal(), method: "POST", path: "/v1/agents:register", status: 400, want: "CARD_DUPLICATE_KEY",
			body: `{"cardJson":"{\"name\":\"a\",\"name\":\"b\"}"}`,
		}.do(t, url)
	})
}

func wholeLife(t *testing.T, url string) {
	t.Helper()
	admin := adminToken.Reveal()
	const inline = `{"card":{"name":"web","version":"1.0.0","url":"https://web.example/","skills":[{"id":"fetch"}]},"requestId":"r-1"}`
	for _, c := range []call{
		{name: "a viewer may not register", token: "viewer-token", method: "POST", path: "/v1/agents:register", body: inline, status: 403, want: "ROLE_MISSING"},
		{name: "an unknown field is named", token: admin, method: "POST", path: "/v1/agents:register", body: `{"card":{},"colour":1}`, status: 400, want: "colour"},
		{name: "neither card nor URL", token: admin, method: "POST", path: "/v1/agents:register", body: `{}`, status: 400, want: "one of card, card_uri, card_json must be set"},
		{
			name: "a name with a space", token: admin, method: "POST", path: "/v1/agents:register", status: 400, want: `"card.name"`,
			body: strings.Replace(inline, `"web"`, `"web fetch"`, 1),
		},
		{name: "registration", token: admin, method: "POST", path: "/v1/agents:register", body: inline, status: 200, want: `"name":"web"`},
		{name: "its retry", token: admin, method: "POST", path: "/v1/agents:register", body: inline, status: 200, want: `"name":"web"`},
		{
			name: "a name that is taken", token: admin, method: "POST", path: "/v1/agents:register", status: 409, want: "AGENT_EXISTS",
			body: strings.Replace(inline, "r-1", "r-2", 1),
		},
		{
			name: "the card, with its keys in order", token: "viewer-token", method: "GET", path: "/v1/agents/web/card", status: 200,
			want: `{"name":"web","skills":[{"id":"fetch"}],"url":"https://web.example/","version":"1.0.0"}`,
		},
		{name: "the list", token: "viewer-token", method: "GET", path: "/v1/agents?pageSize=1", status: 200, want: `"agents":[`},
		{name: "the skills", token: "viewer-token", method: "GET", path: "/v1/skills", status: 200, want: `"agentName":"web"`},
		{name: "agents by skill", token: "viewer-token", method: "GET", path: "/v1/skills/fetch/agents", status: 200, want: `"name":"web"`},
		{name: "nobody is available", token: "viewer-token", method: "GET", path: "/v1/skills/fetch/agents?availableOnly=true", status: 200, want: `{"agents":[],"nextPageToken":""}`},
		{name: "the status", token: "viewer-token", method: "GET", path: "/v1/agents/web/status", status: 200, want: `"status":"unknown"`},
		{
			name: "metadata with a bad pattern", token: admin, method: "PATCH", path: "/v1/agents/web/metadata", status: 400, want: "validation_rules[0].value",
			body: `{"inputSchemas":[{"name":"i","semanticType":"document","validationRules":[{"type":"pattern","value":"(","message":"m"}]}]}`,
		},
		{
			name: "a dry run of metadata", token: admin, method: "PATCH", path: "/v1/agents/web/metadata?validateOnly=true&requestId=dry", status: 200,
			want: "TARGET_AGENT_UNKNOWN", body: `{"consultationRequirements":[{"id":"r","targetAgent":"reviewer","phase":"on-error"}]}`,
		},
		{name: "what a dry run leaves", token: admin, method: "GET", path: "/v1/agents/web/metadata", status: 200, want: `"consultationRequirements":[]`},
		{
			name: "metadata", token: admin, method: "PATCH", path: "/v1/agents/web/metadata?requestId=dry", status: 200, want: "TARGET_AGENT_UNKNOWN",
			body: `{"consultation_requirements":[{"id":"r","target_agent":"reviewer","phase":"pre-completion","mandatory":true,` +
				`"condition":{"attribute":"a","operator":"equals","value":[1,"x",true]}}]}`,
		},
		{
			name: "metadata with a mask as in JSON", token: admin, method: "PATCH", path: "/v1/agents/web/metadata?updateMask=inputSchemas", status: 200,
			want: `"targetAgent":"reviewer"`, body: `{"inputSchemas":[{"name":"i","semanticType":"document"}],"consultationRequirements":[]}`,
		},
		{name: "metadata that is read back", token: admin, method: "GET", path: "/v1/agents/web/metadata", status: 200, want: `"targetAgent":"reviewer"`},
		{name: "what is false", token: admin, method: "GET", path: "/v1/agents/web/metadata", status: 200, want: `"required":false`},
		{name: "an agent that is not there", token: admin, method: "GET", path: "/v1/agents/nobody", status: 404, want: "AGENT_NOT_FOUND"},
	} {
		c.do(t, url)
	}

	_, issued := call{name: "a token", token: admin, method: "POST", path: "/v1/agents/web:issueToken", body: "{}", status: 200, want: "quorate_agent_"}.do(t, url)
	own := strings.Split(issued, `"`)[3]
	call{
		name: "a beat", token: own, method: "POST", path: "/v1/agents/web:heartbeat", body: `{"status":"available"}`, status: 200, want: `"epoch":"1"`,
	}.do(t, url)
	call{
		name: "a beat for another", token: own, method: "POST", path: "/v1/agents/other:heartbeat", body: `{"status":"available"}`, status: 403,
		want: "NOT_YOUR_AGENT",
	}.do(t, url)
	call{
		name: "it is available", token: own, method: "GET", path: "/v1/skills/fetch/agents?availableOnly=true", status: 200, want: `"name":"web"`,
	}.do(t, url)

	call{
		name: "its own rules, with a mask as in JSON", token: own, method: "PATCH", path: "/v1/agents/web/metadata?updateMask=consultationRequirements",
		body: `{}`, status: 403, want: "RULES_ARE_THE_ADMINS",
	}.do(t, url)
	call{
		name: "its own inputs", token: own, method: "PATCH", path: "/v1/agents/web/metadata?updateMask=inputSchemas", body: `{}`, status: 200, want: `"targetAgent":"reviewer"`,
	}.do(t, url)
	asRead, read := call{name: "its metadata", token: own, method: "GET", path: "/v1/agents/web/metadata", status: 200, want: `"targetAgent":"reviewer"`}.do(t, url)
	call{
		name: "its metadata as it was read", token: own, method: "PATCH", path: "/v1/agents/web/metadata", status: 200, want: `"targetAgent":"reviewer"`, body: read,
		ifMatch: asRead.Get("ETag"),
	}.do(t, url)
	if tag := asRead.Get("ETag"); tag == "" {
		t.Error("the metadata has no ETag")
	}
	for name, body := range map[string]string{
		"no rule": `{}`, "another rule": strings.Replace(read, `"targetAgent":"reviewer"`, `"targetAgent":"friend"`, 1),
		"a skill": strings.Replace(read, `"atMostOnceSkills":[]`, `"atMostOnceSkills":["fetch"]`, 1),
	} {
		call{name: name, token: own, method: "PATCH", path: "/v1/agents/web/metadata?updateMask=*", status: 403, want: "RULES_ARE_THE_ADMINS", body: body}.do(t, url)
	}
	header, _ := call{name: "the agent", token: own, method: "GET", path: "/v1/agents/web", status: 200, want: `"version":"1.0.0"`}.do(t, url)
	call{
		name: "a stale If-Match", token: admin, method: "DELETE", path: "/v1/agents/web", ifMatch: `"stale"`, status: 412, want: "ETAG_MISMATCH",
	}.do(t, url)
	call{
		name: "a stale If-Match and the etag", token: admin, method: "DELETE", path: "/v1/agents/web?etag=" + strings.Trim(header.Get("ETag"), `"`), ifMatch: `"stale"`,
		status: 400, want: "CONDITION_AMBIGUOUS",
	}.do(t, url)
	call{name: "deletion", token: admin, method: "DELETE", path: "/v1/agents/web", ifMatch: header.Get("ETag"), status: 200, want: "{}"}.do(t, url)
	call{name: "its token has ended", token: own, method: "GET", path: "/v1/agents", status: 401, want: "TOKEN_INVALID"}.do(t, url)
}

func TestACardThatIsKnownIsNotSentAgain(t *testing.T) {
	t.Parallel()
	_, r := open(t)
	url := serveOn(t, r)
	card := `{"card":{"name":"web","version":"1.0.0","url":"https://web.example/","skills":[{"id":"fetch"}]}}`
	call{token: adminToken.Reveal(), method: "POST", path: "/v1/agents:register", body: card, status: 200}.do(t, url)
	first := call{token: "viewer-token", method: "GET", path: "/v1/agents/web/card", status: 200}
	header, _ := first.do(t, url)
	tag := header.Get("ETag")
	if tag == "" {
		t.Fatalf("GET %s has no ETag", first.path)
	}
	for name, test := range map[string]struct {
		known  string
		status int
	}{
		"that card":                  {tag, http.StatusNotModified},
		"that card, among others":    {`"other", W/` + tag, http.StatusNotModified},
		"any card":                   {"*", http.StatusNotModified},
		"another card":               {`"other"`, http.StatusOK},
		"a part of the tag":          {tag[:5], http.StatusOK},
		"something that is no etag":  {"*x", http.StatusOK},
		"nothing but an empty value": {"", http.StatusOK},
	} {
		again := first
		again.name, again.ifNoneMatch, again.status = name, test.known, test.status
		header, body := again.do(t, url)
		if header.Get("ETag") != tag || (body == "") != (test.status == http.StatusNotModified) {
			t.Errorf("%s: GET %s with If-None-Match %s = %q, %q, want ETag %q, and a body only with 200", name, first.path, test.known, header.Get("ETag"), body, tag)
		}
	}
}

func TestASkillIsFoundByAnyIDOverREST(t *testing.T) {
	t.Parallel()
	onEachStore(t, func(t *testing.T, address string) {
		t.Helper()
		const card = `{"card":{"name":"odd","version":"1.0.0","url":"https://odd.example/","skills":[{"id":"a/b c?#"},{"id":"a/50%2F"},{"id":"ü:watch"}]}}`
		call{token: adminToken.Reveal(), method: "POST", path: "/v1/agents:register", body: card, status: 200}.do(t, address)
		for _, id := range []string{"a/b c?#", "a/50%2F", "ü:watch"} {
			call{name: id, token: "viewer-token", method: "GET", path: "/v1/skills/" + url.PathEscape(id) + "/agents", status: 200, want: `"name":"odd"`}.do(t, address)
		}
	})
}
