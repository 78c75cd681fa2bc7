package registry

import (
	"context"
	"slices"
	"time"

	"github.com/quorate/quorate/platform/fault"
	"github.com/quorate/quorate/registry/jws"
)

// SignaturePolicy says what signatures a card must have.
type SignaturePolicy string

// The policies. The zero value is SignaturesIfPresent.
const (
	SignaturesOff       SignaturePolicy = "off"               // signatures are ignored
	SignaturesIfPresent SignaturePolicy = "verify-if-present" // a signature that claims a pinned key must be valid
	SignaturesRequired  SignaturePolicy = "require"           // every card must be signed with a pinned key
)

// Valid reports whether p is a policy.
func (p SignaturePolicy) Valid() bool {
	return slices.Contains([]SignaturePolicy{"", SignaturesOff, SignaturesIfPresent, SignaturesRequired}, p)
}

// Trusts reports whether an agent may get work whose signature check resulted in v. An agent whose card would be refused today may not: unpinning a
// key ends the work of all agents whose cards only that key has signed, until they are signed with another one.
func (p SignaturePolicy) Trusts(v Verification) bool {
	switch {
	case p == SignaturesOff, v.State == VerificationVerified:
		return true
	case v.State == VerificationInvalid, v.State == VerificationUnchecked, v.Required: // Sweep checks unchecked cards soon
		return false
	default:
		return p != SignaturesRequired
	}
}

// Results of checking a card's signatures.
const (
	VerificationUnchecked = "unchecked" // the policy is off
	VerificationUnsigned  = jws.Unsigned
	VerificationVerified  = jws.Verified
	VerificationUntrusted = jws.Untrusted
	VerificationInvalid   = jws.Invalid
)

// Verification is the result of checking the signatures of the live card. It proves who published the card, not that its content is true.
type Verification struct {
	State  string    `json:"state,omitempty"`  // one of the constants above; empty means unchecked
	KeyID  string    `json:"key_id,omitempty"` // of the key that the state is about
	Reason string    `json:"reason,omitempty"` // why it is not verified
	Time   time.Time `json:"time,omitzero"`
	// Required is set by the first verified card and stays set: an agent that has signed once must sign from then on.
	Required bool `json:"required,omitempty"`
}

// same reports whether v and other have the same key and result.
func (v Verification) same(other Verification) bool {
	return v.State == other.State && v.KeyID == other.KeyID
}

// verify checks the signatures of a card against the keys that its tenant has pinned for the agent.
func (r *Registry) verify(ctx context.Context, key Key, raw []byte) (Verification, error) {
	if r.signatures == SignaturesOff {
		return Verification{State: VerificationUnchecked, Reason: "signatures were not checked when the card was taken", Time: r.now().UTC()}, nil
	}
	keys, err := r.keysFor(ctx, key)
	if err != nil {
		return Verification{}, err
	}
	result := jws.Verify(raw, keys)
	return Verification{State: result.State, KeyID: result.KeyID, Reason: result.Reason, Time: r.now().UTC()}, nil
}

// admit refuses a card whose signature does not suffice to replace the card of old, which is nil for a new agent. It returns the verification to
// store.
func (r *Registry) admit(old *Agent, v Verification) (Verification, error) {
	signed := old != nil && old.Verification.Required
	v.Required = signed || v.State == VerificationVerified
	switch {
	case r.signatures == SignaturesOff, v.State == VerificationVerified:
		return v, nil
	case v.State == VerificationInvalid:
		return v, fault.Invalid("card.signatures", "CARD_SIGNATURE_INVALID", "the card's signature is not valid: %s", v.Reason).With("key_id", v.KeyID)
	case signed:
		return v, fault.Invalid("card.signatures", "CARD_SIGNATURE_LOST",
			"the cards of agent %q have been signed with a pinned key, and this one is not: %s", old.Name, v.Reason)
	case r.signatures == SignaturesRequired:
		return v, fault.Invalid("card.signatures", "CARD_SIGNATURE_REQUIRED", "this server takes signed cards only: %s", v.Reason)
	}
	return v, nil
}
