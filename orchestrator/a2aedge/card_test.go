package a2aedge_test

import (
	"encoding/json"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/quorate/quorate/orchestrator/a2aedge"
)

func TestACardCanBeKept(t *testing.T) {
	w := newWorld(t)
	for _, path := range []string{"/.well-known/agent-card.json", "/agents/echo/.well-known/agent-card.json"} {
		first := w.call(t, "GET", path, "", nil)
		tag := first.header.Get("ETag")
		if first.code != 200 || !strings.Contains(first.header.Get("Cache-Control"), "max-age=") || first.header.Get("Last-Modified") == "" || tag == "" {
			t.Errorf("GET %s = %d, %v, want 200 with Cache-Control, ETag and Last-Modified", path, first.code, first.header)
		}
		again := w.call(t, "GET", path, "", map[string]string{"If-None-Match": tag})
		if again.code != 304 || again.body != "" {
			t.Errorf("GET %s with its tag = %d, want 304", path, again.code)
		}
	}
}

func TestACardSaysWhereItsAgentIsReached(t *testing.T) {
	w := newWorld(t)
	for path, base := range map[string]string{"": "/a2a", "/agents/careful": "/agents/careful"} {
		var card struct {
			Name                string
			SupportedInterfaces []struct{ URL, ProtocolBinding, ProtocolVersion, Tenant string }
			Skills              []struct{ ID string }
		}
		if err := json.Unmarshal([]byte(w.call(t, "GET", path+"/.well-known/agent-card.json", "", nil).body), &card); err != nil {
			t.Fatal(err)
		}
		wantURL := map[string]string{"GRPC": w.grpc, "JSONRPC": w.http + base, "HTTP+JSON": w.http + base}
		for _, i := range card.SupportedInterfaces {
			if i.URL != wantURL[i.ProtocolBinding] || i.ProtocolVersion != "1.0" {
				t.Errorf("interface of %s = %+v, want %s", card.Name, i, wantURL[i.ProtocolBinding])
			}
		}
		if len(card.SupportedInterfaces) != 3 || len(card.Skills) != 1 {
			t.Errorf("card = %+v, want three interfaces and a skill", card)
		}
	}
}

// TestACardSaysWhoseAgentItIs registers agents with cards of both versions, of which one says nothing about that and one has a wrong type.
func TestACardSaysWhoseAgentItIs(t *testing.T) {
	w := newWorld(t)
	const said = `"provider":{"organization":"Maps","url":"https://maps.example"},"documentationUrl":"https://maps.example/docs","iconUrl":"https://maps.example/i.png"`
	for name, test := range map[string]struct{ card, want string }{
		"modern": {said + `,"supportedInterfaces":[{"url":"http://127.0.0.1:1/","protocolBinding":"JSONRPC","protocolVersion":"1.0"}]`, "Maps https://maps.example https://maps.example/docs https://maps.example/i.png"},
		"old":    {said + `,"url":"http://127.0.0.1:1/","protocolVersion":"0.3.0","preferredTransport":"JSONRPC"`, "Maps https://maps.example https://maps.example/docs https://maps.example/i.png"},
		"silent": {`"supportedInterfaces":[{"url":"http://127.0.0.1:1/","protocolBinding":"JSONRPC","protocolVersion":"1.0"}]`, "   "},
		"odd":    {`"provider":7,"iconUrl":"https://maps.example/i.png","supportedInterfaces":[{"url":"http://127.0.0.1:1/","protocolBinding":"JSONRPC","protocolVersion":"1.0"}]`, "   https://maps.example/i.png"},
	} {
		card := `{"name":"` + name + `","description":"d","version":"1.0.0","capabilities":{},"defaultInputModes":["text/plain"],"defaultOutputModes":["text/plain"],
			"skills":[{"id":"s","name":"s","description":"s","tags":["t"]}],` + test.card + `}`
		if made := w.call(t, "POST", "/v1/agents:register", `{"card":`+card+`}`, nil); made.code != 200 {
			t.Fatalf("register = %d %s", made.code, made.body)
		}
		var shown struct {
			Provider                  *struct{ Organization, URL string }
			DocumentationURL, IconURL string
		}
		got := w.call(t, "GET", "/agents/"+name+"/.well-known/agent-card.json", "", nil)
		if err := json.Unmarshal([]byte(got.body), &shown); err != nil {
			t.Fatal(err)
		}
		provider := " "
		if shown.Provider != nil {
			provider = shown.Provider.Organization + " " + shown.Provider.URL
		}
		if all := provider + " " + shown.DocumentationURL + " " + shown.IconURL; all != test.want {
			t.Errorf("the card of %s says %q, want %q", name, all, test.want)
		}
	}
}

func TestACardOfAnAgentIsForItsTenantOnly(t *testing.T) {
	w := newWorld(t)
	const path = "/agents/echo/.well-known/agent-card.json"
	if got := w.call(t, "GET", path, "", map[string]string{"Authorization": ""}); got.code != 401 {
		t.Errorf("without a token: %d, want 401", got.code)
	}
	if got := w.call(t, "GET", "/agents/nobody/.well-known/agent-card.json", "", nil); got.code != 404 || !strings.Contains(got.body, "AGENT_NOT_FOUND") {
		t.Errorf("of nobody: %d %s, want 404", got.code, got.body)
	}
	if got := w.call(t, "GET", "/.well-known/agent-card.json", "", map[string]string{"Authorization": ""}); got.code != 200 {
		t.Errorf("Quorate's own without a token: %d, want 200", got.code)
	}
}

func TestACardGivesTheConfiguredAddresses(t *testing.T) {
	t.Parallel()
	h := a2aedge.NewHandler(a2aedge.HandlerConfig{URL: "https://quorate.example", GRPCAddress: "grpc.example:443", Started: time.Unix(1, 0)})
	rec := httptest.NewRecorder()
	h.ServeCard(rec, httptest.NewRequestWithContext(t.Context(), "GET", "http://10.0.0.1:8080/.well-known/agent-card.json", nil))
	for _, want := range []string{`"https://quorate.example/a2a"`, `"grpc.example:443"`} {
		if !strings.Contains(rec.Body.String(), want) {
			t.Errorf("card = %s, want %s in it", rec.Body, want)
		}
	}
	if strings.Contains(rec.Body.String(), "10.0.0.1") {
		t.Errorf("card = %s, want nothing of the request's host", rec.Body)
	}
}

func TestACardGivesTheAddressesOfTheRequest(t *testing.T) {
	t.Parallel()
	h := a2aedge.NewHandler(a2aedge.HandlerConfig{GRPCPort: "9090", Started: time.Unix(1, 0)})
	for host, want := range map[string][]string{
		"quorate.example":      {`"http://quorate.example/a2a"`, `"quorate.example:9090"`},
		"quorate.example:8080": {`"http://quorate.example:8080/a2a"`, `"quorate.example:9090"`},
		"[::1]":                {`"http://[::1]/a2a"`, `"[::1]:9090"`},
		"[::1]:8080":           {`"http://[::1]:8080/a2a"`, `"[::1]:9090"`},
	} {
		rec := httptest.NewRecorder()
		h.ServeCard(rec, httptest.NewRequestWithContext(t.Context(), "GET", "http://"+host+"/.well-known/agent-card.json", nil))
		for _, url := range want {
			if !strings.Contains(rec.Body.String(), url) {
				t.Errorf("the card at %s = %s, want %s in it", host, rec.Body, url)
			}
		}
	}
}
