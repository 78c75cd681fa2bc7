package storetest

import (
	"crypto/sha256"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/quorate/quorate/platform/fault"
	"github.com/quorate/quorate/registry"
	"github.com/quorate/quorate/registry/agentcard"
)

func missing(t *testing.T, s registry.Store) {
	key := registry.Key{Tenant: "t", Name: "nobody"}
	if _, err := s.Agent(t.Context(), key); fault.ReasonOf(err) != "AGENT_NOT_FOUND" {
		t.Errorf("Agent(nobody) = %v, want AGENT_NOT_FOUND", err)
	}
	wantNames(t, s, registry.Query{Tenant: "t", Limit: 10})
	wantNames(t, s, registry.Query{Tenant: "t", Skill: "s", Limit: 10})
	if rows, err := s.Skills(t.Context(), "t", registry.SkillKey{}, 10); len(rows) != 0 || err != nil {
		t.Errorf("Skills() = %v, %v, want none", rows, err)
	}
	if p, err := s.Pulses(t.Context(), key); len(p) != 0 || err != nil {
		t.Errorf("Pulses(nobody) = %v, %v, want none", p, err)
	}
	remove(t, s, key) // deleting a missing agent is allowed: the domain decides whether it is an error
}

func roundTrip(t *testing.T, s registry.Store) {
	want := Record("t", "web", "fetch", "a\x00b")
	want.TokenHash = sha256.Sum256([]byte("token"))
	want.LiveVersion, want.LatestVersion, want.LatestHash = 2, 3, "h"
	want.Source = registry.Source{Type: registry.SourceFolder, Location: "/cards", Gone: true}
	want.Verification = registry.Verification{State: registry.VerificationUntrusted, KeyID: "k", Reason: "why", Time: epoch, Required: true}
	want.Card.SecuritySchemes = []string{"bearer"}
	want.Card.Extensions = []agentcard.Extension{{URI: "https://x", Params: map[string]any{"a": []any{1.5, nil}}}}
	Put(t, s, want)
	for range 2 { // the second read may come from a cache
		got, err := s.Agent(t.Context(), want.Key())
		if err != nil || cmp.Diff(*want, got) != "" {
			t.Fatalf("Agent() = %v, difference (-want +got):\n%s", err, cmp.Diff(*want, got))
		}
	}
	next := *want
	next.Etag, next.RawCard = "e2", []byte("other")
	Put(t, s, &next)
	if got, err := s.Agent(t.Context(), want.Key()); err != nil || cmp.Diff(next, got) != "" {
		t.Errorf("Agent() after a write = %v, difference (-want +got):\n%s", err, cmp.Diff(next, got))
	}
}

func listing(t *testing.T, s registry.Store) {
	for _, name := range []string{"b", "a", "a-b", "B", "c"} {
		Put(t, s, Record("t", name))
	}
	Put(t, s, Record("s", "z"))
	wantNames(t, s, registry.Query{Tenant: "t", Limit: 2}, "t/B", "t/a")
	wantNames(t, s, registry.Query{Tenant: "t", After: registry.Key{Tenant: "t", Name: "a"}, Limit: 2}, "t/a-b", "t/b")
	wantNames(t, s, registry.Query{Tenant: "t", After: registry.Key{Tenant: "t", Name: "bb"}, Limit: 9}, "t/c")
	wantNames(t, s, registry.Query{Tenant: "t", After: registry.Key{Tenant: "t", Name: "c"}, Limit: 9})
	wantNames(t, s, registry.Query{Limit: 3}, "s/z", "t/B", "t/a")
	wantNames(t, s, registry.Query{After: registry.Key{Tenant: "s", Name: "z"}, Limit: 1}, "t/B")
	wantNames(t, s, registry.Query{Bare: true, Limit: 3}, "s/z", "t/B", "t/a")
	wantNames(t, s, registry.Query{Bare: true, After: registry.Key{Tenant: "t", Name: "a"}, Limit: 2}, "t/a-b", "t/b")
	wantNames(t, s, registry.Query{Bare: true, Tenant: "t", After: registry.Key{Tenant: "t", Name: "b"}, Limit: 9}, "t/c")
	wantNames(t, s, registry.Query{Tenant: "t", Names: []string{"c", "z", "a", "c", "nobody", "", strings.Repeat("x", 3000)}, Limit: 9}, "t/a", "t/c")
	wantNames(t, s, registry.Query{Tenant: "t", Names: []string{"c", "b", "a"}, Limit: 2}, "t/a", "t/b")
	wantNames(t, s, registry.Query{Tenant: "t", Names: []string{}, Limit: 9})
}

func tenants(t *testing.T, s registry.Store) {
	Put(t, s, Record("a", "x", "k"))
	Put(t, s, Record("ab", "y", "k"))
	wantNames(t, s, registry.Query{Tenant: "a", Limit: 9}, "a/x")
	wantNames(t, s, registry.Query{Tenant: "a", Skill: "k", Limit: 9}, "a/x")
	if _, err := s.Agent(t.Context(), registry.Key{Tenant: "a", Name: "y"}); fault.KindOf(err) != fault.NotFound {
		t.Errorf("Agent(a/y) = %v, want not found", err)
	}
	rows, err := s.Skills(t.Context(), "a", registry.SkillKey{}, 9)
	if err != nil || len(rows) != 1 || rows[0].Agent != "x" {
		t.Errorf("Skills(a) = %v, %v, want those of x only", rows, err)
	}
}

// longSkills has ids of 256 characters, which are 768 bytes.
func longSkills(t *testing.T, s registry.Store) {
	begin := strings.Repeat("技", 255)
	one, two := begin+"一", begin+"二"
	Put(t, s, Record("t", "a", one, two))
	Put(t, s, Record("t", "b", two))
	wantNames(t, s, registry.Query{Tenant: "t", Skill: one, Limit: 9}, "t/a")
	wantNames(t, s, registry.Query{Tenant: "t", Skill: two, Limit: 9}, "t/a", "t/b")
	rows, err := s.Skills(t.Context(), "t", registry.SkillKey{}, 9)
	if err != nil || len(rows) != 3 {
		t.Errorf("Skills() = %v, %v, want two of a and one of b", rows, err)
	}
	Put(t, s, Record("t", "a", one))
	wantNames(t, s, registry.Query{Tenant: "t", Skill: two, Limit: 9}, "t/b")
}

func deletion(t *testing.T, s registry.Store) {
	r := Record("t", "a", "fetch")
	r.TokenHash = sha256.Sum256([]byte("token"))
	Put(t, s, r)
	beat(t, s, r.Key())
	remove(t, s, r.Key())
	if _, err := s.Agent(t.Context(), r.Key()); fault.KindOf(err) != fault.NotFound {
		t.Errorf("Agent() = %v, want not found", err)
	}
	wantNames(t, s, registry.Query{Tenant: "t", Skill: "fetch", Limit: 9})
	if _, ok, err := s.AgentByToken(t.Context(), r.TokenHash); ok || err != nil {
		t.Errorf("AgentByToken() = %v, %v, want none", ok, err)
	}
	err := s.UpdatePulse(t.Context(), r.Key(), func(p registry.Pulse) (registry.Pulse, error) { return p, nil })
	if fault.ReasonOf(err) != "AGENT_NOT_FOUND" {
		t.Errorf("UpdatePulse() = %v, want AGENT_NOT_FOUND", err)
	}
	Put(t, s, Record("t", "a"))
	if p, err := s.Pulses(t.Context(), r.Key()); len(p) != 0 || err != nil {
		t.Errorf("Pulses() of a successor = %v, %v, want none", p, err)
	}
}

func tokens(t *testing.T, s registry.Store) {
	first, second := sha256.Sum256([]byte("1")), sha256.Sum256([]byte("2"))
	r := Record("t", "a")
	if _, ok, err := s.AgentByToken(t.Context(), [sha256.Size]byte{}); ok || err != nil {
		t.Errorf("AgentByToken(zero) = %v, %v, want none", ok, err)
	}
	for _, hash := range [][sha256.Size]byte{first, second} {
		next := *r
		next.TokenHash = hash
		Put(t, s, &next)
		if key, ok, err := s.AgentByToken(t.Context(), hash); key != r.Key() || !ok || err != nil {
			t.Errorf("AgentByToken() = %v, %v, %v, want %v", key, ok, err, r.Key())
		}
	}
	if _, ok, err := s.AgentByToken(t.Context(), first); ok || err != nil {
		t.Errorf("AgentByToken(replaced) = %v, %v, want none", ok, err)
	}
}
