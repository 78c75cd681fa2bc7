package registry_test

import (
	"strings"
	"testing"

	"github.com/go-jose/go-jose/v4"

	"github.com/quorate/quorate/registry"
)

// over returns a signature over payload, which it does not have in it.
func (s signer) over(t *testing.T, payload string) string {
	t.Helper()
	made, err := jose.NewSigner(jose.SigningKey{Algorithm: jose.ES256, Key: s.private}, (&jose.SignerOptions{}).WithHeader("kid", s.id))
	if err != nil {
		t.Fatalf("NewSigner() = %v, want no error", err)
	}
	object, err := made.Sign([]byte(payload))
	if err != nil {
		t.Fatalf("Sign() = %v, want no error", err)
	}
	compact, err := object.DetachedCompactSerialize()
	if err != nil {
		t.Fatalf("DetachedCompactSerialize() = %v, want no error", err)
	}
	return compact
}

func TestAnAgentSignsWithAKeyOfItsOwnOnly(t *testing.T) {
	t.Parallel()
	own, rotated, shared, everybodys, others := newSigner(t, "own"), newSigner(t, "rotated"), newSigner(t, "shared"), newSigner(t, "all"), newSigner(t, "other")
	twice := newSigner(t, "mine")
	alias := signer{twice.private, "theirs"}
	f := open(t, registry.Options{})
	pin(t, f, own, "reviewer")
	pin(t, f, rotated, "reviewer")
	pin(t, f, shared, "coder", "reviewer")
	pin(t, f, everybodys)
	pin(t, f, others, "coder")
	pin(t, f, twice, "reviewer")
	pin(t, f, alias, "coder")
	if err := f.Once(registry.Retry{}).DeleteSigningKey(t.Context(), tenant, "rotated"); err != nil {
		t.Fatalf("DeleteSigningKey() = %v, want no error", err)
	}
	check, err := f.Signatures(t.Context(), registry.Key{Tenant: tenant, Name: "reviewer"})
	if err != nil {
		t.Fatalf("Signatures() = %v, want no error", err)
	}
	const payload = `{"outcome":"approved"}`
	for name, test := range map[string]struct {
		signature string
		good      bool
	}{
		"its own key":                            {own.over(t, payload), true},
		"its own key over something else":        {own.over(t, payload+" "), false},
		"a key that is no longer trusted":        {rotated.over(t, payload), false},
		"a key of several agents":                {shared.over(t, payload), false},
		"a key of all agents":                    {everybodys.over(t, payload), false},
		"another agent's key":                    {others.over(t, payload), false},
		"another agent's key under its own name": {signer{others.private, "own"}.over(t, payload), false},
		"a key that another agent has, too":      {twice.over(t, payload), false},
		"a key that nobody has pinned":           {newSigner(t, "new").over(t, payload), false},
		"no algorithm":                           {"eyJhbGciOiJub25lIiwia2lkIjoib3duIn0..AA", false},
		"a signature with its payload":           {strings.Replace(own.over(t, payload), "..", ".e30.", 1), false},
		"no signature":                           {"", false},
	} {
		if err := check([]byte(payload), test.signature); (err == nil) != test.good {
			t.Errorf("checking a signature by %s = %v, want it good: %v", name, err, test.good)
		}
	}
	stranger, err := f.Signatures(t.Context(), registry.Key{Tenant: "other", Name: "reviewer"})
	if err != nil || stranger([]byte(payload), own.over(t, payload)) == nil {
		t.Errorf("Signatures() of another tenant takes the key (%v), want it refused", err)
	}
}
