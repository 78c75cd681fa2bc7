package storetest

import (
	"crypto/sha256"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/quorate/quorate/platform/fault"
	"github.com/quorate/quorate/registry"
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
	want.Card.Extensions = []registry.Extension{{URI: "https://x", Params: map[string]any{"a": []any{1.5, nil}}}}
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

func skills(t *testing.T, s registry.Store) {
	Put(t, s, Record("t", "b", "fetch", "read"))
	Put(t, s, Record("t", "a", "fetch", "fetch_url"))
	q := registry.Query{Tenant: "t", Skill: "fetch", Limit: 9}
	wantNames(t, s, q, "t/a", "t/b")
	wantNames(t, s, registry.Query{Tenant: "t", Skill: "fetch", After: registry.Key{Tenant: "t", Name: "a"}, Limit: 9}, "t/b")
	wantNames(t, s, registry.Query{Tenant: "t", Skill: "fet", Limit: 9})
	want := []registry.SkillRow{
		{Skill: registry.Skill{ID: "fetch", Name: "Skill fetch", Tags: []string{"t"}}, Agent: "b"},
		{Skill: registry.Skill{ID: "fetch_url", Name: "Skill fetch_url", Tags: []string{"t"}}, Agent: "a"},
	}
	got, err := s.Skills(t.Context(), "t", registry.SkillKey{Skill: "fetch", Agent: "a"}, 2)
	if err != nil || cmp.Diff(want, got) != "" {
		t.Errorf("Skills(behind fetch, a) = %v, difference (-want +got):\n%s", err, cmp.Diff(want, got))
	}
	Put(t, s, Record("t", "b", "read"))
	wantNames(t, s, q, "t/a")
}

func tags(t *testing.T, s registry.Store) {
	tagged := func(name string, skills ...registry.Skill) *registry.Record {
		r := Record("t", name)
		r.Card.Skills = skills
		Put(t, s, r)
		return r
	}
	b := tagged("b", registry.Skill{ID: "fetch", Tags: []string{"Web", "web", "HTTP"}}, registry.Skill{ID: "read", Tags: []string{"text", ""}})
	tagged("a", registry.Skill{ID: "fetch", Tags: []string{"ftp"}}, registry.Skill{ID: "%tag#x", Tags: []string{"web"}})
	tagged("c", registry.Skill{ID: "web", Tags: []string{"fetch", "a#b%"}})
	Put(t, s, Record("u", "d", "web"))
	with := func(skill, tag, after string, limit int) registry.Query {
		return registry.Query{Tenant: "t", Skill: skill, Tag: tag, After: registry.Key{Tenant: "t", Name: after}, Limit: limit}
	}
	wantNames(t, s, with("", "web", "", 9), "t/a", "t/b")
	wantNames(t, s, with("", "web", "a", 9), "t/b")
	wantNames(t, s, with("", "web", "", 1), "t/a")
	wantNames(t, s, with("", "we", "", 9))
	wantNames(t, s, with("", "a#b%", "", 9), "t/c")
	wantNames(t, s, with("", "x", "", 9))
	wantNames(t, s, with("fetch", "web", "", 1), "t/b")
	wantNames(t, s, with("fetch", "text", "", 9)) // the tag of another skill
	wantNames(t, s, with("web", "", "", 9), "t/c")
	wantNames(t, s, with("%tag#x", "web", "", 9), "t/a")
	b.Card.Skills = []registry.Skill{{ID: "fetch", Tags: []string{"text"}}, {ID: "read"}}
	Put(t, s, b)
	wantNames(t, s, with("", "web", "", 9), "t/a")
	wantNames(t, s, with("", "http", "", 9))
	wantNames(t, s, with("fetch", "text", "", 9), "t/b")
	remove(t, s, b.Key())
	wantNames(t, s, with("", "text", "", 9))
}

func looks(t *testing.T, s registry.Store) {
	for _, name := range []string{"MAIL", "mall", "ma11", "male"} {
		r := Record("t", name, registry.Skeleton(name))
		r.Card.Name = "The " + name // an agent need not have the name of its card
		Put(t, s, r)
	}
	Put(t, s, Record("u", "mail"))
	q := registry.Query{Tenant: "t", Like: registry.Skeleton("mail"), Limit: 9}
	wantNames(t, s, q, "t/MAIL", "t/ma11", "t/mall")
	q.After.Name, q.Limit = "MAIL", 1
	wantNames(t, s, q, "t/ma11")
	Put(t, s, Record("t", "ma11")) // without its skill
	remove(t, s, registry.Key{Tenant: "t", Name: "MAIL"})
	wantNames(t, s, registry.Query{Tenant: "t", Like: registry.Skeleton("mail"), Limit: 9}, "t/ma11", "t/mall")
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
	Put(t, s, Record("t", "a"))
	if p, err := s.Pulses(t.Context(), r.Key()); len(p) != 0 || err != nil {
		t.Errorf("Pulses() of a successor = %v, %v, want none", p, err)
	}
}

func beat(t *testing.T, s registry.Store, key registry.Key) {
	t.Helper()
	err := s.UpdatePulse(t.Context(), key, func(p registry.Pulse) (registry.Pulse, error) {
		p.Epoch++
		p.Word, p.BeatTime, p.BeatExpire = registry.StatusBusy, epoch, epoch.Add(time.Minute)
		return p, nil
	})
	if err != nil {
		t.Fatalf("UpdatePulse(%v) = %v, want no error", key, err)
	}
}
