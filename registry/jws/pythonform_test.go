package jws_test

import (
	"strings"
	"testing"

	"github.com/quorate/quorate/registry/jws"
)

// A card as a2a-python 1.1 has signed and served it, and the key that it used. The description holds a DEL before its end.
const (
	pythonKey  = `{"kty":"EC","crv":"P-256","x":"aikKTbXTWXKCBtdEhwOLsWUTSJauuBX8G8NfzfZGg0w","y":"ZsSLRvuEIsDAEp82-6O4OmTKmcaN1-4BR3HbBr1NDG4","kid":"k1","alg":"ES256","use":"sig"}`
	pythonCard = `{"name": "planner", "description": "Plant Routen für Züge – 計画 🚆\u007f",
"supportedInterfaces": [{"url": "https://planner.example/rpc", "protocolBinding": "JSONRPC", "protocolVersion": "1.0"}], "version": "1.0.0", "capabilities": {},
"securitySchemes": {"bearer": {"httpAuthSecurityScheme": {"scheme": "Bearer"}}}, "securityRequirements": [{"schemes": {"bearer": {}}}],
"defaultInputModes": ["text/plain"], "defaultOutputModes": ["text/plain"],
"skills": [{"id": "plan", "name": "Plan", "description": "Plans.", "tags": ["a", "b"]}],
"signatures": [{"protected": "eyJhbGciOiJFUzI1NiIsImprdSI6bnVsbCwia2lkIjoiazEiLCJ0eXAiOiJKT1NFIn0",
"signature": "_C-II96RSLmbXmW_3ivOZJaX6baaPmZC97zBdbKHyipTXihrLUFlqlNMiaiDbUMiYcRfgQno2rIlIDOT4Ikeiw"}]}`
)

func TestTheSignatureOfAPythonAgentIsVerified(t *testing.T) {
	t.Parallel()
	key, err := jws.ParseKey([]byte(pythonKey))
	if err != nil {
		t.Fatalf("ParseKey() = %v, want no error", err)
	}
	for name, test := range map[string]struct{ old, with, state string }{
		"as it was served":           {"", "", jws.Verified},
		"with another text":          {"計画", "計画計画", jws.Invalid},
		"with an escape as its text": {"ü", `\\u00fc`, jws.Invalid},
		"with another skill":         {`"id": "plan"`, `"id": "pay"`, jws.Invalid},
		"with nothing required":      {`[{"schemes": {"bearer": {}}}]`, `[]`, jws.Verified}, // which that form does not cover
		"with scopes":                {`"bearer": {}`, `"bearer": {"list": ["all"]}`, jws.Invalid},
		"with a capability":          {`"capabilities": {}`, `"capabilities": {"streaming": false}`, jws.Invalid},
		"with another field":         {`"name": "planner"`, `"name": "planner", "url": "https://evil.example"`, jws.Invalid},
	} {
		card := strings.Replace(pythonCard, test.old, test.with, 1)
		if got := jws.Verify([]byte(card), []jws.Key{key}); got.State != test.state {
			t.Errorf("Verify() of the card %s = %+v, want %s", name, got, test.state)
		}
	}
}
