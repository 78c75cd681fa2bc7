package registry_test

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/go-jose/go-jose/v4"
	"github.com/google/go-cmp/cmp"

	"github.com/quorate/quorate/platform/fault"
	"github.com/quorate/quorate/registry"
	"github.com/quorate/quorate/registry/jws"
)

// signer is a key that tests sign cards with.
type signer struct {
	private *ecdsa.PrivateKey
	id      string
}

func newSigner(t *testing.T, id string) signer {
	t.Helper()
	private, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatalf("GenerateKey() = %v, want no error", err)
	}
	return signer{private, id}
}

func (s signer) jwk(t *testing.T) []byte {
	t.Helper()
	jwk, err := json.Marshal(jose.JSONWebKey{Key: s.private.Public(), KeyID: s.id})
	if err != nil {
		t.Fatalf("Marshal() = %v, want no error", err)
	}
	return jwk
}

// sign returns the card with a signature, and a hint where its key is that nobody must follow.
func (s signer) sign(t *testing.T, card []byte) string {
	t.Helper()
	payloads, err := jws.Payloads(card)
	if err != nil {
		t.Fatalf("Payloads() = %v, want no error", err)
	}
	options := (&jose.SignerOptions{}).WithType("JOSE").WithHeader("kid", s.id).WithHeader("jku", "https://evil.example/keys.json")
	made, err := jose.NewSigner(jose.SigningKey{Algorithm: jose.ES256, Key: s.private}, options)
	if err != nil {
		t.Fatalf("NewSigner() = %v, want no error", err)
	}
	object, err := made.Sign(payloads[0])
	if err != nil {
		t.Fatalf("Sign() = %v, want no error", err)
	}
	compact, err := object.CompactSerialize()
	if err != nil {
		t.Fatalf("CompactSerialize() = %v, want no error", err)
	}
	parts := strings.Split(compact, ".")
	return strings.TrimSuffix(string(card), "}") + `,"signatures":[{"protected":"` + parts[0] + `","signature":"` + parts[2] + `"}]}`
}

func pin(t *testing.T, r *registry.Registry, s signer, agents ...string) {
	t.Helper()
	if _, err := r.Once(registry.Retry{}).PinSigningKey(t.Context(), tenant, s.jwk(t), agents); err != nil {
		t.Fatalf("PinSigningKey(%s) = %v, want no error", s.id, err)
	}
}

func verificationOf(t *testing.T, r *registry.Registry, name string) registry.Verification {
	t.Helper()
	a, err := r.Agent(t.Context(), tenant, name)
	if err != nil {
		t.Fatalf("Agent(%s) = %v, want no error", name, err)
	}
	return a.Verification
}

func TestTheSignaturePolicies(t *testing.T) {
	t.Parallel()
	mine, other := newSigner(t, "mine"), newSigner(t, "other")
	plain := string(named("a", "s"))
	good, unknown := mine.sign(t, named("a", "s")), other.sign(t, named("a", "s"))
	forged := strings.Replace(good, "1.0.0", "2.0.0", 1)
	tests := map[string]struct {
		policy       registry.SignaturePolicy
		card         string
		state, fault string
	}{
		"off looks at nothing":                          {registry.SignaturesOff, forged, "unchecked", ""},
		"if present takes an unsigned card":             {registry.SignaturesIfPresent, plain, "unsigned", ""},
		"if present takes a good signature":             {registry.SignaturesIfPresent, good, "verified", ""},
		"if present notes a key that nobody pinned":     {"", unknown, "untrusted", ""},
		"if present refuses a wrong signature":          {"", forged, "", "CARD_SIGNATURE_INVALID"},
		"require takes a good signature":                {registry.SignaturesRequired, good, "verified", ""},
		"require refuses an unsigned card":              {registry.SignaturesRequired, plain, "", "CARD_SIGNATURE_REQUIRED"},
		"require refuses a key that nobody pinned":      {registry.SignaturesRequired, unknown, "", "CARD_SIGNATURE_REQUIRED"},
		"require refuses a wrong signature":             {registry.SignaturesRequired, forged, "", "CARD_SIGNATURE_INVALID"},
		"require refuses a key pinned for other agents": {registry.SignaturesRequired, mine.sign(t, named("b", "s")), "", "CARD_SIGNATURE_REQUIRED"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := open(t, registry.Options{Signatures: test.policy})
			pin(t, r, mine, "a", "c")
			got, warnings, err := r.Register(t.Context(), tenant, registry.Registration{RawCard: []byte(test.card)})
			if fault.ReasonOf(err) != test.fault || got.Verification.State != test.state {
				t.Fatalf("Register() = %+v, %v, want %q, %q", got.Verification, err, test.state, test.fault)
			}
			if warned := len(warnings) == 1 && warnings[0].Code == "CARD_SIGNATURE_UNTRUSTED"; warned != (test.state == "untrusted") {
				t.Errorf("Register() warns %v, want CARD_SIGNATURE_UNTRUSTED for an untrusted card only", warnings)
			}
			if err == nil && verificationOf(t, r, "a") != got.Verification {
				t.Errorf("Agent().Verification = %+v, want %+v", verificationOf(t, r, "a"), got.Verification)
			}
		})
	}
}

func TestNoCardIsTakenWhileNobodyKnowsWhoMaySignIt(t *testing.T) {
	t.Parallel()
	r, store := openFaint(t, &web{})
	card := newSigner(t, "k").sign(t, named("b", "s"))
	store.noKeys.Store(true)
	if a, _, err := r.Register(t.Context(), tenant, registry.Registration{RawCard: []byte(card)}); !errors.Is(err, errFaint) {
		t.Errorf("Register() = %+v, %v, want the error of the store", a.Verification, err)
	}
	if _, err := r.Agent(t.Context(), tenant, "b"); fault.ReasonOf(err) != "AGENT_NOT_FOUND" {
		t.Errorf("Agent() = %v, want AGENT_NOT_FOUND", err)
	}
}

func TestOnceSignedAlwaysSigned(t *testing.T) {
	t.Parallel()
	mine, other := newSigner(t, "mine"), newSigner(t, "other")
	r, publish := published(t, string(named("a", "first")))
	pin(t, r, mine)
	if got, _, err := publish(mine.sign(t, named("a", "second"))); err != nil || !got.Verification.Required {
		t.Fatalf("Refresh(signed) = %+v, %v, want it required from now on", got.Verification, err)
	}
	refused := func(when string, err error) {
		t.Helper()
		if fault.ReasonOf(err) != "CARD_SIGNATURE_LOST" {
			t.Errorf("%s = %v, want CARD_SIGNATURE_LOST", when, err)
		}
	}
	_, _, err := publish(string(named("a", "third")))
	refused("Refresh(unsigned)", err)
	_, _, err = publish(other.sign(t, named("a", "third")))
	refused("Refresh(signed by another)", err)
	_, _, err = r.Once(registry.Retry{}).SetLiveVersion(t.Context(), tenant, "a", "", 1)
	refused("SetLiveVersion(unsigned version)", err)
	if err := r.Once(registry.Retry{}).DeleteSigningKey(t.Context(), tenant, "mine"); err != nil {
		t.Fatalf("DeleteSigningKey() = %v, want no error", err)
	}
	_, _, err = publish(string(named("a", "third")))
	refused("Refresh(unsigned) when no key is pinned any more", err)
	if got, err := r.Agent(t.Context(), tenant, "a"); err != nil || got.Card.Skills[0].ID != "second" {
		t.Errorf("Agent() = %+v, %v, want the signed card kept", got.Card, err)
	}
}

func TestKeysAreRotatedWithOverlap(t *testing.T) {
	t.Parallel()
	first, second := newSigner(t, "k1"), newSigner(t, "k2")
	r, publish := published(t, first.sign(t, named("a", "s")))
	state := func(when, want, key string) {
		t.Helper()
		if got := verificationOf(t, r, "a"); got.State != want || got.KeyID != key || (got.Reason == "") != (want == "verified") {
			t.Errorf("Verification %s = %+v, want %s, %s", when, got, want, key)
		}
	}
	state("before the key is pinned", "untrusted", "k1")
	pin(t, r, first)
	state("when the key is pinned", "verified", "k1")
	if !verificationOf(t, r, "a").Required {
		t.Error("a card that the pinned key has signed does not commit its agent to sign, want that it does")
	}
	pin(t, r, second)
	if _, _, err := publish(second.sign(t, named("a", "s", "t"))); err != nil {
		t.Fatalf("Refresh(signed by the next key) = %v, want no error", err)
	}
	state("with the next key", "verified", "k2")
	if err := r.Once(registry.Retry{}).DeleteSigningKey(t.Context(), tenant, "k1"); err != nil {
		t.Fatalf("DeleteSigningKey(k1) = %v, want no error", err)
	}
	state("without the old key", "verified", "k2")
	if err := r.Once(registry.Retry{}).DeleteSigningKey(t.Context(), tenant, "k2"); err != nil {
		t.Fatalf("DeleteSigningKey(k2) = %v, want no error", err)
	}
	state("without any key", "untrusted", "k2")
	if err := r.Once(registry.Retry{}).DeleteSigningKey(t.Context(), tenant, "k2"); fault.ReasonOf(err) != "KEY_NOT_FOUND" {
		t.Errorf("DeleteSigningKey(k2) again = %v, want KEY_NOT_FOUND", err)
	}
}

func TestOfTwoSignaturesTheOtherOneStaysWhenAKeyEnds(t *testing.T) {
	t.Parallel()
	first, second := newSigner(t, "k1"), newSigner(t, "k2")
	const begin = `"signatures":[`
	card := named("a", "s")
	_, of, _ := strings.Cut(second.sign(t, card), begin)
	r, _ := published(t, strings.TrimSuffix(first.sign(t, card), "]}")+","+of)
	pin(t, r, first)
	pin(t, r, second)
	if got := verificationOf(t, r, "a"); got.State != "verified" || got.KeyID != "k1" {
		t.Fatalf("Verification = %+v, want it verified by the first key", got)
	}
	if err := r.Once(registry.Retry{}).DeleteSigningKey(t.Context(), tenant, "k1"); err != nil {
		t.Fatalf("DeleteSigningKey(k1) = %v, want no error", err)
	}
	if got := verificationOf(t, r, "a"); got.State != "verified" || got.KeyID != "k2" {
		t.Errorf("Verification without the first key = %+v, want it verified by the second", got)
	}
}

// TestACardThatIsNotInForceSaysNothingOfTheOneThatIs has a card read again that an admin went back from.
func TestACardThatIsNotInForceSaysNothingOfTheOneThatIs(t *testing.T) {
	t.Parallel()
	r, publish := published(t, newSigner(t, "k").sign(t, named("a", "old")))
	for range 2 {
		if _, _, err := publish(string(named("a", "new"))); err != nil {
			t.Fatalf("Refresh() = %v, want no error", err)
		}
		if _, _, err := r.Once(registry.Retry{}).SetLiveVersion(t.Context(), tenant, "a", "", 1); err != nil {
			t.Fatalf("SetLiveVersion() = %v, want no error", err)
		}
	}
	if _, _, err := publish(string(named("a", "new"))); err != nil {
		t.Fatalf("Refresh() = %v, want no error", err)
	}
	if got := verificationOf(t, r, "a"); got.State != registry.VerificationUntrusted || got.KeyID != "k" {
		t.Errorf("Verification = %+v, want that of the card in force", got)
	}
}

func TestAHostileKeyAddressIsNeverRead(t *testing.T) {
	t.Parallel()
	w := newWeb()
	r := open(t, registry.Options{Client: w.client()})
	other := newSigner(t, "other")
	w.serve("https://evil.example/keys.json", `{"keys":[`+string(other.jwk(t))+`]}`)
	w.serve(cardURI, other.sign(t, named("a", "s")))
	got, _, err := r.Register(t.Context(), tenant, registry.Registration{CardURI: cardURI})
	if err != nil || got.Verification.State != registry.VerificationUntrusted || w.count() != 1 {
		t.Errorf("Register() = %+v, %v after %d requests, want untrusted after 1", got.Verification, err, w.count())
	}
}

func TestPinSigningKeyRefuses(t *testing.T) {
	t.Parallel()
	r := open(t, registry.Options{})
	mine := newSigner(t, "mine")
	pin(t, r, mine)
	private, err := json.Marshal(jose.JSONWebKey{Key: mine.private, KeyID: "private"})
	if err != nil {
		t.Fatalf("Marshal() = %v, want no error", err)
	}
	for name, test := range map[string]struct {
		jwk    []byte
		agents []string
		want   string
	}{
		"a private key":         {private, nil, "KEY_INVALID"},
		"an id that is taken":   {newSigner(t, "mine").jwk(t), nil, "KEY_EXISTS"},
		"an impossible name":    {newSigner(t, "k").jwk(t), []string{"a b"}, "KEY_INVALID"},
		"too many agents":       {newSigner(t, "k").jwk(t), strings.Split(strings.Repeat("a,", 101), ","), "KEY_INVALID"},
		"something else":        {[]byte("x"), nil, "KEY_INVALID"},
		"a key of another kind": {[]byte(`{"kty":"oct","k":"AAAA","kid":"k"}`), nil, "KEY_INVALID"},
	} {
		if _, err := r.Once(registry.Retry{}).PinSigningKey(t.Context(), tenant, test.jwk, test.agents); fault.ReasonOf(err) != test.want {
			t.Errorf("PinSigningKey() of %s = %v, want %s", name, err, test.want)
		}
	}
	if keys, err := r.SigningKeys(t.Context(), tenant); err != nil || len(keys) != 1 || keys[0].ID != "mine" || keys[0].Thumbprint == "" {
		t.Errorf("SigningKeys() = %+v, %v, want mine", keys, err)
	}
	if keys, err := r.SigningKeys(t.Context(), "other"); err != nil || len(keys) != 0 {
		t.Errorf("SigningKeys() of another tenant = %+v, %v, want none", keys, err)
	}
}

func TestAKeyIsPinnedOncePerRequest(t *testing.T) {
	t.Parallel()
	r := open(t, registry.Options{})
	mine, other := newSigner(t, "mine").jwk(t), newSigner(t, "other").jwk(t)
	once := func(caller, id string) registry.Writer { return r.Once(registry.Retry{Caller: caller, RequestID: id}) }
	first, err := once("root", "1").PinSigningKey(t.Context(), tenant, mine, []string{"a"})
	if err != nil || first.CreateTime.IsZero() {
		t.Fatalf("PinSigningKey() = %+v, %v, want a key with its time", first, err)
	}
	spaced := append([]byte(" "), mine...) // protojson puts spaces where it likes
	if again, err := once("root", "1").PinSigningKey(t.Context(), tenant, spaced, []string{"a"}); err != nil || cmp.Diff(first, again) != "" {
		t.Errorf("PinSigningKey() again = %v, %v, want %v", again, err, first)
	}
	for name, test := range map[string]struct {
		caller, id string
		jwk        []byte
		agents     []string
		want       string
	}{
		"for other agents":      {"root", "1", mine, nil, "REQUEST_ID_REUSED"},
		"of another key":        {"root", "1", other, []string{"a"}, "REQUEST_ID_REUSED"},
		"under another id":      {"root", "2", mine, []string{"a"}, "KEY_EXISTS"},
		"by another admin":      {"ann", "1", mine, []string{"a"}, "KEY_EXISTS"},
		"without a request id":  {"root", "", mine, []string{"a"}, "KEY_EXISTS"},
		"of a key that is none": {"root", "1", []byte("{}"), nil, "KEY_INVALID"},
	} {
		if _, err := once(test.caller, test.id).PinSigningKey(t.Context(), tenant, test.jwk, test.agents); fault.ReasonOf(err) != test.want {
			t.Errorf("PinSigningKey() %s = %v, want %s", name, err, test.want)
		}
	}
	for range 2 {
		if err := once("root", "3").DeleteSigningKey(t.Context(), tenant, "mine"); err != nil {
			t.Fatalf("DeleteSigningKey() and its retry = %v, want no error", err)
		}
	}
	if err := once("root", "3").DeleteSigningKey(t.Context(), tenant, "other"); fault.ReasonOf(err) != "REQUEST_ID_REUSED" {
		t.Errorf("DeleteSigningKey(other) under the same id = %v, want REQUEST_ID_REUSED", err)
	}
	if err := once("root", "4").DeleteSigningKey(t.Context(), tenant, "mine"); fault.ReasonOf(err) != "KEY_NOT_FOUND" {
		t.Errorf("DeleteSigningKey() by another request = %v, want KEY_NOT_FOUND", err)
	}
	if _, err := once("root", "1").PinSigningKey(t.Context(), tenant, mine, []string{"a"}); fault.ReasonOf(err) != "KEY_NOT_FOUND" {
		t.Errorf("PinSigningKey() again of a key that is deleted = %v, want KEY_NOT_FOUND", err)
	}
}

func TestAnAgentGetsWorkWhileItsCardWouldBeTaken(t *testing.T) {
	t.Parallel()
	const (
		off, present, required       = registry.SignaturesOff, registry.SignaturesIfPresent, registry.SignaturesRequired
		verified, unsigned, unlooked = registry.VerificationVerified, registry.VerificationUnsigned, registry.VerificationUnchecked
		untrusted, invalid           = registry.VerificationUntrusted, registry.VerificationInvalid
	)
	for _, test := range []struct {
		policy registry.SignaturePolicy
		v      registry.Verification
		want   bool
	}{
		{off, registry.Verification{State: invalid, Required: true}, true},
		{present, registry.Verification{State: verified, Required: true}, true},
		{present, registry.Verification{State: unsigned}, true},
		{present, registry.Verification{State: untrusted}, true},
		{present, registry.Verification{State: unlooked}, false},
		{present, registry.Verification{State: untrusted, Required: true}, false},
		{present, registry.Verification{State: invalid}, false},
		{"", registry.Verification{State: untrusted, Required: true}, false},
		{"", registry.Verification{}, true},
		{required, registry.Verification{State: verified, Required: true}, true},
		{required, registry.Verification{State: unsigned}, false},
		{required, registry.Verification{State: unlooked}, false},
		{required, registry.Verification{State: untrusted}, false},
	} {
		if got := test.policy.Trusts(test.v); got != test.want {
			t.Errorf("%q.Trusts(%+v) = %v, want %v", test.policy, test.v, got, test.want)
		}
	}
}
