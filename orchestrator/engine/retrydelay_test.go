package engine_test

import (
	"context"
	"errors"
	"log/slog"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/a2aproject/a2a-go/v2/a2apb/v1"

	"github.com/quorate/quorate/orchestrator"
	"github.com/quorate/quorate/orchestrator/engine"
	"github.com/quorate/quorate/orchestrator/storetest"
	"github.com/quorate/quorate/platform/fault"
)

// TestAStepThatKeepsFailingIsTriedLessOften lets the store refuse all that is done with a task for ten minutes.
func TestAStepThatKeepsFailingIsTriedLessOften(t *testing.T) {
	const (
		outage = 10 * time.Minute
		looks  = 600 // for work, each second
	)
	for _, c := range []struct {
		name  string
		err   error
		steps int           // about as many
		lines int           // of the log about them
		after time.Duration // in which the task has ended once the store is well
	}{
		{"a store that is away is asked each second", fault.New(fault.Unavailable, "STORE_AWAY", "the store is away"), 600, 10, 3 * time.Second},
		{"what will fail again is tried ever less often", errors.New("the state cannot be decoded"), 15, 4, 2 * time.Minute},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var refused atomic.Bool
				said := progressEvents{Handler: slog.DiscardHandler}
				w := newWorker()
				s := &simulation{t: t, worker: w, client: w, logs: &said, store: &storetest.Memory{Fail: func(int) (before, after error) {
					if refused.Load() {
						return c.err, nil
					}
					return nil, nil
				}}}
				s.start()
				defer s.stop()
				<-time.After(time.Second) // the leases are there
				task, err := s.engine.Submit(t.Context(), engine.Submission{
					Tenant: tenant, Caller: "tester", Message: text("do it"), Route: orchestrator.Route{Agent: "worker"},
				})
				if err != nil {
					t.Fatal(err)
				}
				refused.Store(true)
				before := s.store.Calls()
				<-time.After(outage)
				if n := s.store.Calls() - before - looks; n > c.steps+5 || n < c.steps-5 {
					t.Errorf("in %s %d steps failed, want about %d", outage, n, c.steps)
				}
				if n := said.errors.Load(); n != int64(c.lines) {
					t.Errorf("%d lines in the log are about failed steps, want %d", n, c.lines)
				}
				if n := said.searches.Load(); n < 9 || n > 10 { // of some 600
					t.Errorf("%d lines in the log are about searches for tasks that failed, want one for the first, second, fourth and so on", n)
				}
				refused.Store(false)
				<-time.After(c.after)
				if got, err := s.store.Task(t.Context(), orchestrator.Key{Tenant: tenant, ID: task.ID}); err != nil || got.State != a2apb.TaskState_TASK_STATE_COMPLETED {
					t.Errorf("%s after the store was well the task is in state %s (%v), want completed", c.after, got.State, err)
				}
			})
		})
	}
}

// progressEvents counts what a step or a search that failed has the engine say.
type progressEvents struct {
	slog.Handler
	errors, searches atomic.Int64
}

func (*progressEvents) Enabled(context.Context, slog.Level) bool { return true }

func (l *progressEvents) Handle(_ context.Context, r slog.Record) error {
	switch {
	case r.Level != slog.LevelError:
	case strings.Contains(r.Message, "step failed"):
		l.errors.Add(1)
	case strings.Contains(r.Message, "could not be listed"):
		l.searches.Add(1)
	}
	return nil
}

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
