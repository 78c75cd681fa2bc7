package oidc_test

import (
	"bytes"
	"context"
	"crypto"
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/rsa"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/go-jose/go-jose/v4"

	"github.com/quorate/quorate/platform/auth/oidc"
	"github.com/quorate/quorate/platform/fault"
)

// published is a transport that returns the keys of a provider, without a network.
type published struct {
	mu    sync.Mutex // guards the fields below
	keys  []jose.JSONWebKey
	text  string // instead of the keys
	asked int
	down  bool
}

// change makes a change of the provider.
func (p *published) change(do func()) {
	p.mu.Lock()
	defer p.mu.Unlock()
	do()
}

func (p *published) RoundTrip(*http.Request) (*http.Response, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.asked++
	if p.down {
		return nil, errors.New("nobody answers")
	}
	body, err := json.Marshal(jose.JSONWebKeySet{Keys: p.keys})
	if p.text != "" {
		body = []byte(p.text)
	}
	return &http.Response{StatusCode: http.StatusOK, Header: http.Header{}, Body: io.NopCloser(bytes.NewReader(body))}, err
}

// authenticator returns an authenticator that reads these keys, and a provider that makes tokens for it.
func (p *published) authenticator(t *testing.T) (*oidc.Authenticator, *provider) {
	t.Helper()
	c := oidc.DefaultConfig()
	c.Issuer, c.Audience, c.KeysURL = "https://id.example", "quorate", "https://id.example/keys"
	a, err := oidc.New(t.Context(), c, &http.Client{Transport: p})
	if err != nil {
		t.Fatalf("New() = %v, want no error", err)
	}
	return a, &provider{Server: &httptest.Server{URL: c.Issuer}}
}

func newKey(t *testing.T, curve elliptic.Curve) *ecdsa.PrivateKey {
	t.Helper()
	key, err := ecdsa.GenerateKey(curve, rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	return key
}

func publicKey(k *ecdsa.PrivateKey) jose.JSONWebKey {
	return jose.JSONWebKey{Key: k.Public(), KeyID: "k", Algorithm: "ES256", Use: "sig"}
}

func TestForgedTokensDoNotFloodTheProvider(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		first, second, forged := newKey(t, elliptic.P256()), newKey(t, elliptic.P256()), newKey(t, elliptic.P256())
		behind := &published{keys: []jose.JSONWebKey{publicKey(first)}}
		a, p := behind.authenticator(t)
		for range 100 {
			if _, err := a.Authenticate(t.Context(), p.token(t, forged, jose.ES256, nil)); err == nil {
				t.Fatal("Authenticate(forged) = nil, want it refused")
			}
		}
		if behind.asked != 1 {
			t.Errorf("the provider was asked %d times for its keys by 100 forged tokens, want once", behind.asked)
		}
		if _, err := a.Authenticate(t.Context(), p.token(t, first, jose.ES256, nil)); err != nil {
			t.Errorf("Authenticate() amid forged tokens = %v, want no error", err)
		}
		behind.keys = append(behind.keys, publicKey(second))
		<-time.After(6 * time.Second)
		if _, err := a.Authenticate(t.Context(), p.token(t, second, jose.ES256, nil)); err != nil {
			t.Errorf("Authenticate() with a new key of the provider = %v, want no error after a few seconds", err)
		}
		behind.down, behind.asked = true, 0
		<-time.After(6 * time.Second)
		for range 100 {
			_, err := a.Authenticate(t.Context(), p.token(t, forged, jose.ES256, nil))
			if fault.ReasonOf(err) != "OIDC_UNAVAILABLE" || fault.KindOf(err) != fault.Unavailable || !strings.Contains(err.Error(), "nobody answers") {
				t.Fatalf("Authenticate() with a key that may be new while the provider is away = %v, want OIDC_UNAVAILABLE and why", err)
			}
		}
		if behind.asked != 1 {
			t.Errorf("the provider that is away was asked %d times for its keys by 100 forged tokens, want once", behind.asked)
		}
		for name, claims := range map[string]map[string]any{"of the past": {"exp": time.Now().Add(-time.Hour).Unix()}, "for somebody else": {"aud": "else"}} {
			if _, err := a.Authenticate(t.Context(), p.token(t, first, jose.ES256, claims)); fault.ReasonOf(err) != "TOKEN_INVALID" {
				t.Errorf("Authenticate() with a token %s while the provider is away = %v, want TOKEN_INVALID", name, err)
			}
		}
		if _, err := a.Authenticate(t.Context(), p.token(t, first, jose.ES256, nil)); err != nil {
			t.Errorf("Authenticate() with a known key while the provider is away = %v, want no error", err)
		}
	})
}

func TestEachSignatureWithAPublicKeyIsAccepted(t *testing.T) {
	t.Parallel()
	rsaKey, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		t.Fatal(err)
	}
	_, edKey, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	keys := map[jose.SignatureAlgorithm]crypto.Signer{
		jose.RS256: rsaKey, jose.RS384: rsaKey, jose.RS512: rsaKey, jose.PS256: rsaKey, jose.PS384: rsaKey, jose.PS512: rsaKey,
		jose.ES256: newKey(t, elliptic.P256()), jose.ES384: newKey(t, elliptic.P384()), jose.ES512: newKey(t, elliptic.P521()), jose.EdDSA: edKey,
	}
	for algorithm, key := range keys {
		a, p := (&published{keys: []jose.JSONWebKey{{Key: key.Public(), KeyID: "k"}}}).authenticator(t)
		if got, err := a.Authenticate(t.Context(), p.token(t, key, algorithm, nil)); err != nil || got.Name != "ana" {
			t.Errorf("Authenticate() of a token that is signed by %s = %v, %v, want its owner", algorithm, got, err)
		}
	}
}

// TestAKeyThatCannotBeReadHidesNoOther has a provider that also publishes keys for encryption, of types and curves of the future, and a broken one (RFC 7517 §5).
func TestAKeyThatCannotBeReadHidesNoOther(t *testing.T) {
	t.Parallel()
	key := newKey(t, elliptic.P256())
	good, err := json.Marshal(publicKey(key))
	if err != nil {
		t.Fatal(err)
	}
	for _, other := range []string{
		`{"kty":"later"}`, `{"kty":"RSA","kid":"k"}`, `{"kty":"OKP","crv":"X25519","use":"enc","x":"AAAA"}`, `{"kty":"EC","crv":"secp256k1","x":"AA","y":"AA"}`,
		`{"kty":"AKP","alg":"ML-DSA-65","pub":"AAAA"}`, `{}`, `5`, `null`,
	} {
		behind := &published{text: `{"keys":[` + other + `,` + string(good) + `]}`}
		a, p := behind.authenticator(t)
		if _, err := a.Authenticate(t.Context(), p.token(t, key, jose.ES256, nil)); err != nil {
			t.Errorf("Authenticate() with a key that is published beside %s = %v, want no error", other, err)
		}
	}
}

func TestAKeyThatIsWithdrawnCountsNoLonger(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		first, second := newKey(t, elliptic.P256()), newKey(t, elliptic.P256())
		behind := &published{keys: []jose.JSONWebKey{publicKey(first), publicKey(second)}}
		a, p := behind.authenticator(t)
		done := make(chan error, 1)
		ctx, cancel := context.WithCancel(t.Context())
		var log bytes.Buffer
		go func() { done <- a.Run(ctx, slog.New(slog.NewTextHandler(&log, nil))) }()
		accepted := func(key *ecdsa.PrivateKey) bool {
			token := p.token(t, key, jose.ES256, map[string]any{"exp": time.Now().Add(time.Hour).Unix()})
			_, err := a.Authenticate(t.Context(), token)
			return err == nil
		}
		if !accepted(first) || !accepted(second) {
			t.Error("Authenticate() with a key that is published = an error, want none")
		}
		behind.change(func() { behind.keys = behind.keys[1:] })
		<-time.After(6 * time.Minute)
		if accepted(first) || !accepted(second) {
			t.Errorf("after six minutes the withdrawn key counts %t, and the other %t, want false and true", accepted(first), accepted(second))
		}
		if synctest.Wait(); log.Len() > 0 {
			t.Errorf("the log is %s, want nothing while the keys can be read", &log)
		}
		for name, trouble := range map[string]func(){
			"away":                      func() { behind.down = true },
			"publishing what is no key": func() { behind.down, behind.text = false, `{"keys":[{"kty":"RSA"}]}` },
			"publishing no key":         func() { behind.down, behind.text = false, `{"keys":[]}` },
			"publishing unknown types":  func() { behind.down, behind.text = false, `{"keys":[{"kty":"later"}]}` },
			"under maintenance":         func() { behind.down, behind.text = false, `{"status":"back soon"}` },
		} {
			behind.change(trouble)
			<-time.After(time.Hour)
			if !accepted(second) {
				t.Errorf("Authenticate() with a known key, the provider being %s for an hour = an error, want none", name)
			}
		}
		cancel()
		if err := <-done; err != nil {
			t.Errorf("Run() = %v when it is stopped, want no error", err)
		}
		if text := log.String(); !strings.Contains(text, "nobody answers") || !strings.Contains(text, "the previous ones stay in use") {
			t.Errorf("the log is %s, want why the keys could not be read again", text)
		}
	})
}
