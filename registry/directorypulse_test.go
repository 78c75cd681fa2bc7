package registry_test

import (
	"context"
	"errors"
	"path/filepath"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/quorate/quorate/platform/boltdb"
	"github.com/quorate/quorate/registry"
	"github.com/quorate/quorate/registry/embedded"
)

// pulseStore has something happen to what Pulses has read, before it is returned.
type pulseStore struct {
	*embedded.Store

	read   atomic.Pointer[func() error]
	listed atomic.Pointer[func() error] // as read, after Agents
	asked  atomic.Pointer[func() error] // as read, after Request
	gone   atomic.Bool                  // the next time, the log does not keep the changes
	agents atomic.Int64                 // how many were read
	calls  atomic.Int64                 // in how many calls
	pulses atomic.Int64                 // in how many calls pulses were read
}

func (s *pulseStore) Agents(ctx context.Context, q registry.Query) ([]registry.Record, error) {
	list, err := s.Store.Agents(ctx, q)
	s.agents.Add(int64(len(list)))
	s.calls.Add(1)
	if f := s.listed.Swap(nil); f != nil {
		err = errors.Join(err, (*f)())
	}
	return list, err
}

func (s *pulseStore) Request(ctx context.Context, key registry.RequestKey) (registry.Request, bool, error) {
	request, ok, err := s.Store.Request(ctx, key)
	if f := s.asked.Swap(nil); f != nil {
		err = errors.Join(err, (*f)())
	}
	return request, ok, err
}

func (s *pulseStore) Changes(ctx context.Context, tenant string, after int64, limit int) ([]registry.Entry, error) {
	if s.gone.Swap(false) {
		return nil, registry.RevisionGone(after)
	}
	return s.Store.Changes(ctx, tenant, after, limit)
}

func (s *pulseStore) Agent(ctx context.Context, key registry.Key) (registry.Record, error) {
	s.agents.Add(1)
	s.calls.Add(1)
	return s.Store.Agent(ctx, key)
}

func (s *pulseStore) Pulses(ctx context.Context, keys ...registry.Key) (map[registry.Key]registry.Pulse, error) {
	pulses, err := s.Store.Pulses(ctx, keys...)
	s.pulses.Add(1)
	if f := s.read.Swap(nil); f != nil {
		err = errors.Join(err, (*f)())
	}
	return pulses, err
}

func openPulseStore(t *testing.T) (*registry.Registry, *pulseStore) {
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
	s := &pulseStore{Store: inner}
	return registry.New(s, registry.Options{LeaseDuration: 300 * time.Millisecond}), s
}

// TestADirectoryThatCouldNotBeReadWholeIsReadAgain has the first readers of a directory leave at the agents, and between those and their pulses: an agent that
// is drained must not seem to be none, or another one.
func TestADirectoryThatCouldNotBeReadWholeIsReadAgain(t *testing.T) {
	t.Parallel()
	r, s := openPulseStore(t)
	register(t, r, "a")
	if _, err := r.Drain(t.Context(), tenant, "a", "repair", registry.Retry{}); err != nil {
		t.Fatal(err)
	}
	left := func() error { return context.Canceled }
	d := r.Directory()
	for what, hook := range map[string]*atomic.Pointer[func() error]{"agents": &s.listed, "pulses": &s.read} {
		hook.Store(&left)
		if err := d.Sync(t.Context(), tenant); !errors.Is(err, context.Canceled) {
			t.Errorf("Sync() without %s = %v, want canceled", what, err)
		}
	}
	synced(t, d)
	if a, ok := d.Agent(tenant, "a"); !ok || !a.Status.Draining {
		t.Errorf("after Sync() Agent() = %+v, %t, want it drained", a.Status, ok)
	}
}

func TestADirectoryThatIsReadAnewHasAnotherEdition(t *testing.T) {
	t.Parallel()
	r, s := openPulseStore(t)
	before := synced(t, r.Directory())
	register(t, r, "a")
	s.gone.Store(true)
	if after := synced(t, r.Directory()); after == before || len(r.Directory().Listing(tenant).Agents) != 1 {
		t.Errorf("edition %d with %d agents, want another than %d with one agent", after, len(r.Directory().Listing(tenant).Agents), before)
	}
}

// TestADirectoryKeepsWhatTheLogToldOfAPulse has an agent drained while all pulses are read, as they are ever so often.
func TestADirectoryKeepsWhatTheLogToldOfAPulse(t *testing.T) {
	t.Parallel()
	r, s := openPulseStore(t)
	register(t, r, "a")
	d := r.Directory()
	synced(t, d)
	drained := make(chan error, 1)
	drain := func() error {
		_, err := r.Drain(t.Context(), tenant, "a", "repair", registry.Retry{})
		err = errors.Join(err, d.Sync(t.Context(), tenant))
		drained <- err
		return err
	}
	s.read.Store(&drain)
	ctx, stop := context.WithCancel(t.Context())
	seen := make(chan bool, 1)
	go func() {
		seen <- <-drained == nil
		stop()
	}()
	if err := d.Run(ctx); err != nil {
		t.Errorf("Run() = %v, want nil", err)
	}
	if !<-seen {
		t.Error("Drain() or Sync() failed")
	}
	if a, _ := d.Agent(tenant, "a"); !a.Status.Draining {
		t.Errorf("after Sync() Agent() = %+v, want it drained", a.Status)
	}
}

// TestADirectoryKeepsWhatTheLogToldOfAPulseWhileSeveralRead has two lists read all pulses at the same time, and an agent drained before the second begins.
func TestADirectoryKeepsWhatTheLogToldOfAPulseWhileSeveralRead(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r, s := openPulseStore(t)
		register(t, r, "a")
		live, err := registry.ParseFilter("in_flight>5") // which no agent passes, so that no agent is read by itself
		if err != nil {
			t.Fatal(err)
		}
		list := func() error {
			_, _, err := r.AgentsInOrder(t.Context(), tenant, registry.Order{}, live, "", 1)
			return err
		}
		over, second := make(chan struct{}), make(chan error, 1)
		waits := func() error {
			<-over
			return t.Context().Err()
		}
		first := func() error {
			_, err := r.Drain(t.Context(), tenant, "a", "repair", registry.Retry{})
			err = errors.Join(err, r.Directory().Sync(t.Context(), tenant))
			s.read.Store(&waits)
			go func() { second <- list() }()
			synctest.Wait() // it has begun, as far as it comes
			return err
		}
		synced(t, r.Directory())
		s.read.Store(&first)
		if err := list(); err != nil {
			t.Errorf("AgentsInOrder() = %v, want no error", err)
		}
		close(over)
		if err := <-second; err != nil {
			t.Errorf("AgentsInOrder() at the same time = %v, want no error", err)
		}
		if a, _ := r.Directory().Agent(tenant, "a"); !a.Status.Draining {
			t.Errorf("Agent() = %+v, want it drained", a.Status)
		}
	})
}
