package storetest

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/quorate/quorate/registry"
	"github.com/quorate/quorate/registry/agentcard"
)

const (
	watchTenant  = "watched"
	watchWriters = 8
	watchWrites  = 36    // of each writer
	watchEnd     = "end" // an agent that is registered after all others
)

var errEnough = errors.New("enough")

// RunWatch lets several watchers follow while agents are registered, send heartbeats, are drained and deleted. It breaks each stream again and again,
// and compares what each watcher received with the log. The stores are replicas of one another, between which writers and watchers take turns.
func RunWatch(t *testing.T, replicas ...registry.Store) {
	registries := make([]*registry.Registry, len(replicas))
	for i, s := range replicas {
		registries[i] = registry.New(s, registry.Options{})
	}
	replica := func(i int) *registry.Registry { return registries[i%len(registries)] }
	var watchers, group sync.WaitGroup
	logs := make([][]registry.Entry, 8)
	for i := range logs {
		var wait *time.Duration // streams and long polls
		if i >= len(logs)/2 {
			wait = new(time.Millisecond)
		}
		watchers.Go(func() { logs[i] = followKilled(t, replica(i), wait) })
	}
	for w := range watchWriters {
		group.Go(func() {
			for n := range watchWrites {
				churn(t, replica(n), fmt.Sprintf("agent-%d", w), n)
			}
		})
	}
	group.Wait()
	churn(t, replica(0), watchEnd, 0)
	watchers.Wait()
	want := followKilled(t, replica(0), new(time.Millisecond))
	if len(want) < watchWriters*watchWrites/2 {
		t.Errorf("the log has %d entries, want many", len(want))
	}
	for i, entry := range want {
		if entry.Revision != int64(i+1) {
			t.Fatalf("entry %d has the revision %d, want no gap", i, entry.Revision)
		}
	}
	for i := range logs {
		if diff := cmp.Diff(want, logs[i]); diff != "" {
			t.Errorf("watcher %d, difference to the log (-want +got):\n%s", i, diff)
		}
	}
}

// churn does one thing to an agent. Over time all kinds of changes occur.
func churn(t *testing.T, r *registry.Registry, name string, n int) {
	t.Helper()
	var err error
	switch n % 6 {
	case 0:
		card := fmt.Appendf(nil, `{"name":%q,"version":"1.0.0","url":"https://x.example/","skills":[{"id":"fetch"}]}`, name)
		_, _, err = r.Register(t.Context(), watchTenant, registry.Registration{RawCard: card})
	case 1:
		_, err = r.Heartbeat(t.Context(), watchTenant, registry.Beat{Agent: name, Status: "available"})
	case 2:
		_, err = r.Heartbeat(t.Context(), watchTenant, registry.Beat{Agent: name, Epoch: 1, Status: "busy"})
	case 3:
		_, err = r.Drain(t.Context(), watchTenant, name, "", registry.Retry{})
	case 4:
		_, _, err = r.Once(registry.Retry{}).UpdateMetadata(t.Context(), watchTenant, name, "", nil, agentcard.Metadata{})
	case 5:
		err = r.Once(registry.Retry{}).Delete(t.Context(), watchTenant, name, "")
	}
	if err != nil {
		t.Errorf("write %d to %s = %v, want no error", n, name, err)
	}
}

// followKilled follows the log from its beginning to watchEnd with streams, or long polls if there is a wait, that break after a few events.
func followKilled(t *testing.T, r *registry.Registry, wait *time.Duration) (entries []registry.Entry) {
	t.Helper()
	revision, over := int64(0), false
	for !over {
		left := rand.IntN(20) //nolint:gosec // only where a stream breaks
		err := r.Watch(t.Context(), watchTenant, registry.WatchOptions{Revision: &revision, Wait: wait}, func(e registry.Event) error {
			if e.Type == registry.EventBookmark {
				return nil
			}
			if left--; left < 0 {
				return errEnough // the stream broke before the event arrived
			}
			entries, revision, over = append(entries, e.Entry), e.Revision, e.Agent == watchEnd
			if over {
				return errEnough
			}
			return nil
		})
		if err != nil && !errors.Is(err, errEnough) {
			t.Errorf("Watch(%d) = %v, want no error", revision, err)
			return entries
		}
	}
	return entries
}
