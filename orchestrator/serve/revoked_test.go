package serve_test

import (
	"crypto/ed25519"
	"encoding/base64"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/quorate/quorate/registry/jws"
)

// TestAKeyThatIsUnpinnedEndsTheWorkOfItsAgents asks for an agent in every way, the one that passes calls on untouched among them.
func TestAKeyThatIsUnpinnedEndsTheWorkOfItsAgents(t *testing.T) {
	t.Parallel()
	key := newKey(t)
	public, ok := key.Public().(ed25519.PublicKey)
	if !ok {
		t.Fatal("an Ed25519 key has another public key")
	}
	c, admin := config(t)
	c.Agents.AllowLoopback, c.Agents.PassThrough = true, []string{"echo"}
	p := start(t, c)
	ask := func(method, path, body string) (int, string) {
		t.Helper()
		return call(t, new(http.Client), method, "http://"+p.addr+path, admin, body)
	}
	pin := fmt.Sprintf(`{"jwk":{"kty":"OKP","crv":"Ed25519","kid":"k","x":%q}}`, base64.RawURLEncoding.EncodeToString(public))
	if code, told := ask("POST", "/v1/signingKeys", pin); code != http.StatusOK {
		t.Fatalf("POST /v1/signingKeys = %d %s, want 200", code, told)
	}
	if code, told := ask("POST", "/v1/agents:register", fmt.Sprintf(`{"cardJson":%q}`, signedCard(t, talker(t, "echo"), key))); code != http.StatusOK || !strings.Contains(told, "verified") {
		t.Fatalf("POST /v1/agents:register = %d %s, want a verified card", code, told)
	}
	works := func(want bool) {
		t.Helper()
		if _, told := ask("POST", "/v1/routes:resolve", `{"route":{"agent":"echo"}}`); strings.Contains(told, "CARD_UNTRUSTED") == want {
			t.Errorf("routes:resolve = %s, want echo chosen: %v", told, want)
		}
		for path, body := range map[string]string{
			"/v1/tasks":                    `{"route":{"agent":"echo"},"message":{"parts":[{"text":"hi"}]}}`,
			"/agents/echo?A2A-Version=1.0": `{"jsonrpc":"2.0","id":1,"method":"SendMessage","params":{"message":{"messageId":"m","role":"ROLE_USER","parts":[{"text":"hi"}]}}}`,
		} {
			if code, told := ask("POST", path, body); (code == http.StatusOK && !strings.Contains(told, `"error"`)) != want {
				t.Errorf("POST %s = %d %s, want it taken: %v", path, code, told, want)
			}
		}
	}
	works(true)
	if code, told := ask("DELETE", "/v1/signingKeys/k", ""); code != http.StatusOK {
		t.Fatalf("DELETE /v1/signingKeys/k = %d %s, want 200", code, told)
	}
	works(false)
	if code, told := ask("POST", "/v1/signingKeys", pin); code != http.StatusOK {
		t.Fatalf("POST /v1/signingKeys = %d %s, want 200", code, told)
	}
	works(true)
}

// signedCard returns the card of echo at a URL with a signature by the key k.
func signedCard(t *testing.T, url string, key ed25519.PrivateKey) string {
	t.Helper()
	card := fmt.Sprintf(`{"name":"echo","description":"d","version":"1.0.0","capabilities":{},"defaultInputModes":["text/plain"],"defaultOutputModes":["text/plain"],
		"skills":[],"supportedInterfaces":[{"url":"%s/rpc","protocolBinding":"JSONRPC","protocolVersion":"1.0"}]}`, url)
	payloads, err := jws.Payloads([]byte(card))
	if err != nil {
		t.Fatalf("Payloads() = %v, want no error", err)
	}
	encode := base64.RawURLEncoding.EncodeToString
	head := encode([]byte(`{"alg":"EdDSA","kid":"k"}`))
	signature := encode(ed25519.Sign(key, []byte(head+"."+encode(payloads[0]))))
	return strings.TrimSuffix(card, "}") + `,"signatures":[{"protected":"` + head + `","signature":"` + signature + `"}]}`
}
