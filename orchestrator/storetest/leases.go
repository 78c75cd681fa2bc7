package storetest

import (
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/quorate/quorate/orchestrator"
	"github.com/quorate/quorate/platform/fault"
)

// RunLeases runs the suite that every orchestrator.LeaseStore passes; open returns a new empty store each time.
func RunLeases(t *testing.T, open func(t *testing.T) orchestrator.LeaseStore) {
	t.Helper()
	for name, test := range map[string]func(*testing.T, orchestrator.LeaseStore){
		"a node is there from its first beat until it leaves":     nodesComeAndGo,
		"a lease is taken by one of many and its epoch grows":     oneTakes,
		"a released lease has no owner and keeps its epoch":       released,
		"only the owner's own lease is released":                  othersAreLeftAlone,
		"word is collected once by the node that it was left for": mail,
	} {
		t.Run(name, func(t *testing.T) { test(t, open(t)) })
	}
}

func nodesComeAndGo(t *testing.T, s orchestrator.LeaseStore) {
	for _, n := range []orchestrator.Node{{ID: "a", Beats: 1}, {ID: "b", Beats: 1}, {ID: "a", Beats: 2}} {
		if err := s.Beat(t.Context(), n); err != nil {
			t.Fatalf("Beat(%v) = %v", n, err)
		}
	}
	wantNodes(t, s, orchestrator.Node{ID: "a", Beats: 2}, orchestrator.Node{ID: "b", Beats: 1})
	for _, id := range []string{"1", "2", "3"} {
		if err := s.Post(t.Context(), "a", orchestrator.Key{Tenant: "t", ID: id}); err != nil {
			t.Fatalf("Post(%s) = %v", id, err)
		}
	}
	for range 2 {
		if err := s.Leave(t.Context(), "a"); err != nil {
			t.Fatalf("Leave() = %v", err)
		}
	}
	wantNodes(t, s, orchestrator.Node{ID: "b", Beats: 1})
	wantMail(t, s, "a")
}

func wantNodes(t *testing.T, s orchestrator.LeaseStore, want ...orchestrator.Node) {
	t.Helper()
	got, err := s.Nodes(t.Context())
	slices.SortFunc(got, func(x, y orchestrator.Node) int { return strings.Compare(x.ID, y.ID) })
	if diff := cmp.Diff(want, got); diff != "" || err != nil {
		t.Errorf("Nodes() = %v (-want +got):\n%s", err, diff)
	}
}

func oneTakes(t *testing.T, s orchestrator.LeaseStore) {
	for seen := range uint64(3) {
		var mu sync.Mutex
		var won []string
		var wg sync.WaitGroup
		for _, node := range []string{"a", "b", "c", "d"} {
			wg.Go(func() {
				l, err := s.Take(t.Context(), 5, node, seen)
				mu.Lock()
				defer mu.Unlock()
				switch want := (orchestrator.Lease{Group: 5, Owner: node, Epoch: seen + 1}); {
				case err == nil && l == want:
					won = append(won, node)
				case fault.ReasonOf(err) != "LEASE_TAKEN":
					t.Errorf("Take(5, %s, %d) = %v, %v, want %v or LEASE_TAKEN", node, seen, l, err, want)
				}
			})
		}
		wg.Wait()
		if len(won) != 1 {
			t.Fatalf("Take(5, …, %d) was granted to %v, want one", seen, won)
		}
		wantLeases(t, s, orchestrator.Lease{Group: 5, Owner: won[0], Epoch: seen + 1})
	}
	for _, seen := range []uint64{0, 2, 4} { // 4 is what somebody saw before older leases were restored
		if l, err := s.Take(t.Context(), 5, "late", seen); fault.ReasonOf(err) != "LEASE_TAKEN" {
			t.Errorf("Take(seen %d) of a lease at epoch 3 = %v, %v, want LEASE_TAKEN", seen, l, err)
		}
	}
}

func wantLeases(t *testing.T, s orchestrator.LeaseStore, want ...orchestrator.Lease) {
	t.Helper()
	got, err := s.Leases(t.Context())
	slices.SortFunc(got, func(x, y orchestrator.Lease) int { return x.Group - y.Group })
	if diff := cmp.Diff(want, got); diff != "" || err != nil {
		t.Errorf("Leases() = %v (-want +got):\n%s", err, diff)
	}
}

func take(t *testing.T, s orchestrator.LeaseStore, group int, node string, seen uint64) orchestrator.Lease {
	t.Helper()
	l, err := s.Take(t.Context(), group, node, seen)
	if err != nil {
		t.Fatalf("Take(%d, %s, %d) = %v", group, node, seen, err)
	}
	return l
}

func released(t *testing.T, s orchestrator.LeaseStore) {
	l := take(t, s, 0, "a", 0)
	for range 2 {
		if err := s.Release(t.Context(), l); err != nil {
			t.Fatalf("Release() = %v", err)
		}
	}
	wantLeases(t, s, orchestrator.Lease{Group: 0, Epoch: 1})
	if next := take(t, s, 0, "b", 1); next.Epoch != 2 {
		t.Errorf("Take() after a release = %v, want epoch 2", next)
	}
}

func othersAreLeftAlone(t *testing.T, s orchestrator.LeaseStore) {
	old := take(t, s, 127, "a", 0)
	now := take(t, s, 127, "a", 1)
	for _, l := range []orchestrator.Lease{old, {Group: 127, Owner: "b", Epoch: 2}, {Group: 3, Owner: "a", Epoch: 1}} {
		if err := s.Release(t.Context(), l); err != nil {
			t.Errorf("Release(%v) = %v", l, err)
		}
	}
	wantLeases(t, s, now)
}

func mail(t *testing.T, s orchestrator.LeaseStore) {
	var none orchestrator.Key
	one, two := orchestrator.Key{Tenant: "t", ID: "1"}, orchestrator.Key{Tenant: "u#\x00", ID: "1"}
	for node, keys := range map[string][]orchestrator.Key{"a": {one, two, one, none}, "b": {one}} {
		for _, k := range keys {
			if err := s.Post(t.Context(), node, k); err != nil {
				t.Fatalf("Post(%s, %v) = %v", node, k, err)
			}
		}
	}
	wantMail(t, s, "a", none, one, two)
	wantMail(t, s, "a")
	wantMail(t, s, "b", one)
}

// wantMail collects one word at a time.
func wantMail(t *testing.T, s orchestrator.LeaseStore, node string, want ...orchestrator.Key) {
	t.Helper()
	var got []orchestrator.Key
	for {
		keys, err := s.Collect(t.Context(), node, 1)
		if err != nil || len(keys) > 1 {
			t.Fatalf("Collect(%s, 1) = %v, %v", node, keys, err)
		}
		if len(keys) == 0 {
			break
		}
		got = append(got, keys...)
	}
	slices.SortFunc(got, compareKeys)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("Collect(%s) (-want +got):\n%s", node, diff)
	}
}
