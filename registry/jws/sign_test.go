package jws_test

import (
	"crypto"
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/elliptic"
	"crypto/hmac"
	"crypto/rand"
	"crypto/rsa"
	"crypto/sha256"
	"crypto/sha512"
	"encoding/base64"
	"encoding/json"
	"testing"

	"github.com/go-jose/go-jose/v4"

	"github.com/quorate/quorate/registry/jws"
)

var b64 = base64.RawURLEncoding.EncodeToString

// pair is a signing key of a test.
type pair struct {
	id      string
	private crypto.Signer
	public  jws.Key
	jwk     []byte
}

func newPair(t *testing.T, id string, private crypto.Signer) pair {
	t.Helper()
	jwk, err := json.Marshal(jose.JSONWebKey{Key: private.Public(), KeyID: id})
	if err != nil {
		t.Fatalf("Marshal() = %v, want no error", err)
	}
	public, err := jws.ParseKey(jwk)
	if err != nil {
		t.Fatalf("ParseKey(%s) = %v, want no error", jwk, err)
	}
	return pair{id, private, public, jwk}
}

func ecPair(t *testing.T, id string) pair {
	t.Helper()
	return curvePair(t, id, elliptic.P256())
}

func curvePair(t *testing.T, id string, curve elliptic.Curve) pair {
	t.Helper()
	private, err := ecdsa.GenerateKey(curve, rand.Reader)
	if err != nil {
		t.Fatalf("GenerateKey() = %v, want no error", err)
	}
	return newPair(t, id, private)
}

func edPair(t *testing.T, id string) pair {
	t.Helper()
	_, private, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		t.Fatalf("GenerateKey() = %v, want no error", err)
	}
	return newPair(t, id, private)
}

func rsaPair(t *testing.T, id string) pair {
	t.Helper()
	private, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		t.Fatalf("GenerateKey() = %v, want no error", err)
	}
	return newPair(t, id, private)
}

// sign returns the entry of signatures for payload, made without any of the code under test.
func (p pair) sign(t *testing.T, header string, payload []byte) string {
	t.Helper()
	input := b64([]byte(header)) + "." + b64(payload)
	sum := sha256.Sum256([]byte(input))
	digest := sum[:]
	var made []byte
	var err error
	switch key := p.private.(type) {
	case *ecdsa.PrivateKey:
		size := 32 // of each half (RFC 7518, section 3.4)
		switch key.Curve {
		case elliptic.P384():
			sum := sha512.Sum384([]byte(input))
			digest, size = sum[:], 48
		case elliptic.P521():
			sum := sha512.Sum512([]byte(input))
			digest, size = sum[:], 66
		}
		r, s, signErr := ecdsa.Sign(rand.Reader, key, digest)
		made, err = append(r.FillBytes(make([]byte, size)), s.FillBytes(make([]byte, size))...), signErr
	case ed25519.PrivateKey:
		made = ed25519.Sign(key, []byte(input))
	case *rsa.PrivateKey:
		made, err = rsa.SignPKCS1v15(rand.Reader, key, crypto.SHA256, digest)
	}
	if err != nil {
		t.Fatalf("sign = %v, want no error", err)
	}
	return entry(header, made)
}

func entry(header string, signature []byte) string {
	return `{"protected":"` + b64([]byte(header)) + `","signature":"` + b64(signature) + `"}`
}

// hmacEntry signs with secret as HS256 does.
func hmacEntry(header string, payload, secret []byte) string {
	mac := hmac.New(sha256.New, secret)
	mac.Write([]byte(b64([]byte(header)) + "." + b64(payload)))
	return entry(header, mac.Sum(nil))
}
