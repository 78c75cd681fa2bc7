package serve_test

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/quorate/quorate/platform/auth"
)

func TestTokensOfAProviderSayWhoItsOwnerIs(t *testing.T) {
	t.Parallel()
	id := startProvider(t, newSigningKey(t, "first"))
	c, ops := id.configured(t)
	p := start(t, c)
	batch := id.clientToken(t, "batch", ours) // viewer and dispatcher of acme
	ana, _ := id.userTokens(t, "ana")         // admin of umbrella
	for _, test := range []struct {
		name, method, path string
		token              auth.Secret
		body               string
		want               int
	}{
		{"a program without the role registers", "POST", "/v1/agents:register", batch, card, 403},
		{"a user with it registers", "POST", "/v1/agents:register", ana, card, 200},
		{"the user reads", "GET", "/v1/agents/echo", ana, "", 200},
		{"a program of another tenant reads it", "GET", "/v1/agents/echo", batch, "", 404},
		{"it reads its own tenant", "GET", "/v1/agents", batch, "", 200},
		{"an API key counts besides", "GET", "/v1/agents", ops, "", 200},
		{"the key's tenant is none of these", "GET", "/v1/agents/echo", ops, "", 404},
	} {
		if code, body := call(t, new(http.Client), test.method, "http://"+p.addr+test.path, test.token, test.body); code != test.want {
			t.Errorf("%s: %s %s = %d %s, want %d", test.name, test.method, test.path, code, body, test.want)
		}
	}
	for _, token := range []auth.Secret{batch, ana} {
		if log := p.log.String(); strings.Contains(log, token.Reveal()) {
			t.Errorf("the log holds a token:\n%s", log)
		}
	}
}

func TestTokensThatAreNotForUsAreRefused(t *testing.T) {
	t.Parallel()
	first := newSigningKey(t, "first")
	id, elsewhere := startProvider(t, first), startProvider(t, first)
	c, _ := id.configured(t)
	p := start(t, c)
	good := id.clientToken(t, "batch", ours)
	_, identity := id.userTokens(t, "ana")
	for name, test := range map[string]struct {
		token auth.Secret
		want  string
	}{
		"for another audience":                {id.clientToken(t, "batch", other), "TOKEN_INVALID"},
		"opaque":                              {id.clientToken(t, "batch", opaque), "TOKEN_INVALID"},
		"an ID token":                         {identity, "TOKEN_INVALID"},
		"of another issuer with our keys":     {elsewhere.clientToken(t, "batch", ours), "TOKEN_INVALID"},
		"signed by nobody":                    {forged(good, `{"alg":"none","typ":"at+jwt"}`, nil), "TOKEN_INVALID"},
		"a secret that is the public key":     {forged(good, `{"alg":"HS256","typ":"at+jwt","kid":"first"}`, first.public), "TOKEN_INVALID"},
		"by an algorithm that is not its own": {forged(good, `{"alg":"RS256","typ":"at+jwt","kid":"first"}`, first.public), "TOKEN_INVALID"},
		"without a role":                      {id.clientToken(t, "nobody", ours), "TOKEN_INVALID"}, // nor a tenant
	} {
		if code, body := call(t, new(http.Client), "GET", "http://"+p.addr+"/v1/agents", test.token, ""); code != 401 || !strings.Contains(body, test.want) {
			t.Errorf("GET /v1/agents with a token %s = %d %s, want 401 %s", name, code, body, test.want)
		}
	}
	short := id.clientToken(t, "batch", brief)
	if code, body := wait(t, p, short, 401); !strings.Contains(body, "TOKEN_INVALID") {
		t.Errorf("GET /v1/agents with a token whose time is over = %d %s, want TOKEN_INVALID", code, body)
	}
	if code, body := call(t, new(http.Client), "GET", "http://"+p.addr+"/v1/agents", good, ""); code != 200 {
		t.Errorf("GET /v1/agents with a token that is for us = %d %s, want 200", code, body)
	}
}

func TestAProviderChangesItsKeysAndGoesAway(t *testing.T) {
	t.Parallel()
	first, second := newSigningKey(t, "first"), newSigningKey(t, "second")
	id := startProvider(t, first)
	c, _ := id.configured(t)
	p := start(t, c)
	old := id.clientToken(t, "batch", ours)
	wait(t, p, old, 200)

	id.process.Stop()
	id.start(t, second, first)
	fresh := id.clientToken(t, "batch", ours)
	wait(t, p, fresh, 200)
	wait(t, p, old, 200)

	id.process.Stop()
	wait(t, p, fresh, 200)
	wait(t, p, old, 200)
	if code, body := wait(t, p, forged(old, `{"alg":"RS256","kid":"third"}`, first.public), 503); !strings.Contains(body, "OIDC_UNAVAILABLE") {
		t.Errorf("GET /v1/agents with a key that may be new, without a provider = %d %s, want OIDC_UNAVAILABLE", code, body)
	}
	if err := startError(t, c); err == nil || !strings.Contains(err.Error(), "OpenID Connect provider") {
		t.Errorf("Run() without a provider = %v, want an error that names it", err)
	}
	c.Auth.OIDC.KeysURL, c.Store.DataDir = id.issuer.JoinPath("jwks").String(), t.TempDir()
	early := start(t, c)
	wait(t, early, old, 503)

	id.start(t, second)
	wait(t, early, fresh, 200)
	wait(t, early, old, 401)
}

// forged returns a token with the claims of another under a header of one's own, signed with a shared secret.
func forged(token auth.Secret, header string, secret []byte) auth.Secret {
	_, rest, _ := strings.Cut(token.Reveal(), ".")
	claims, _, _ := strings.Cut(rest, ".")
	text := base64.RawURLEncoding.EncodeToString([]byte(header)) + "." + claims
	if secret == nil {
		return auth.Secret(text + ".")
	}
	mac := hmac.New(sha256.New, secret)
	mac.Write([]byte(text))
	return auth.Secret(text + "." + base64.RawURLEncoding.EncodeToString(mac.Sum(nil)))
}

// wait asks until the status is the one that is wanted.
func wait(t *testing.T, p *process, token auth.Secret, want int) (code int, body string) {
	t.Helper()
	ticker := time.NewTicker(100 * time.Millisecond)
	defer ticker.Stop()
	deadline := time.After(patience)
	for {
		if code, body = call(t, new(http.Client), "GET", "http://"+p.addr+"/v1/agents", token, ""); code == want {
			return code, body
		}
		select {
		case <-ticker.C:
		case <-deadline:
			t.Fatalf("GET /v1/agents = %d %s for %s, want %d", code, body, patience, want)
		}
	}
}
