// Package storetest is the conformance suite of registry.Store. Every store runs it; each test gets an empty store.
package storetest

import (
	"context"
	"crypto/sha256"
	"errors"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/quorate/quorate/platform/fault"
	"github.com/quorate/quorate/registry"
)

// Run runs the suite; open returns a new empty store that lives until the test ends.
func Run(t *testing.T, open func(t *testing.T) registry.Store) {
	tests := map[string]func(*testing.T, registry.Store){
		"a missing agent is a fault and not a zero agent":          missing,
		"an agent reads as it was written":                         roundTrip,
		"agents are listed by tenant and name, page by page":       listing,
		"a tenant never sees another's agents":                     tenants,
		"agents are found by skill, and no longer when it is gone": skills,
		"a deleted agent leaves nothing behind":                    deletion,
		"an error of the change writes nothing":                    rollback,
		"a dry run writes nothing":                                 dryRun,
		"a record over the limit is refused whole":                 tooLarge,
		"a pulse needs its agent and does not touch it":            pulses,
		"a token finds its agent until it is replaced":             tokens,
		"a request is remembered once, until it is over":           requests,
		"of many who create one name exactly one wins":             creationRace,
		"concurrent updates lose nothing":                          updateRace,
		"an ended context reads nothing":                           endedContext,
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			test(t, open(t))
		})
	}
}

var epoch = time.Date(2026, 1, 16, 12, 0, 0, 0, time.UTC)

// Record returns an agent of the tenant with the skills.
func Record(tenant, name string, skills ...string) *registry.Record {
	r := &registry.Record{Agent: registry.Agent{
		Tenant: tenant, Name: name, RawCard: []byte(`{"name":"` + name + `" , "any":"<thing>"}`), CardURI: "https://example.com/" + name,
		Etag: "e-" + name, Revision: 1, CreateTime: epoch, UpdateTime: epoch.Add(time.Second),
		Card: registry.Card{
			Name: name, Version: "1.0.0", Streaming: true,
			Interfaces: []registry.Interface{{URL: "https://example.com/rpc", Binding: registry.BindingJSONRPC, ProtocolVersion: "1.0"}},
		},
		Metadata: registry.Metadata{
			InputSchemas: []registry.InputSchema{{Name: "spec", SemanticType: "document", ValidationRules: []registry.ValidationRule{
				{Type: "enum", Value: []any{"a", "<b>"}, Message: "one of them"}, {Type: "length", Value: 3.0, Message: "short"},
			}}},
			ConsultationRequirements: []registry.ConsultationRequirement{{
				ID: "r", TargetAgent: "reviewer", Phase: "pre-completion", Mandatory: true,
				Condition: &registry.Condition{Attribute: "sensitive", Operator: "equals", Value: true},
			}},
		},
	}}
	for _, id := range skills {
		r.Card.Skills = append(r.Card.Skills, registry.Skill{ID: id, Name: "Skill " + id, Tags: []string{"t"}})
	}
	return r
}

// Put writes the record over whatever is there.
func Put(t *testing.T, s registry.Store, r *registry.Record) {
	t.Helper()
	err := s.Update(t.Context(), r.Key(), func(*registry.Record) (registry.Change, error) { return registry.Change{Record: r}, nil })
	if err != nil {
		t.Fatalf("Update(%v) = %v, want no error", r.Key(), err)
	}
}

func remove(t *testing.T, s registry.Store, key registry.Key) {
	t.Helper()
	err := s.Update(t.Context(), key, func(*registry.Record) (registry.Change, error) { return registry.Change{}, nil })
	if err != nil {
		t.Fatalf("Update(%v) to delete = %v, want no error", key, err)
	}
}

func wantNames(t *testing.T, s registry.Store, q registry.Query, want ...string) {
	t.Helper()
	records, err := s.Agents(t.Context(), q)
	var got []string
	for i := range records {
		got = append(got, records[i].Tenant+"/"+records[i].Name)
	}
	if err != nil || cmp.Diff(want, got) != "" {
		t.Errorf("Agents(%+v) = %v, %v, want %v", q, got, err, want)
	}
}

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
	remove(t, s, key) // what is missing may be deleted: the domain decides whether that is an error
}

func roundTrip(t *testing.T, s registry.Store) {
	want := Record("t", "web", "fetch", "a\x00b")
	want.TokenHash = sha256.Sum256([]byte("token"))
	want.Card.Extensions = []registry.Extension{{URI: "https://x", Params: map[string]any{"a": []any{1.5, nil}}}}
	Put(t, s, want)
	for range 2 { // the second may come from a cache
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

var errRefused = errors.New("refused")

func rollback(t *testing.T, s registry.Store) {
	r := Record("t", "a", "fetch")
	err := s.Update(t.Context(), r.Key(), func(*registry.Record) (registry.Change, error) {
		return registry.Change{Record: r}, errRefused
	})
	if !errors.Is(err, errRefused) {
		t.Errorf("Update() = %v, want the error of change", err)
	}
	wantNames(t, s, registry.Query{Tenant: "t", Limit: 9})
	Put(t, s, r)
	err = s.UpdatePulse(t.Context(), r.Key(), func(registry.Pulse) (registry.Pulse, error) {
		return registry.Pulse{Epoch: 9}, errRefused
	})
	if p, _ := s.Pulses(t.Context(), r.Key()); !errors.Is(err, errRefused) || len(p) != 0 {
		t.Errorf("UpdatePulse() = %v and pulses %v, want the error of change and none", err, p)
	}
}

func dryRun(t *testing.T, s registry.Store) {
	r := Record("t", "a", "fetch")
	r.TokenHash = sha256.Sum256([]byte("token"))
	err := s.Update(t.Context(), r.Key(), func(*registry.Record) (registry.Change, error) {
		return registry.Change{Record: r, Pulse: &registry.Pulse{Epoch: 1}, Remember: request("1", 1), DryRun: true}, nil
	})
	_, seen, _ := s.Request(t.Context(), request("1", 1).Key)
	if err != nil || seen {
		t.Errorf("Update() = %v and request seen %v, want neither", err, seen)
	}
	wantNames(t, s, registry.Query{Tenant: "t", Limit: 9})
	wantNames(t, s, registry.Query{Tenant: "t", Skill: "fetch", Limit: 9})
	r.Card.Description = strings.Repeat("x", 400<<10)
	err = s.Update(t.Context(), r.Key(), func(*registry.Record) (registry.Change, error) {
		return registry.Change{Record: r, DryRun: true}, nil
	})
	if fault.ReasonOf(err) != "ITEM_TOO_LARGE" {
		t.Errorf("Update() of a large record = %v, want ITEM_TOO_LARGE", err)
	}
}

func tooLarge(t *testing.T, s registry.Store) {
	r := Record("t", "a", "fetch")
	r.Metadata.InputSchemas[0].Description = strings.Repeat("x", 351<<10)
	err := s.Update(t.Context(), r.Key(), func(*registry.Record) (registry.Change, error) {
		return registry.Change{Record: r, Remember: request("1", 1)}, nil
	})
	if fault.ReasonOf(err) != "ITEM_TOO_LARGE" || fault.KindOf(err) != fault.InvalidArgument {
		t.Errorf("Update() = %v, want ITEM_TOO_LARGE", err)
	}
	wantNames(t, s, registry.Query{Tenant: "t", Limit: 9})
	wantNames(t, s, registry.Query{Tenant: "t", Skill: "fetch", Limit: 9})
	if _, ok, _ := s.Request(t.Context(), request("1", 1).Key); ok {
		t.Errorf("Request() is there, want none")
	}
	full := Record("t", "b")
	full.RawCard = make([]byte, registry.MaxCardBytes)
	full.Card.Description = strings.Repeat("<", registry.MaxCardBytes) // must not grow when it is stored
	Put(t, s, full)
}

func pulses(t *testing.T, s registry.Store) {
	r, other := Record("t", "a"), Record("t", "b")
	err := s.UpdatePulse(t.Context(), r.Key(), func(p registry.Pulse) (registry.Pulse, error) { return p, nil })
	if fault.ReasonOf(err) != "AGENT_NOT_FOUND" {
		t.Errorf("UpdatePulse() of a missing agent = %v, want AGENT_NOT_FOUND", err)
	}
	Put(t, s, r)
	Put(t, s, other)
	beat(t, s, r.Key())
	beat(t, s, r.Key())
	Put(t, s, r) // a write without a pulse keeps it
	want := map[registry.Key]registry.Pulse{
		r.Key(): {Epoch: 2, Word: registry.StatusBusy, BeatTime: epoch, BeatExpire: epoch.Add(time.Minute)},
	}
	got, err := s.Pulses(t.Context(), other.Key(), r.Key(), registry.Key{Tenant: "t", Name: "nobody"})
	if err != nil || cmp.Diff(want, got) != "" {
		t.Errorf("Pulses() = %v, difference (-want +got):\n%s", err, cmp.Diff(want, got))
	}
	if after, err := s.Agent(t.Context(), r.Key()); err != nil || cmp.Diff(*r, after) != "" {
		t.Errorf("Agent() after beats = %v, difference (-want +got):\n%s", err, cmp.Diff(*r, after))
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

func request(id string, day int) *registry.Request {
	at := epoch.AddDate(0, 0, day)
	return &registry.Request{
		Key: registry.RequestKey{Tenant: "t", Caller: "ann", ID: id}, Digest: sha256.Sum256([]byte(id)), Agent: "a",
		Warnings: []registry.Warning{{Code: "C", Message: "m", Field: "f"}}, CreateTime: at, ExpireTime: at.AddDate(0, 0, 1),
	}
}

func remember(t *testing.T, s registry.Store, r *registry.Request) error {
	t.Helper()
	record := Record("t", "a")
	return s.Update(t.Context(), record.Key(), func(*registry.Record) (registry.Change, error) {
		return registry.Change{Record: record, Remember: r}, nil
	})
}

func requests(t *testing.T, s registry.Store) {
	first := request("1", 0)
	if err := remember(t, s, first); err != nil {
		t.Fatalf("Update() with a new request = %v, want no error", err)
	}
	got, ok, err := s.Request(t.Context(), first.Key)
	if !ok || err != nil || cmp.Diff(*first, got) != "" {
		t.Errorf("Request() = %v, %v, difference (-want +got):\n%s", ok, err, cmp.Diff(*first, got))
	}
	if _, ok, err := s.Request(t.Context(), registry.RequestKey{Tenant: "t", Caller: "bob", ID: "1"}); ok || err != nil {
		t.Errorf("Request() of another caller = %v, %v, want none", ok, err)
	}
	again := request("1", 0)
	again.CreateTime = first.ExpireTime.Add(-time.Second)
	if err := remember(t, s, again); !errors.Is(err, registry.ErrRequestSeen) {
		t.Errorf("Update() with a seen request = %v, want ErrRequestSeen", err)
	}
	for i := range 40 { // a day later, and much that is swept on the way
		if err := remember(t, s, request(strconv.Itoa(i), 1)); err != nil {
			t.Fatalf("Update() with request %d = %v, want no error", i, err)
		}
	}
}

const racers = 32

func race(run func(i int)) {
	var group sync.WaitGroup
	for i := range racers {
		group.Go(func() { run(i) })
	}
	group.Wait()
}

func creationRace(t *testing.T, s registry.Store) {
	var won atomic.Int32
	race(func(int) {
		r := Record("t", "a", "fetch")
		err := s.Update(t.Context(), r.Key(), func(old *registry.Record) (registry.Change, error) {
			if old != nil {
				return registry.Change{}, errRefused
			}
			return registry.Change{Record: r}, nil
		})
		if err == nil {
			won.Add(1)
		}
	})
	if won.Load() != 1 {
		t.Errorf("%d creations won, want 1", won.Load())
	}
}

func updateRace(t *testing.T, s registry.Store) {
	Put(t, s, Record("t", "a"))
	key := registry.Key{Tenant: "t", Name: "a"}
	race(func(i int) {
		_ = s.Update(t.Context(), key, func(old *registry.Record) (registry.Change, error) {
			next := *old
			next.Revision++
			if i%4 == 0 { // refusals must not take others back
				return registry.Change{Record: &next}, errRefused
			}
			return registry.Change{Record: &next}, nil
		})
		beat(t, s, key)
	})
	got, err := s.Agent(t.Context(), key)
	if want := int64(1 + racers*3/4); err != nil || got.Revision != want {
		t.Errorf("Agent().Revision = %d, %v, want %d", got.Revision, err, want)
	}
	if p, err := s.Pulses(t.Context(), key); err != nil || p[key].Epoch != racers {
		t.Errorf("Pulses() = %+v, %v, want epoch %d", p, err, racers)
	}
}

func endedContext(t *testing.T, s registry.Store) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := s.Agents(ctx, registry.Query{Tenant: "t", Limit: 1}); !errors.Is(err, context.Canceled) {
		t.Errorf("Agents() = %v, want context.Canceled", err)
	}
}
