package jws

import (
	"crypto"
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/elliptic"
	"crypto/rsa"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/go-jose/go-jose/v4"

	"github.com/quorate/quorate/platform/fault"
)

// Limits of a key.
const (
	MaxKeyBytes = 16 << 10
	maxKeyID    = 128 // bytes
	minRSABits  = 2048
	maxMistake  = 256 // bytes of an error that repeats what a key says
)

// Key is a public key that cards may be signed with.
type Key struct {
	ID         string   // the kid by which signatures refer to it
	Algorithms []string // the JWS algorithms for which it is used; never a symmetric one
	Thumbprint string   // SHA-256 by RFC 7638, base64url

	jwk jose.JSONWebKey
}

// ParseKey parses a public JSON Web Key of at most MaxKeyBytes: RSA of 2048 to 4096 bits, EC on P-256, P-384 or P-521, or Ed25519. It refuses private
// and symmetric keys, keys without kid, and keys that by their use or key_ops are not for verifying signatures.
func ParseKey(raw []byte) (Key, error) {
	if len(raw) > MaxKeyBytes {
		return Key{}, fmt.Errorf("the key has more than %d bytes", MaxKeyBytes)
	}
	var jwk jose.JSONWebKey
	if err := json.Unmarshal(raw, &jwk); err != nil {
		return Key{}, fmt.Errorf("it cannot be read as a JSON Web Key: %s", fault.ClipTo(strings.TrimPrefix(err.Error(), "go-jose/go-jose: "), maxMistake))
	}
	switch {
	case jwk.KeyID == "" || len(jwk.KeyID) > maxKeyID:
		return Key{}, fmt.Errorf("a key needs a kid of 1 to %d bytes", maxKeyID)
	case jwk.Use != "" && jwk.Use != "sig":
		return Key{}, fmt.Errorf("the key is for %q and not for signatures", jwk.Use)
	case !jwk.Valid() || !jwk.IsPublic():
		return Key{}, errors.New("only a public key is taken; keep the private one to yourself")
	}
	if err := checkOperations(raw); err != nil {
		return Key{}, err
	}
	algorithms, err := algorithmsOf(jwk.Key)
	if err != nil {
		return Key{}, err
	}
	if jwk.Algorithm != "" {
		if !slices.Contains(algorithms, jwk.Algorithm) {
			return Key{}, fmt.Errorf("the algorithm %q does not fit the key", jwk.Algorithm)
		}
		algorithms = []string{jwk.Algorithm}
	}
	print256, err := jwk.Thumbprint(crypto.SHA256)
	if err != nil {
		return Key{}, fmt.Errorf("thumbprint of the key: %w", err)
	}
	return Key{
		ID: jwk.KeyID, Algorithms: algorithms, Thumbprint: base64.RawURLEncoding.EncodeToString(print256),
		jwk: jose.JSONWebKey{Key: jwk.Key, KeyID: jwk.KeyID},
	}, nil
}

// checkOperations refuses a key whose key_ops (RFC 7517, section 4.3) do not include verify. A key without key_ops has no such limit.
func checkOperations(jwk []byte) error {
	var fields map[string]json.RawMessage // a struct would take a field in other letter case for this one
	if err := json.Unmarshal(jwk, &fields); err != nil {
		return errors.New("it is not a JSON Web Key")
	}
	listed, ok := fields["key_ops"]
	if !ok {
		return nil
	}
	var operations []string
	if err := json.Unmarshal(listed, &operations); err != nil || !slices.Contains(operations, "verify") {
		return errors.New(`the key's key_ops do not include "verify", so it must not be used to verify signatures`)
	}
	return nil
}

// algorithmsOf returns the algorithms for a key's type. They are determined by the key and not by the signature's header, so that a public key cannot
// be used as an HMAC secret.
func algorithmsOf(key any) ([]string, error) {
	switch k := key.(type) {
	case *rsa.PublicKey:
		if n := k.N.BitLen(); n < minRSABits { // go-jose takes none of more than 4096, because checking a signature takes longer with longer keys
			return nil, fmt.Errorf("an RSA key has at least %d bits, and this one %d", minRSABits, n)
		}
		return []string{"RS256", "RS384", "RS512", "PS256", "PS384", "PS512"}, nil
	case *ecdsa.PublicKey:
		switch k.Curve {
		case elliptic.P256():
			return []string{"ES256"}, nil
		case elliptic.P384():
			return []string{"ES384"}, nil
		case elliptic.P521():
			return []string{"ES512"}, nil
		}
	case ed25519.PublicKey:
		return []string{"EdDSA"}, nil
	}
	return nil, errors.New("a key is RSA, EC on P-256, P-384 or P-521, or Ed25519")
}
