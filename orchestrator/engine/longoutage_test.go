package engine_test

import (
	"log/slog"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/quorate/quorate/orchestrator/storetest"
	"github.com/quorate/quorate/platform/fault"
)

// A task that has ended, and whose receiver is still to be told, is read again each second.
func TestAStoreThatIsAwayForLongDoesNotFillTheLog(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var away atomic.Bool
		var log strings.Builder
		w := newWorker()
		s := &simulation{
			t: t, worker: w, client: w, notifier: &receiver{fail: unavailable}, logs: slog.NewTextHandler(&log, nil),
			store: &storetest.Memory{Fail: func(int) (before, after error) {
				if away.Load() {
					return fault.New(fault.Unavailable, "STORE_AWAY", "the store is away"), nil
				}
				return nil, nil
			}},
		}
		s.start()
		<-time.After(time.Second) // the leases are there
		if _, err := s.engine.Submit(t.Context(), told("r")); err != nil {
			t.Fatal(err)
		}
		<-time.After(10 * time.Second)
		away.Store(true)
		<-time.After(time.Hour)
		s.stop()
		const most = 15 // lines
		if n := strings.Count(log.String(), "receivers of push notifications could not be told"); n == 0 || n > most {
			t.Errorf("in an hour the log has %d lines about receivers that could not be told, want some, and at most %d", n, most)
		}
		if !strings.Contains(log.String(), " task_id=") || strings.Contains(log.String(), " task=") {
			t.Errorf("the log is\n%s\nwant tasks as task_id, as in the lines about consultations", log.String())
		}
	})
}
