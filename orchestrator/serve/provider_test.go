package serve_test

import (
	"crypto/rand"
	"crypto/rsa"
	"crypto/sha256"
	"crypto/x509"
	"encoding/base64"
	"encoding/json"
	"encoding/pem"
	"io"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/quorate/quorate/orchestrator/serve"
	"github.com/quorate/quorate/platform/auth"
	settings "github.com/quorate/quorate/platform/config"
	"github.com/quorate/quorate/platform/proctest"
)

// Resources of the provider, as .tools/oidc/provider.js has them.
const (
	ours   = "https://quorate.example"
	brief  = ours + "/brief"
	opaque = ours + "/opaque"
	other  = ours + "/other"
)

// provider is an OpenID Connect provider that others wrote, and that is certified: .bin/oidc, or the program at QUORATE_TEST_OIDC.
type provider struct {
	binary  string
	issuer  *url.URL
	process *proctest.Process
}

// startProvider runs a provider that signs with the first key, and publishes all, until the test ends.
func startProvider(t *testing.T, keys ...signingKey) *provider {
	t.Helper()
	binary, err := proctest.Binary("oidc", "QUORATE_TEST_OIDC")
	if err == nil {
		_, err = exec.LookPath("node")
	}
	if err != nil {
		if settings.Env("QUORATE_CI") != "" {
			t.Fatalf("there is no OpenID Connect provider, and CI has to test with it: %v", err)
		}
		t.Skipf("there is no OpenID Connect provider to test with: %v", err)
	}
	address, err := proctest.FreeAddress(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	p := &provider{binary: binary, issuer: &url.URL{Scheme: "http", Host: address}}
	p.start(t, keys...)
	t.Cleanup(func() { p.process.Stop() })
	return p
}

// start runs a provider that was stopped again, at the same address.
func (p *provider) start(t *testing.T, keys ...signingKey) {
	t.Helper()
	args := []string{p.issuer.String()}
	for _, k := range keys {
		args = append(args, k.file)
	}
	var err error
	cmd := exec.Command(p.binary, args...) //nolint:noctx // the tests' own program, which Stop ends
	if p.process, err = proctest.Start(cmd, p.issuer.Host); err != nil {
		t.Fatalf("starting %s = %v, want a provider", p.binary, err)
	}
}

// configured returns a configuration under which the provider's tokens count, besides an admin's key.
func (p *provider) configured(t *testing.T) (serve.Config, auth.Secret) {
	t.Helper()
	c, admin := config(t)
	c.Auth.OIDC.Issuer, c.Auth.OIDC.Audience, c.Auth.OIDC.TenantClaim = p.issuer.String(), "quorate", "org"
	return c, admin
}

// clientToken returns an access token that a program gets for itself, by client credentials.
func (p *provider) clientToken(t *testing.T, client, resource string) auth.Secret {
	t.Helper()
	access, _ := p.tokens(t, new(http.Client), url.Values{
		"grant_type": {"client_credentials"}, "scope": {"work"}, "resource": {resource}, "client_id": {client}, "client_secret": {"secret"},
	})
	return access
}

// userTokens returns the access token and the ID token that a program gets for a user who logs in on the provider's pages and consents.
func (p *provider) userTokens(t *testing.T, user string) (access, id auth.Secret) {
	t.Helper()
	jar, err := cookiejar.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	const callback = "http://127.0.0.1:1/callback" // where nobody is: the code is read from the redirection
	browser := &http.Client{Jar: jar, CheckRedirect: func(r *http.Request, _ []*http.Request) error {
		if strings.HasPrefix(r.URL.String(), callback) {
			return http.ErrUseLastResponse
		}
		return nil
	}}
	verifier := rand.Text() + rand.Text()
	challenge := sha256.Sum256([]byte(verifier))
	page := visit(t, browser, http.MethodGet, p.issuer.JoinPath("auth"), url.Values{
		"client_id": {"cli"}, "response_type": {"code"}, "redirect_uri": {callback}, "scope": {"openid work"}, "resource": {ours},
		"code_challenge": {base64.RawURLEncoding.EncodeToString(challenge[:])}, "code_challenge_method": {"S256"},
	})
	page = visit(t, browser, http.MethodPost, page.url, url.Values{"prompt": {"login"}, "login": {user}, "password": {"any"}})
	page = visit(t, browser, http.MethodPost, page.url, url.Values{"prompt": {"consent"}})
	code := page.next.Query().Get("code")
	if code == "" {
		t.Fatalf("logging in as %s ends at %q, want a code", user, page.next)
	}
	return p.tokens(t, browser, url.Values{
		"grant_type": {"authorization_code"}, "client_id": {"cli"}, "code": {code}, "redirect_uri": {callback}, "code_verifier": {verifier}, "resource": {ours},
	})
}

// tokens asks the token endpoint.
func (p *provider) tokens(t *testing.T, client *http.Client, form url.Values) (access, id auth.Secret) {
	t.Helper()
	page := visit(t, client, http.MethodPost, p.issuer.JoinPath("token"), form)
	var answer struct {
		Access auth.Secret `json:"access_token"`
		ID     auth.Secret `json:"id_token"`
	}
	if err := json.Unmarshal(page.text, &answer); err != nil || answer.Access == "" {
		t.Fatalf("the token endpoint answers %q, %v, want a token", page.text, err)
	}
	return answer.Access, answer.ID
}

// page is what a browser shows.
type page struct {
	url  *url.URL
	next *url.URL // where it is redirected to, and does not go; empty when it is not
	text []byte
}

// visit makes a request with a form, which is the query of a GET, and follows where it is sent.
func visit(t *testing.T, client *http.Client, method string, u *url.URL, form url.Values) page {
	t.Helper()
	target, body := *u, form.Encode()
	if method == http.MethodGet {
		target.RawQuery, body = body, ""
	}
	r, err := http.NewRequestWithContext(t.Context(), method, target.String(), strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	answer, err := client.Do(r)
	if err != nil {
		t.Fatalf("%s %s = %v, want an answer", method, u, err)
	}
	defer func() { _ = answer.Body.Close() }()
	text, err := io.ReadAll(answer.Body)
	if err != nil {
		t.Fatalf("%s %s = %v, want a body", method, u, err)
	}
	next, err := answer.Location()
	if err != nil {
		next = new(url.URL)
	}
	return page{answer.Request.URL, next, text}
}

// signingKey is a key that a provider signs with; its name is that of its file.
type signingKey struct {
	file   string
	public []byte // as PEM
}

func newSigningKey(t *testing.T, name string) signingKey {
	t.Helper()
	key, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		t.Fatal(err)
	}
	private, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		t.Fatal(err)
	}
	public, err := x509.MarshalPKIXPublicKey(key.Public())
	if err != nil {
		t.Fatal(err)
	}
	file := write(t, filepath.Join(t.TempDir(), name+".pem"), string(pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: private})))
	return signingKey{file, pem.EncodeToMemory(&pem.Block{Type: "PUBLIC KEY", Bytes: public})}
}
