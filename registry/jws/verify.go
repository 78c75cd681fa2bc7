package jws

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/go-jose/go-jose/v4"

	"github.com/quorate/quorate/platform/fault"
)

// Results of checking a card's signatures.
const (
	Unsigned  = "unsigned"  // the card has no signature
	Verified  = "verified"  // a given key signed this card
	Untrusted = "untrusted" // it is signed, but with no given key
	Invalid   = "invalid"   // it refers to a given key that did not sign this card, or a signature cannot be parsed
)

const maxSignatures = 8

// Result is the result of a check.
type Result struct {
	State  string // one of the constants above
	KeyID  string // of the key that the state is about; empty for unsigned
	Reason string // why it is not verified
}

// signature is one entry of a card's signatures. The unprotected header is not signed, so it is ignored.
type signature struct {
	Protected string `json:"protected"`
	Signature string `json:"signature"`
}

// Verify checks the card's signatures against keys. One valid signature suffices, but a wrong signature that claims one of keys outweighs any number
// of signatures by other keys.
func Verify(card []byte, keys []Key) Result {
	var signed struct {
		Signatures []signature `json:"signatures"`
	}
	if err := json.Unmarshal(card, &signed); err != nil {
		return Result{State: Invalid, Reason: "the signatures cannot be read"}
	}
	switch n := len(signed.Signatures); {
	case n == 0:
		return Result{State: Unsigned, Reason: "the card is not signed"}
	case n > maxSignatures:
		return Result{State: Invalid, Reason: fmt.Sprintf("the card has %d signatures; the most is %d", n, maxSignatures)}
	}
	payloads, err := Payloads(card)
	if err != nil {
		return Result{State: Invalid, Reason: err.Error()}
	}
	python, err := pythonForm(payloads[0])
	if err != nil {
		return Result{State: Invalid, Reason: err.Error()}
	}
	payloads = append(payloads, python)
	var result Result
	for _, s := range signed.Signatures {
		r := s.verify(payloads, keys)
		if r.State == Verified {
			return r
		}
		if result.State == "" || (r.State == Invalid && result.State != Invalid) {
			result = r
		}
	}
	return result
}

// VerifyDetached checks a detached JWS over payload in compact form (RFC 7515, appendix F) against keys.
func VerifyDetached(compact string, payload []byte, keys []Key) Result {
	protected, signed, ok := strings.Cut(compact, "..")
	if !ok {
		return Result{State: Invalid, Reason: "it is no JWS in compact form without its payload"}
	}
	return signature{Protected: protected, Signature: signed}.verify([][]byte{payload}, keys)
}

// verify checks one signature.
func (s signature) verify(payloads [][]byte, keys []Key) Result {
	if s.Protected == "" || s.Signature == "" || strings.ContainsAny(s.Protected+s.Signature, ". \t\r\n") {
		return Result{State: Invalid, Reason: "a signature needs protected and signature in base64url"}
	}
	compact := s.Protected + ".." + s.Signature
	parsed, err := jose.ParseDetached(compact, payloads[0], allAlgorithms)
	if err != nil || len(parsed.Signatures) != 1 {
		return Result{State: Invalid, Reason: "the signature cannot be read or its algorithm is not allowed"}
	}
	header := parsed.Signatures[0].Protected
	if header.KeyID == "" {
		return Result{State: Invalid, Reason: "the signature's protected header names no key (kid)"}
	}
	for _, key := range keys {
		if key.ID != header.KeyID {
			continue
		}
		if !slices.Contains(key.Algorithms, header.Algorithm) {
			return Result{State: Invalid, KeyID: key.ID, Reason: fmt.Sprintf("the algorithm %s does not fit the key %q", header.Algorithm, key.ID)}
		}
		for _, payload := range payloads {
			if parsed.DetachedVerify(payload, key.jwk.Key) == nil {
				return Result{State: Verified, KeyID: key.ID}
			}
		}
		return Result{State: Invalid, KeyID: key.ID, Reason: fmt.Sprintf("the signature is not by the key %q over this content", key.ID)}
	}
	unknown := fault.ClipTo(header.KeyID, maxKeyID)
	return Result{
		State: Untrusted, KeyID: unknown,
		Reason: fmt.Sprintf("no admin has pinned a key %q for this agent; where the card says its key is (jku) is not read", unknown),
	}
}

// allAlgorithms are the algorithms of all types of keys that ParseKey accepts. None is symmetric, and "none" is not among them.
var allAlgorithms = []jose.SignatureAlgorithm{
	jose.RS256, jose.RS384, jose.RS512, jose.PS256, jose.PS384, jose.PS512, jose.ES256, jose.ES384, jose.ES512, jose.EdDSA,
}
