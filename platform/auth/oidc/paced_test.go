package oidc_test

import (
	"bytes"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"testing"
	"testing/synctest"
	"time"

	"github.com/go-jose/go-jose/v4"

	"github.com/quorate/quorate/platform/auth/oidc"
	"github.com/quorate/quorate/platform/fault"
)

// published are the keys of a provider that is reached without a network.
type published struct {
	keys  []jose.JSONWebKey
	asked int
	down  bool
}

func (p *published) RoundTrip(*http.Request) (*http.Response, error) {
	p.asked++
	if p.down {
		return nil, errors.New("nobody answers")
	}
	body, err := json.Marshal(jose.JSONWebKeySet{Keys: p.keys})
	return &http.Response{StatusCode: http.StatusOK, Header: http.Header{}, Body: io.NopCloser(bytes.NewReader(body))}, err
}

func TestTokensThatNobodySignedDoNotFloodTheProvider(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		key := func() *ecdsa.PrivateKey {
			k, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
			if err != nil {
				t.Fatal(err)
			}
			return k
		}
		first, second, forged := key(), key(), key()
		of := func(k *ecdsa.PrivateKey) jose.JSONWebKey {
			return jose.JSONWebKey{Key: k.Public(), KeyID: "k", Algorithm: "ES256", Use: "sig"}
		}
		behind := &published{keys: []jose.JSONWebKey{of(first)}}
		p := &provider{Server: &httptest.Server{URL: "https://id.example"}}
		c := oidc.DefaultConfig()
		c.Issuer, c.Audience, c.KeysURL = "https://id.example", "quorate", "https://id.example/keys"
		a, err := oidc.New(t.Context(), c, &http.Client{Transport: behind})
		if err != nil {
			t.Fatalf("New() = %v", err)
		}
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
		behind.keys = append(behind.keys, of(second))
		<-time.After(6 * time.Second)
		if _, err := a.Authenticate(t.Context(), p.token(t, second, jose.ES256, nil)); err != nil {
			t.Errorf("Authenticate() with a new key of the provider = %v, want no error after a few seconds", err)
		}
		behind.down = true
		<-time.After(6 * time.Second)
		if _, err := a.Authenticate(t.Context(), p.token(t, forged, jose.ES256, nil)); fault.ReasonOf(err) != "OIDC_UNAVAILABLE" {
			t.Errorf("Authenticate() with a key that may be new while the provider is away = %v, want OIDC_UNAVAILABLE", err)
		}
		old := p.token(t, first, jose.ES256, map[string]any{"exp": time.Now().Add(-time.Hour).Unix()})
		if _, err := a.Authenticate(t.Context(), old); fault.ReasonOf(err) != "TOKEN_INVALID" {
			t.Errorf("Authenticate() with a token of the past while the provider is away = %v, want TOKEN_INVALID", err)
		}
		if _, err := a.Authenticate(t.Context(), p.token(t, first, jose.ES256, nil)); err != nil {
			t.Errorf("Authenticate() with a known key while the provider is away = %v, want no error", err)
		}
	})
}
