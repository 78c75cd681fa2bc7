package registry_test

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/quorate/quorate/registry"
	"github.com/quorate/quorate/registry/embedded"
	"github.com/quorate/quorate/registry/registrytest"
)

// TestADirectoryThatWasFrozenSeesChangesByOthersFirst has two replicas over one store, of which one does not read the changes by itself.
func TestADirectoryThatWasFrozenSeesChangesByOthersFirst(t *testing.T) {
	t.Parallel()
	for name, passes := range map[string]time.Duration{"hours": 3 * time.Hour, "a clock that goes back": -3 * time.Hour} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			store, now := registrytest.Store(t), time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)
			frozen := registry.New(store, registry.Options{Now: func() time.Time { return now }}).Directory()
			if err := frozen.Sync(t.Context(), tenant); err != nil {
				t.Fatalf("Sync() = %v, want no error", err)
			}
			register(t, registry.New(store, registry.Options{}), "a")
			now = now.Add(passes)
			if err := frozen.Refresh(t.Context(), tenant); err != nil {
				t.Fatalf("Refresh() = %v, want no error", err)
			}
			if _, ok := frozen.Agent(tenant, "a"); !ok || !frozen.Fresh(tenant) {
				t.Errorf("Agent() knows a: %t, and Fresh() = %t, want both", ok, frozen.Fresh(tenant))
			}
		})
	}
}

// awayStore is a store whose log cannot be read, which takes a while.
type awayStore struct {
	*embedded.Store

	away  atomic.Bool
	reads atomic.Int64
}

var errAway = errors.New("the log is away")

func (s *awayStore) Changes(ctx context.Context, tenant string, after int64, limit int) ([]registry.Entry, error) {
	if !s.away.Load() {
		return s.Store.Changes(ctx, tenant, after, limit)
	}
	s.reads.Add(1)
	<-time.After(5 * time.Second)
	return nil, errAway
}

func TestAStoreThatIsAwayIsAskedOnceByAllWhoWait(t *testing.T) {
	t.Parallel()
	store := &awayStore{Store: registrytest.Store(t)}
	synctest.Test(t, func(t *testing.T) {
		d := registry.New(store, registry.Options{}).Directory()
		if err := d.Sync(t.Context(), tenant); err != nil {
			t.Fatalf("Sync() = %v, want no error", err)
		}
		store.away.Store(true)
		<-time.After(time.Minute)
		var callers sync.WaitGroup
		for range 100 {
			callers.Go(func() {
				if err := d.Refresh(t.Context(), tenant); !errors.Is(err, errAway) {
					t.Errorf("Refresh() = %v, want the store's error", err)
				}
			})
		}
		synctest.Wait()
		impatient, cancel := context.WithCancel(t.Context())
		cancel()
		if err := d.Refresh(impatient, tenant); !errors.Is(err, context.Canceled) {
			t.Errorf("Refresh() of a caller who has left = %v, want that it was canceled", err)
		}
		callers.Wait()
		if n := store.reads.Load(); n != 2 { // by the first, and by one of those who came meanwhile
			t.Errorf("the log was read %d times, want 2", n)
		}
	})
}
