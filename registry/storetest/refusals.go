package storetest

import (
	"context"
	"crypto/sha256"
	"errors"
	"strings"
	"testing"

	"github.com/quorate/quorate/platform/fault"
	"github.com/quorate/quorate/registry"
	"github.com/quorate/quorate/registry/agentcard"
)

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
	if f := fault.From(err); fault.ReasonOf(err) != "ITEM_TOO_LARGE" || f.Kind != fault.InvalidArgument ||
		!strings.HasPrefix(f.Message, "agent a, with its metadata, has ") || !strings.HasSuffix(f.Message, "; the limit is 358400: shorten it") {
		t.Errorf("Update() = %v, want ITEM_TOO_LARGE that says what to do", err)
	}
	wantNames(t, s, registry.Query{Tenant: "t", Limit: 9})
	wantNames(t, s, registry.Query{Tenant: "t", Skill: "fetch", Limit: 9})
	if _, ok, _ := s.Request(t.Context(), request("1", 1).Key); ok {
		t.Errorf("Request() is there, want none")
	}
	full := Record("t", "b")
	full.RawCard = make([]byte, agentcard.MaxBytes)
	full.Card.Description = strings.Repeat("<", agentcard.MaxBytes) // must not grow when it is stored
	Put(t, s, full)
}

func endedContext(t *testing.T, s registry.Store) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := s.Agents(ctx, registry.Query{Tenant: "t", Limit: 1}); !errors.Is(err, context.Canceled) {
		t.Errorf("Agents() = %v, want context.Canceled", err)
	}
}
