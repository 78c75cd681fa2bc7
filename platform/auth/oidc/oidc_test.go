package oidc_test

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/go-jose/go-jose/v4"
	"github.com/google/go-cmp/cmp"

	"github.com/quorate/quorate/platform/auth"
	"github.com/quorate/quorate/platform/auth/oidc"
	"github.com/quorate/quorate/platform/fault"
)

// provider is an OpenID Connect provider with one key.
type provider struct {
	*httptest.Server
	key *ecdsa.PrivateKey
}

func newProvider(t *testing.T) *provider {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	p := &provider{key: key}
	answers := http.NewServeMux()
	answers.HandleFunc("/.well-known/openid-configuration", func(w http.ResponseWriter, _ *http.Request) {
		_, _ = fmt.Fprintf(w, `{"issuer":%q,"jwks_uri":%q}`, p.URL, p.URL+"/keys")
	})
	answers.HandleFunc("/keys", func(w http.ResponseWriter, _ *http.Request) {
		_ = json.NewEncoder(w).Encode(jose.JSONWebKeySet{Keys: []jose.JSONWebKey{{Key: key.Public(), KeyID: "k", Algorithm: "ES256", Use: "sig"}}})
	})
	p.Server = httptest.NewServer(answers)
	t.Cleanup(p.Close)
	return p
}

// token returns a token with the usual claims, overridden by more; nil removes one.
func (p *provider) token(t *testing.T, key any, alg jose.SignatureAlgorithm, more map[string]any) string {
	t.Helper()
	return p.typed(t, key, alg, "at+jwt", more)
}

// typed is token with a type in its header, unless kind is "".
func (p *provider) typed(t *testing.T, key any, alg jose.SignatureAlgorithm, kind any, more map[string]any) string {
	t.Helper()
	claims := map[string]any{"iss": p.URL, "aud": "quorate", "sub": "ana", "exp": time.Now().Add(time.Minute).Unix(), "roles": []string{"admin", "painter"}}
	maps.Copy(claims, more)
	maps.DeleteFunc(claims, func(_ string, value any) bool { return value == nil })
	payload, err := json.Marshal(claims)
	if err != nil {
		t.Fatal(err)
	}
	options := (&jose.SignerOptions{}).WithHeader("kid", "k")
	if kind != "" {
		options = options.WithHeader(jose.HeaderType, kind)
	}
	signer, err := jose.NewSigner(jose.SigningKey{Algorithm: alg, Key: key}, options)
	if err != nil {
		t.Fatal(err)
	}
	signed, err := signer.Sign(payload)
	if err != nil {
		t.Fatal(err)
	}
	text, err := signed.CompactSerialize()
	if err != nil {
		t.Fatal(err)
	}
	return text
}

func (p *provider) authenticator(t *testing.T, change func(*oidc.Config)) *oidc.Authenticator {
	t.Helper()
	c := oidc.DefaultConfig()
	c.Issuer, c.Audience = p.URL, "quorate"
	change(&c)
	if err := c.Validate(); err != nil {
		t.Fatalf("Validate() = %v, want no error", err)
	}
	a, err := oidc.New(t.Context(), c, p.Client())
	if err != nil {
		t.Fatalf("New() = %v, want no error", err)
	}
	return a
}

func TestATokenTellsWhoItsOwnerIs(t *testing.T) {
	t.Parallel()
	p := newProvider(t)
	for name, test := range map[string]struct {
		change func(*oidc.Config)
		claims map[string]any
		want   auth.Principal
	}{
		"as the provider is configured": {func(*oidc.Config) {}, nil, auth.Principal{Tenant: "default", Name: "ana", Roles: []auth.Role{"admin"}, Credential: auth.CredentialOIDC}},
		"roles as words, from a given URL of keys": {
			func(c *oidc.Config) { c.KeysURL = p.URL + "/keys" },
			map[string]any{"roles": "viewer dispatcher"},
			auth.Principal{Tenant: "default", Name: "ana", Roles: []auth.Role{"viewer", "dispatcher"}, Credential: auth.CredentialOIDC},
		},
		"other claims": {
			func(c *oidc.Config) { c.NameClaim, c.RolesClaim, c.TenantClaim = "agent", "scope", "org" },
			map[string]any{"agent": "echo", "scope": "agent", "org": "acme"},
			auth.Principal{Tenant: "acme", Name: "echo", Roles: []auth.Role{"agent"}, Credential: auth.CredentialOIDC},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, err := p.authenticator(t, test.change).Authenticate(t.Context(), p.token(t, p.key, jose.ES256, test.claims))
			if diff := cmp.Diff(test.want, got); diff != "" || err != nil {
				t.Errorf("Authenticate() = %v, differs (-want +got):\n%s", err, diff)
			}
		})
	}
}

func TestKeysAreNotReadOverPlainHTTP(t *testing.T) {
	t.Parallel()
	for name, answer := range map[string]func(w http.ResponseWriter, r *http.Request){
		"the configuration names such a URL": func(w http.ResponseWriter, r *http.Request) {
			_, _ = fmt.Fprintf(w, `{"issuer":"https://%s","jwks_uri":"http://id.example/keys"}`, r.Host)
		},
		"the configuration names none": func(w http.ResponseWriter, r *http.Request) {
			_, _ = fmt.Fprintf(w, `{"issuer":"https://%s"}`, r.Host)
		},
		"the configuration is redirected to one": func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, "http://id.example/configuration", http.StatusFound)
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := httptest.NewTLSServer(http.HandlerFunc(answer))
			t.Cleanup(p.Close)
			c := oidc.DefaultConfig()
			c.Issuer, c.Audience = p.URL, "quorate"
			if _, err := oidc.New(t.Context(), c, p.Client()); err == nil || !strings.Contains(err.Error(), "is not an https URL") {
				t.Errorf("New() = %v, want it to refuse what is not an https URL", err)
			}
		})
	}
}

func TestRedirectsAreFollowedToAnEnd(t *testing.T) {
	t.Parallel()
	for redirects, want := range map[int]string{1: "", 9: "", 10: "OIDC_UNAVAILABLE"} {
		asked := 0
		p := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if asked++; asked <= redirects {
				http.Redirect(w, r, fmt.Sprintf("/%d", asked), http.StatusFound)
				return
			}
			_, _ = fmt.Fprintf(w, `{"issuer":"http://%s","jwks_uri":"http://%s/keys"}`, r.Host, r.Host)
		}))
		t.Cleanup(p.Close)
		c := oidc.DefaultConfig()
		c.Issuer, c.Audience = p.URL, "quorate"
		_, err := oidc.New(t.Context(), c, new(http.Client))
		if fault.ReasonOf(err) != want || want != "" && !strings.Contains(err.Error(), "redirected too often") {
			t.Errorf("New() with %d redirects = %v, want %q because of the redirects", redirects, err, want)
		}
	}
}

func TestAConfigurationIsBounded(t *testing.T) {
	t.Parallel()
	p := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = fmt.Fprintf(w, `{"issuer":"http://%s","jwks_uri":"http://%s/keys","pad":%q}`, r.Host, r.Host, strings.Repeat("x", 1<<20))
	}))
	t.Cleanup(p.Close)
	c := oidc.DefaultConfig()
	c.Issuer, c.Audience = p.URL, "quorate"
	if _, err := oidc.New(t.Context(), c, p.Client()); fault.ReasonOf(err) != "OIDC_UNAVAILABLE" || !strings.Contains(err.Error(), "more than 1048576 bytes") {
		t.Errorf("New() with a configuration of more than 1 MiB = %v, want OIDC_UNAVAILABLE because of its size", err)
	}
}

func TestATokenThatDoesNotHoldIsRefused(t *testing.T) {
	t.Parallel()
	p := newProvider(t)
	other, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	right := p.token(t, p.key, jose.ES256, nil)
	a := p.authenticator(t, func(c *oidc.Config) { c.TenantClaim = "org" })
	for name, test := range map[string]struct{ token, want string }{
		"no JWT":                {"quorate_api_x", "TOKEN_INVALID"},
		"another key":           {p.token(t, other, jose.ES256, map[string]any{"org": "a"}), "TOKEN_INVALID"},
		"a shared secret":       {p.token(t, []byte("0123456789abcdef0123456789abcdef"), jose.HS256, map[string]any{"org": "a"}), "TOKEN_INVALID"},
		"another issuer":        {p.token(t, p.key, jose.ES256, map[string]any{"org": "a", "iss": "https://elsewhere.example"}), "TOKEN_INVALID"},
		"for somebody else":     {p.token(t, p.key, jose.ES256, map[string]any{"org": "a", "aud": "else"}), "TOKEN_INVALID"},
		"its time is over":      {p.token(t, p.key, jose.ES256, map[string]any{"org": "a", "exp": time.Now().Add(-time.Hour).Unix()}), "TOKEN_INVALID"},
		"no tenant":             {right, "TOKEN_INVALID"},
		"no name":               {p.token(t, p.key, jose.ES256, map[string]any{"org": "a", "sub": ""}), "TOKEN_INVALID"},
		"a name of our own":     {p.token(t, p.key, jose.ES256, map[string]any{"org": "a", "sub": "quorate:plan"}), "TOKEN_INVALID"},
		"a name without end":    {p.token(t, p.key, jose.ES256, map[string]any{"org": "a", "sub": strings.Repeat("n", 257)}), "TOKEN_INVALID"},
		"a tenant of lines":     {p.token(t, p.key, jose.ES256, map[string]any{"org": "a\nb"}), "TOKEN_INVALID"},
		"no role of ours":       {p.token(t, p.key, jose.ES256, map[string]any{"org": "a", "roles": []string{"painter"}}), "ROLE_MISSING"},
		"more than 16 KiB":      {p.token(t, p.key, jose.ES256, map[string]any{"org": "a", "pad": strings.Repeat("x", 16<<10)}), "TOKEN_INVALID"},
		"a changed last letter": {right[:len(right)-8] + "AAAAAAAA", "TOKEN_INVALID"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got, err := a.Authenticate(t.Context(), test.token); fault.ReasonOf(err) != test.want {
				t.Errorf("Authenticate() = %v, %v, want %s", got, err, test.want)
			}
		})
	}
}

// TestARefusalSaysWhyInTheLog has an operator find out what is wrong with the tokens of a provider. What a stranger wrote into a token does not fill the log.
func TestARefusalSaysWhyInTheLog(t *testing.T) {
	t.Parallel()
	p := newProvider(t)
	a := p.authenticator(t, func(*oidc.Config) {})
	for want, claims := range map[string]map[string]any{
		"audience":           {"aud": "else"},
		"different provider": {"iss": "https://" + strings.Repeat("x", 10<<10)},
		`"sub"`:              {"sub": ""},
	} {
		_, err := a.Authenticate(t.Context(), p.token(t, p.key, jose.ES256, claims))
		if fault.ReasonOf(err) != "TOKEN_INVALID" || !strings.Contains(err.Error(), want) || len(err.Error()) > 1<<10 {
			t.Errorf("Authenticate() = %v, want TOKEN_INVALID and, in at most 1 KiB, why: %s", err, want)
		}
		if text := fault.From(err).Message; strings.Contains(text, want) {
			t.Errorf("the caller is told %q, want nothing about %s", text, want)
		}
	}
}

// TestWhoseTokenHasExpiredIsToldSo has tokens that the provider has made for us and whose time is over: nobody else is told anything, in particular no forger.
func TestWhoseTokenHasExpiredIsToldSo(t *testing.T) {
	t.Parallel()
	p := newProvider(t)
	a := auth.Chain(p.authenticator(t, func(*oidc.Config) {}), auth.NewKeyring()) // as in a server, where agents have tokens of their own
	other, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	end := time.Date(2020, 2, 3, 4, 5, 6, 0, time.UTC)
	const told, untold = "the bearer token expired at 2020-02-03T04:05:06Z; get a new one", "the bearer token is not valid"
	for name, test := range map[string]struct{ token, want string }{
		"expired":                        {p.token(t, p.key, jose.ES256, map[string]any{"exp": end.Unix()}), told},
		"expired and for somebody else":  {p.token(t, p.key, jose.ES256, map[string]any{"exp": end.Unix(), "aud": "else"}), untold},
		"without an end":                 {p.token(t, p.key, jose.ES256, map[string]any{"exp": nil}), untold},
		"expired and signed by somebody": {p.token(t, other, jose.ES256, map[string]any{"exp": end.Unix()}), untold},
	} {
		_, err := a.Authenticate(t.Context(), test.token)
		if got := fault.From(err); got.Reason != "TOKEN_INVALID" || got.Message != test.want {
			t.Errorf("Authenticate() of a token that is %s = %v, want TOKEN_INVALID: %s", name, err, test.want)
		}
	}
}

func TestATokenOfAnotherTypeIsRefused(t *testing.T) {
	t.Parallel()
	p := newProvider(t)
	a := p.authenticator(t, func(*oidc.Config) {})
	for kind, want := range map[any]string{
		"": "", "JWT": "", "at+jwt": "", "application/AT+JWT": "",
		"logout+jwt": "TOKEN_INVALID", "token-introspection+jwt": "TOKEN_INVALID", "secevent+jwt": "TOKEN_INVALID",
		5: "TOKEN_INVALID",
	} {
		if got, err := a.Authenticate(t.Context(), p.typed(t, p.key, jose.ES256, kind, nil)); fault.ReasonOf(err) != want {
			t.Errorf("Authenticate() of a token of type %v = %v, %v, want %q", kind, got, err, want)
		}
	}
}

func TestAConfigurationThatCannotBeAppliedIsRefused(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]oidc.Config{
		"no audience":         {Issuer: "https://id.example", NameClaim: "sub", RolesClaim: "roles"},
		"plain http":          {Issuer: "http://id.example", Audience: "quorate", NameClaim: "sub", RolesClaim: "roles"},
		"keys over http":      {Issuer: "https://id.example", KeysURL: "http://id.example/keys", Audience: "quorate", NameClaim: "sub", RolesClaim: "roles"},
		"an audience only":    {Audience: "quorate"},
		"keys only":           {KeysURL: "https://id.example/keys"},
		"a tenant only":       {NameClaim: "sub", RolesClaim: "roles", TenantClaim: "org"},
		"another name only":   {NameClaim: "email", RolesClaim: "roles"},
		"other roles only":    {NameClaim: "sub", RolesClaim: "groups"},
		"no claim for a name": {Issuer: "https://id.example", Audience: "quorate", RolesClaim: "roles"},
		"no claim for roles":  {Issuer: "https://id.example", Audience: "quorate", NameClaim: "sub"},
		"another scheme":      {Issuer: "ftp://id.example", Audience: "quorate", NameClaim: "sub", RolesClaim: "roles"},
		"another scheme here": {Issuer: "ftp://127.0.0.1", Audience: "quorate", NameClaim: "sub", RolesClaim: "roles"},
		"no host":             {Issuer: "https:///", Audience: "quorate", NameClaim: "sub", RolesClaim: "roles"},
		"a password":          {Issuer: "https://me:hush@id.example", Audience: "quorate", NameClaim: "sub", RolesClaim: "roles"},
		"a password for keys": {Issuer: "https://id.example", KeysURL: "https://me:hush@id.example/keys", Audience: "quorate", NameClaim: "sub", RolesClaim: "roles"},
		"a password, no TLS":  {Issuer: "http://me:hush@id.example", Audience: "quorate", NameClaim: "sub", RolesClaim: "roles"},
		"a password, no URL":  {Issuer: "https://me:hush%@id.example", Audience: "quorate", NameClaim: "sub", RolesClaim: "roles"},
		"a password alone":    {Issuer: "me:hush@id.example", Audience: "quorate", NameClaim: "sub", RolesClaim: "roles"},
		"a query":             {Issuer: "https://id.example?realm=a", Audience: "quorate", NameClaim: "sub", RolesClaim: "roles"},
		"a fragment":          {Issuer: "https://id.example#a", Audience: "quorate", NameClaim: "sub", RolesClaim: "roles"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if err := c.Validate(); fault.ReasonOf(err) != "CONFIG_INVALID" || strings.Contains(err.Error(), "hush") {
				t.Errorf("Validate() = %v, want CONFIG_INVALID without a password", err)
			}
		})
	}
}

func TestAProviderIsReachedOverHTTPSOrOnThisMachine(t *testing.T) {
	t.Parallel()
	for _, issuer := range []string{"https://id.example", "https://id.example:8443/realm", "http://127.0.0.1:9000", "http://localhost:9000"} {
		c := oidc.DefaultConfig()
		c.Issuer, c.Audience, c.KeysURL = issuer, "quorate", issuer+"/keys?policy=a"
		if err := c.Validate(); err != nil {
			t.Errorf("Validate() of the issuer %s = %v, want no error", issuer, err)
		}
	}
	for _, none := range []oidc.Config{{}, oidc.DefaultConfig()} {
		if err := none.Validate(); err != nil {
			t.Errorf("Validate() without a provider = %v, want no error", err)
		}
	}
}
