package engine_test

import (
	"log/slog"
	"testing"
	"testing/synctest"
	"time"

	"github.com/quorate/quorate/orchestrator"
	"github.com/quorate/quorate/orchestrator/storetest"
)

// TestATaskThatIsNotKeptAnyMoreIsNotLookedFor wakes a task that the store does not have, as an outcome does that comes after a short retention.
func TestATaskThatIsNotKeptAnyMoreIsNotLookedFor(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		said := progressEvents{Handler: slog.DiscardHandler}
		w := newWorker()
		s := &simulation{t: t, worker: w, client: w, logs: &said, store: &storetest.Memory{}}
		s.start()
		defer s.stop()
		<-time.After(time.Second) // the leases are there
		before := s.store.Calls()
		<-time.After(time.Minute)
		looks := s.store.Calls() - before // for work
		s.engine.Wake(orchestrator.Key{Tenant: tenant, ID: "absent"})
		<-time.After(time.Minute)
		if n := s.store.Calls() - before - 2*looks; n > 10 || said.errors.Load() > 0 {
			t.Errorf("a task that is gone was looked for %d times in a minute, with %d errors in the log, want once, with none", n, said.errors.Load())
		}
	})
}
