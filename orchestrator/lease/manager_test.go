package lease_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strconv"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/quorate/quorate/orchestrator"
	"github.com/quorate/quorate/orchestrator/lease"
	"github.com/quorate/quorate/orchestrator/storetest"
)

// site is a replica that only counts what it holds.
type site struct {
	t       *testing.T
	manager *lease.Manager
	stop    context.CancelFunc
	ended   chan struct{}
	reads   time.Duration // how long the store takes for each look; set before Run

	mu     sync.Mutex
	groups map[int]bool       // guarded by mu
	gained int                // guarded by mu; how often Gained was called
	looked []orchestrator.Key // guarded by mu
}

func (s *site) Gained(group int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.groups[group] = true
	s.gained++
}

// Drop wants that no new work begins on a group while the work on it ends.
func (s *site) Drop(_ context.Context, group int) {
	if _, held := s.manager.Epoch(group * orchestrator.ShardsPerGroup); held {
		s.t.Errorf("group %d may still be worked on while it is dropped", group)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.groups, group)
}

func (s *site) Look(ctx context.Context, k orchestrator.Key) {
	select {
	case <-time.After(s.reads):
	case <-ctx.Done():
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.looked = append(s.looked, k)
}

func (s *site) gainedTimes() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.gained
}

func (s *site) holds() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.groups)
}

// stuck is a store that a paused or cut off replica does not reach.
type stuck struct {
	orchestrator.LeaseStore
	mu  sync.Mutex
	err error // guarded by mu
}

func (s *stuck) Beat(ctx context.Context, n orchestrator.Node) error {
	s.mu.Lock()
	err := s.err
	s.mu.Unlock()
	if err != nil {
		return err
	}
	return s.LeaseStore.Beat(ctx, n)
}

func (s *stuck) fail(err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.err = err
}

// saysThatItHolds reports whether both that a new task gets a shard and that groups are held is what is wanted.
func (s *site) saysThatItHolds(want bool) bool {
	_, _, chosen := s.manager.Choose("x")
	return chosen == want && (s.manager.Held() > 0) == want
}

func run(t *testing.T, store orchestrator.LeaseStore, node string) *site {
	t.Helper()
	return runSlow(t, store, node, 0)
}

func runSlow(t *testing.T, store orchestrator.LeaseStore, node string, reads time.Duration) *site {
	t.Helper()
	return runLogged(t, store, node, reads, slog.New(slog.DiscardHandler))
}

func runLogged(t *testing.T, store orchestrator.LeaseStore, node string, reads time.Duration, logger *slog.Logger) *site {
	t.Helper()
	m, err := lease.New(lease.Config{Store: store, Logger: logger, Node: node})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	s := &site{t: t, manager: m, stop: cancel, reads: reads, groups: make(map[int]bool), ended: make(chan struct{})}
	go func() {
		defer close(s.ended)
		m.Run(ctx, s)
	}()
	t.Cleanup(func() {
		cancel()
		<-s.ended
	})
	return s
}

func (s *site) has(group int) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.groups[group]
}

func held(sites ...*site) (all int, counts []int) {
	for _, s := range sites {
		counts = append(counts, s.holds())
		all += s.holds()
	}
	return all, counts
}

func TestReplicasShareTheGroupsWithoutALeader(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var store storetest.MemoryLeases
		a := run(t, &store, "a")
		<-time.After(time.Second)
		if n := a.holds(); n != orchestrator.Groups {
			t.Errorf("alone, a holds %d groups, want all %d", n, orchestrator.Groups)
		}
		b, c := run(t, &store, "b"), run(t, &store, "c")
		<-time.After(2500 * time.Millisecond) // a gives up at 2 s; b and c take at 3 s what both want
		if all, counts := held(a, b, c); all != orchestrator.Groups || max(counts[0], counts[1], counts[2]) > 43 {
			t.Errorf("three replicas hold %v groups, want all, and no more than 43 each", counts)
		}
		c.stop()
		<-c.ended
		if n := c.manager.Held(); n != 0 {
			t.Errorf("once it has left the third says that it holds %d groups", n)
		}
		<-time.After(300 * time.Millisecond)
		synctest.Wait()
		if all, counts := held(a, b); all != orchestrator.Groups {
			t.Errorf("once the third has left the others hold %v groups, want all: both are told, and wait neither for their next round nor for what runs out", counts)
		}
		if n := len(a.looked) + len(b.looked); n > 0 {
			t.Errorf("the others were told to look at %d tasks, want none: it is no task's word that a replica has left", n)
		}
	})
}

// TestNothingStaysFreeForThoseWhoDieAtOnce has one replica after the other show itself once and die: those that live must not wait for them.
func TestNothingStaysFreeForThoseWhoDieAtOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const step, most = time.Second, 8 * time.Second // four rounds
		var store storetest.MemoryLeases
		sites := []*site{run(t, &store, "a"), run(t, &store, "b")}
		<-time.After(10 * time.Second)
		var free [orchestrator.Groups]time.Duration
		var longest time.Duration
		for i := range 60 {
			if err := store.Beat(t.Context(), orchestrator.Node{ID: fmt.Sprint("dead", i), Beats: 1}); err != nil {
				t.Fatal(err)
			}
			<-time.After(step)
			for g := range free {
				free[g] += step
				if sites[0].has(g) || sites[1].has(g) {
					free[g] = 0
				}
				longest = max(longest, free[g])
			}
		}
		if longest > most {
			t.Errorf("a group was nobody's for %s, want no more than %s", longest, most)
		}
	})
}

func TestASilentReplicaLosesItsLeasesAndKnowsIt(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var shared storetest.MemoryLeases
		store := &stuck{LeaseStore: &shared}
		a, b := run(t, store, "a"), run(t, &shared, "b")
		<-time.After(10 * time.Second)
		shard := -1
		var before uint64
		for s := range orchestrator.Shards {
			if epoch, ok := a.manager.Epoch(s); ok {
				shard, before = s, epoch
			}
		}
		if n := a.manager.Held(); n != a.holds() {
			t.Errorf("Held() = %d, want %d", n, a.holds())
		}
		store.fail(context.DeadlineExceeded)
		for range 300 { // a tenth of a second each
			<-time.After(100 * time.Millisecond)
			_, mine := a.manager.Epoch(shard)
			_, others := b.manager.Epoch(shard)
			if mine && others {
				t.Fatal("both replicas may work on the same shard")
			}
			if !a.saysThatItHolds(mine) {
				t.Fatalf("a may work on its shard: %t, and Choose() or Held() = %d says otherwise", mine, a.manager.Held())
			}
		}
		epoch, ok := b.manager.Epoch(shard)
		if !ok || epoch <= before || b.holds() != orchestrator.Groups {
			t.Errorf("b holds %d groups and shard %d under epoch %d (%t), want all and an epoch after %d", b.holds(), shard, epoch, ok, before)
		}
		if n := a.holds(); n != 0 || a.manager.Held() != 0 {
			t.Errorf("a still works on %d groups, Held() = %d", n, a.manager.Held())
		}
		store.fail(nil)
		<-time.After(10 * time.Second)
		if all, counts := held(a, b); all != orchestrator.Groups || counts[0] != counts[1] {
			t.Errorf("after a came back they hold %v groups, want half each", counts)
		}
	})
}

func TestWordReachesWhoeverHoldsTheShard(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var store storetest.MemoryLeases
		a, b := run(t, &store, "a"), run(t, &store, "b")
		<-time.After(10 * time.Second)
		k := orchestrator.Key{Tenant: "t", ID: "1"}
		for shard := range orchestrator.Shards {
			if _, ok := b.manager.Epoch(shard); !ok {
				continue
			}
			if err := a.manager.Tell(t.Context(), shard, k); err != nil {
				t.Errorf("Tell(%d) = %v", shard, err)
			}
			break
		}
		<-time.After(time.Second)
		b.mu.Lock()
		defer b.mu.Unlock()
		if len(b.looked) != 1 || b.looked[0] != k {
			t.Errorf("b was told to look at %v, want %v", b.looked, k)
		}
	})
}

// TestWordAboutWhatWasGivenAwayReachesItsHolder has a replica give half of its groups to one that came a second later, and not read yet who took them.
func TestWordAboutWhatWasGivenAwayReachesItsHolder(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var store storetest.MemoryLeases
		a := run(t, &store, "a")
		<-time.After(time.Second)
		b := run(t, &store, "b")
		<-time.After(2500 * time.Millisecond) // a gives up at 2 s, b takes at 3 s, and a reads that at 4 s
		for group := range orchestrator.Groups {
			if !b.has(group) {
				continue
			}
			if err := a.manager.Tell(t.Context(), group*orchestrator.ShardsPerGroup, orchestrator.Key{Tenant: "t", ID: strconv.Itoa(group)}); err != nil {
				t.Errorf("Tell() about group %d = %v", group, err)
			}
		}
		<-time.After(300 * time.Millisecond)
		b.mu.Lock()
		defer b.mu.Unlock()
		if len(b.looked) == 0 || len(b.looked) != len(b.groups) {
			t.Errorf("b holds %d groups and was told to look %d times, want once for each", len(b.groups), len(b.looked))
		}
	})
}

// blind is a store that does not say which replicas there are.
type blind struct{ orchestrator.LeaseStore }

func (blind) Nodes(context.Context) ([]orchestrator.Node, error) {
	return nil, context.DeadlineExceeded
}

func TestWhoCannotSeeTheOthersTakesNothingFromThem(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var store storetest.MemoryLeases
		a, b := run(t, &store, "a"), run(t, blind{&store}, "b")
		<-time.After(time.Minute)
		if a.holds() == 0 || b.holds() != 0 {
			t.Errorf("a holds %d groups and b %d, want none at b", a.holds(), b.holds())
		}
	})
}

func TestWordForAReplicaThatLeftDoesNotStay(t *testing.T) {
	for name, silent := range map[string]time.Duration{"after a sign of life": 0, "after a silence": 9 * time.Second} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var shared storetest.MemoryLeases
				store := &stuck{LeaseStore: &shared}
				run(t, &shared, "a")
				b := run(t, store, "b")
				<-time.After(30 * time.Second)
				store.fail(context.DeadlineExceeded)
				<-time.After(silent)
				b.stop()
				<-b.ended
				for _, id := range []string{"late", "later"} { // from others that have not read that yet
					if err := shared.Post(t.Context(), "b", orchestrator.Key{Tenant: "t", ID: id}); err != nil {
						t.Fatal(err)
					}
					<-time.After(8 * time.Second)
				}
				<-time.After(time.Minute)
				if word, err := shared.Collect(t.Context(), "b", 10); err != nil || len(word) != 0 {
					t.Errorf("Collect() = %v, %v, want nothing left for who is not there any more", word, err)
				}
			})
		})
	}
}

// TestAReplicaThatDiedIsRemovedInTheEnd has one show itself once. For a while it might only be paused, and go on.
func TestAReplicaThatDiedIsRemovedInTheEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var store storetest.MemoryLeases
		run(t, &store, "a")
		if err := store.Beat(t.Context(), orchestrator.Node{ID: "dead", Beats: 1}); err != nil {
			t.Fatal(err)
		}
		if err := store.Post(t.Context(), "dead", orchestrator.Key{Tenant: "t", ID: "1"}); err != nil {
			t.Fatal(err)
		}
		for _, want := range []int{2, 1} {
			<-time.After(time.Minute)
			if nodes, err := store.Nodes(t.Context()); err != nil || len(nodes) != want {
				t.Errorf("Nodes() = %v, %v, want %d of them", nodes, err, want)
			}
		}
		if word, err := store.Collect(t.Context(), "dead", 10); err != nil || len(word) != 0 {
			t.Errorf("Collect() = %v, %v, want nothing left for who died", word, err)
		}
	})
}

// undeletable is a store that deletes nothing.
type undeletable struct{ storetest.MemoryLeases }

func (*undeletable) Leave(context.Context, string) error { return errors.New("not allowed") }

func TestAReplicaThatCannotBeRemovedDoesNotCostTheLeases(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var store undeletable
		a := run(t, &store, "a")
		if err := store.Beat(t.Context(), orchestrator.Node{ID: "dead", Beats: 1}); err != nil {
			t.Fatal(err)
		}
		<-time.After(time.Minute) // it has not been silent for long enough
		before := a.gainedTimes()
		<-time.After(5 * time.Minute)
		if a.holds() != orchestrator.Groups || a.gainedTimes() != before {
			t.Errorf("a works on %d groups, and has gained %d meanwhile, want all of them and none anew", a.holds(), a.gainedTimes()-before)
		}
	})
}

func TestMuchWordDoesNotCostTheLeases(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var store storetest.MemoryLeases
		a := runSlow(t, &store, "a", time.Second)
		<-time.After(10 * time.Second)
		for i := range 100 {
			if err := store.Post(t.Context(), "a", orchestrator.Key{Tenant: "t", ID: strconv.Itoa(i)}); err != nil {
				t.Fatalf("Post(%d) = %v, want no error", i, err)
			}
		}
		for second := range 120 {
			<-time.After(time.Second)
			if _, held := a.manager.Epoch(0); !held {
				t.Fatalf("%d s after much word came, Epoch(0) says that the lease is gone, want it kept", second+1)
			}
		}
		a.mu.Lock()
		defer a.mu.Unlock()
		if len(a.looked) != 100 {
			t.Errorf("a was told to look at %d tasks, want 100: word that was collected is nobody else's", len(a.looked))
		}
	})
}

func TestANewTaskGetsAShardThatIsHeld(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var store storetest.MemoryLeases
		idle, err := lease.New(lease.Config{Store: &store, Logger: slog.New(slog.DiscardHandler)})
		if err != nil {
			t.Fatal(err)
		}
		if shard, _, ok := idle.Choose("x"); ok || shard != orchestrator.ShardOf("x") {
			t.Errorf("Choose() before any lease is held = %d, %t, want the task's own shard, which is not held", shard, ok)
		}
		a, _ := run(t, &store, "a"), run(t, &store, "b")
		<-time.After(10 * time.Second)
		for id := range 500 {
			id := strconv.Itoa(id)
			shard, epoch, ok := a.manager.Choose(id)
			if now, holds := a.manager.Epoch(shard); !ok || !holds || now != epoch {
				t.Errorf("Choose(%s) = %d, %d, %t, want a shard that a holds (%d, %t)", id, shard, epoch, ok, now, holds)
			}
			if own := orchestrator.ShardOf(id); shard != own && a.has(orchestrator.GroupOf(own)) {
				t.Errorf("Choose(%s) = %d, want %d, the task's own, which a holds", id, shard, own)
			}
		}
	})
}

func TestALeaseTooShortIsRefused(t *testing.T) {
	if _, err := lease.New(lease.Config{Store: &storetest.MemoryLeases{}, Duration: time.Millisecond}); err == nil {
		t.Error("New(1 ms) = nil, want an error")
	}
}
