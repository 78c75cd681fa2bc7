package storetest

import (
	"crypto/sha256"
	"errors"
	"strconv"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/quorate/quorate/registry"
	"github.com/quorate/quorate/registry/agentcard"
)

func request(id string, day int) *registry.Request {
	at := epoch.AddDate(0, 0, day)
	return &registry.Request{
		Key: registry.RequestKey{Tenant: "t", Caller: "ann", ID: id}, Digest: sha256.Sum256([]byte(id)), Agent: "a",
		Warnings: []agentcard.Warning{{Code: "C", Message: "m", Field: "f"}}, Outcome: "created", CreateTime: at, ExpireTime: at.AddDate(0, 0, 1),
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
