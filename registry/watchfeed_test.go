package registry_test

import (
	"context"
	"errors"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/quorate/quorate/platform/boltdb"
	"github.com/quorate/quorate/registry"
	"github.com/quorate/quorate/registry/embedded"
)

// logStore counts what is read for watchers, and refuses to read the log while broken is set.
type logStore struct {
	*embedded.Store

	log    atomic.Int64 // how often the log was read
	agents atomic.Int64 // how many agents were read
	broken atomic.Bool
}

var errBroken = errors.New("broken")

func (s *logStore) Changes(ctx context.Context, tenant string, after int64, limit int) ([]registry.Entry, error) {
	s.log.Add(1)
	if s.broken.Load() {
		return nil, errBroken
	}
	return s.Store.Changes(ctx, tenant, after, limit)
}

func (s *logStore) Agent(ctx context.Context, key registry.Key) (registry.Record, error) {
	s.agents.Add(1)
	return s.Store.Agent(ctx, key)
}

func (s *logStore) Agents(ctx context.Context, q registry.Query) ([]registry.Record, error) {
	list, err := s.Store.Agents(ctx, q)
	s.agents.Add(int64(len(list)))
	return list, err
}

func openLogStore(t *testing.T) (*registry.Registry, *logStore) {
	t.Helper()
	db, err := boltdb.Open(filepath.Join(t.TempDir(), "quorate.db"), boltdb.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	inner, err := embedded.New(t.Context(), db)
	if err != nil {
		t.Fatal(err)
	}
	s := &logStore{Store: inner}
	return registry.New(s, registry.Options{}), s
}

// crowd is many watchers of one tenant.
type crowd struct {
	sync.WaitGroup
	told   atomic.Int64 // events, without bookmarks
	states atomic.Int64 // events with a state
	failed atomic.Int64 // watches that ended with errBroken
}

func (c *crowd) watch(ctx context.Context, r *registry.Registry, n int) {
	for range n {
		c.Go(func() {
			zero := int64(0)
			err := r.Watch(ctx, tenant, registry.WatchOptions{Revision: &zero}, func(e registry.Event) error {
				if e.Type != registry.EventBookmark {
					c.told.Add(1)
				}
				if e.State != nil {
					c.states.Add(1)
				}
				return nil
			})
			if errors.Is(err, errBroken) {
				c.failed.Add(1)
			}
		})
	}
}

func TestWatchersOfATenantShareOneReaderOfTheLog(t *testing.T) {
	t.Parallel()
	const watchers = 50
	synctest.Test(t, func(t *testing.T) {
		r, store := openLogStore(t)
		ctx, stop := context.WithCancel(t.Context())
		defer stop()
		var c crowd
		c.watch(ctx, r, watchers)
		synctest.Wait()
		before := store.log.Load()
		<-time.After(10 * time.Second)
		if reads := store.log.Load() - before; reads < 10 || reads > 25 {
			t.Errorf("%d watchers read the log %d times in ten quiet seconds, want twice a second", watchers, reads)
		}
		register(t, r, "a")
		synctest.Wait()
		if told, states, read := c.told.Load(), c.states.Load(), store.agents.Load(); told != watchers || states != watchers || read > 5 {
			t.Errorf("%d watchers were told %d changes with %d states at once, for which the agent was read %d times, want one each from one reading", watchers, told, states, read)
		}
		stop()
		c.Wait()
		before = store.log.Load()
		<-time.After(10 * time.Second)
		if reads := store.log.Load() - before; reads != 0 {
			t.Errorf("the log was read %d times after the last watcher, want not any more", reads)
		}
	})
}

// Tenants must not pay for each other: one may write some hundred times a second.
func TestChangesOfATenantCauseNoReadingForOthers(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r, store := openLogStore(t)
		ctx, stop := context.WithCancel(t.Context())
		defer stop()
		var c crowd
		c.watch(ctx, r, 1)
		c.Go(func() { _ = r.Directory().Run(ctx) })
		if err := r.Directory().Sync(ctx, tenant); err != nil {
			t.Fatalf("Sync() = %v, want no error", err)
		}
		synctest.Wait()
		before := store.log.Load()
		for range 20 {
			card := []byte(`{"name":"a","version":"1.0.0","url":"https://a.example/rpc","skills":[{"id":"s"}]}`)
			if _, _, err := r.Register(ctx, "other", registry.Registration{RawCard: card}); err != nil {
				t.Fatalf("Register() = %v, want no error", err)
			}
			if err := r.Once(registry.Retry{}).Delete(ctx, "other", "a", ""); err != nil {
				t.Fatalf("Delete() = %v, want no error", err)
			}
			if err := r.Directory().Refresh(ctx, tenant); err != nil {
				t.Fatalf("Refresh() = %v, want no error", err)
			}
			synctest.Wait()
		}
		if reads := store.log.Load() - before; reads > 0 {
			t.Errorf("40 changes of another tenant made the log be read %d times, want never", reads)
		}
		stop()
		c.Wait()
	})
}

func TestALogThatCannotBeReadEndsItsWatches(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r, store := openLogStore(t)
		ctx, stop := context.WithCancel(t.Context())
		defer stop()
		var c crowd
		c.watch(ctx, r, 5)
		synctest.Wait()
		store.broken.Store(true)
		<-time.After(time.Second)
		if got := c.failed.Load(); got != 5 {
			t.Errorf("%d of 5 watches ended with the error of the log, want all", got)
		}
		store.broken.Store(false)
		c.watch(ctx, r, 5)
		synctest.Wait()
		register(t, r, "a")
		synctest.Wait()
		if got := c.told.Load(); got != 5 {
			t.Errorf("5 watches that began later were told %d changes, want one each", got)
		}
		stop()
		c.Wait()
	})
}

// A watcher that stands still must neither hold up the others nor miss anything, however much happens meanwhile.
func TestAWatcherThatStandsStillMissesNothing(t *testing.T) {
	t.Parallel()
	const changes = 1500
	synctest.Test(t, func(t *testing.T) {
		r, _ := openLogStore(t)
		ctx, stop := context.WithCancel(t.Context())
		defer stop()
		var c crowd
		c.watch(ctx, r, 3)
		goOn, slow := make(chan struct{}), int64(0)
		c.Go(func() {
			zero := int64(0)
			_ = r.Watch(ctx, tenant, registry.WatchOptions{Revision: &zero}, func(e registry.Event) error {
				<-goOn
				if e.Type != registry.EventBookmark && e.Revision != slow+1 {
					t.Errorf("an event has revision %d after %d, want neither gaps nor duplicates", e.Revision, slow)
				}
				slow = e.Revision
				return nil
			})
		})
		synctest.Wait()
		register(t, r, "a")
		for n := range changes - 1 {
			beat(t, r, registry.Beat{Agent: "a", Epoch: min(int64(n), 1), Status: []string{"available", "busy"}[n%2]})
		}
		synctest.Wait()
		if got := c.told.Load(); got != 3*changes {
			t.Errorf("3 watchers beside one that stands still were told %d changes, want %d", got, 3*changes)
		}
		close(goOn)
		synctest.Wait()
		if slow != changes {
			t.Errorf("the one that stood still got as far as revision %d, want %d", slow, changes)
		}
		stop()
		c.Wait()
	})
}
