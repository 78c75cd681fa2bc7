package storetest

import (
	"crypto/sha256"
	"errors"
	"strconv"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/quorate/quorate/platform/fault"
	"github.com/quorate/quorate/registry"
)

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
		Warnings: []registry.Warning{{Code: "C", Message: "m", Field: "f"}}, Outcome: "created", CreateTime: at, ExpireTime: at.AddDate(0, 0, 1),
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
