package push_test

import (
	"cmp"
	"context"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/a2aproject/a2a-go/v2/a2apb/v1"

	"github.com/quorate/quorate/orchestrator"
	"github.com/quorate/quorate/orchestrator/push"
	"github.com/quorate/quorate/orchestrator/storetest"
	"github.com/quorate/quorate/platform/fault"
)

// notifier is told of events, and fails as it is told to.
type notifier struct {
	mu    sync.Mutex
	calls map[string]int // guarded by mu; by the receiver's id
	heard []uint64       // guarded by mu; the events that receivers took
	fail  func(w orchestrator.Webhook, call int) error
}

func (*notifier) Check(orchestrator.Webhook) error { return nil }

func (n *notifier) Send(_ context.Context, w orchestrator.Webhook, _ *orchestrator.Task, e orchestrator.Event) error {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.calls == nil {
		n.calls = make(map[string]int)
	}
	n.calls[w.ID]++
	if n.fail != nil {
		if err := n.fail(w, n.calls[w.ID]); err != nil {
			return err
		}
	}
	n.heard = append(n.heard, e.Sequence)
	return nil
}

func (n *notifier) called(id string) int {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.calls[id]
}

func unavailable() error { return fault.New(fault.Unavailable, "RECEIVER_UNREACHABLE", "nobody there") }

// run runs an outbox on a store until the test ends.
func run(t *testing.T, store *storetest.Memory, n push.Notifier) *push.Outbox {
	t.Helper()
	return runConfigured(t, push.OutboxConfig{
		Notifier: n, Store: store, Update: store.Update, Held: func(*orchestrator.Task) bool { return true }, Now: time.Now, Logger: slog.New(slog.DiscardHandler),
	})
}

func runConfigured(t *testing.T, c push.OutboxConfig) *push.Outbox {
	t.Helper()
	o := push.NewOutbox(c)
	ctx, stop := context.WithCancel(t.Context())
	var running sync.WaitGroup
	running.Go(func() { o.Run(ctx) })
	t.Cleanup(func() {
		stop()
		running.Wait()
	})
	return o
}

// owe stores a task that is completed after some work, of which all its receivers are to be told.
func owe(t *testing.T, store *storetest.Memory, id string, receivers ...orchestrator.Webhook) orchestrator.Key {
	t.Helper()
	var log []orchestrator.Event
	for _, state := range []a2apb.TaskState{
		a2apb.TaskState_TASK_STATE_SUBMITTED, a2apb.TaskState_TASK_STATE_WORKING, a2apb.TaskState_TASK_STATE_WORKING, a2apb.TaskState_TASK_STATE_COMPLETED,
	} {
		log = append(log, orchestrator.Event{Type: orchestrator.EventState, State: state, Time: time.Now()})
	}
	for i := range receivers {
		receivers[i].Due = cmp.Or(receivers[i].Due, uint64(len(log)))
	}
	created, _, err := store.Create(t.Context(), orchestrator.Task{
		Tenant: "default", ID: id, Message: &a2apb.Message{}, State: a2apb.TaskState_TASK_STATE_COMPLETED, Phase: orchestrator.PhaseDone, Webhooks: receivers,
	}, log...)
	if err != nil {
		t.Fatal(err)
	}
	return created.Key()
}

// receivers returns the receivers of a task as they are stored.
func receivers(t *testing.T, store *storetest.Memory, k orchestrator.Key) []orchestrator.Webhook {
	t.Helper()
	task, err := store.Task(t.Context(), k)
	if err != nil {
		t.Fatal(err)
	}
	return task.Webhooks
}

func TestAReceiverIsToldOfEachState(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		n, store := &notifier{fail: func(_ orchestrator.Webhook, call int) error {
			if call == 2 { // it misses one, once
				return unavailable()
			}
			return nil
		}}, &storetest.Memory{}
		k := owe(t, store, "t1", orchestrator.Webhook{ID: "w", URL: "https://example.com"})
		before := receivers(t, store, k)
		run(t, store, n).Wake(k)
		<-time.After(time.Minute)
		synctest.Wait()
		if before[0].Sent != 0 {
			t.Errorf("the task as it was read before says that %d events were sent, want it unchanged: others have it, too", before[0].Sent)
		}
		if want := []uint64{1, 2, 4}; !slices.Equal(n.heard, want) {
			t.Errorf("the receiver heard of the events %v, want %v, where the state changes", n.heard, want)
		}
		if w := receivers(t, store, k)[0]; w.PushDue() || w.Sent != 4 || w.Tries != 0 {
			t.Errorf("the receiver is %+v, want nothing owed", w)
		}
	})
}

// TestAReceiverThatIsToldNowAndThenIsNotGivenUp has one that takes every eleventh notification: each that it takes is a new beginning.
func TestAReceiverThatIsToldNowAndThenIsNotGivenUp(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		n, store := &notifier{fail: func(_ orchestrator.Webhook, call int) error {
			if call%11 > 0 {
				return unavailable()
			}
			return nil
		}}, &storetest.Memory{}
		k := owe(t, store, "t1", orchestrator.Webhook{ID: "w", URL: "https://example.com"})
		run(t, store, n).Wake(k)
		<-time.After(5 * time.Hour)
		if w := receivers(t, store, k)[0]; w.GaveUp != "" || w.PushDue() || len(n.heard) != 3 {
			t.Errorf("after hours: %+v, want the receiver told of each state; it heard %v", w, n.heard)
		}
	})
}

// TestAReceiverIsTriedAgainWithoutWaitingForAnother has a busy receiver stand before and behind one that is away for a moment.
func TestAReceiverIsTriedAgainWithoutWaitingForAnother(t *testing.T) {
	t.Parallel()
	for _, order := range [][]string{{"busy", "away"}, {"away", "busy"}} {
		synctest.Test(t, func(t *testing.T) {
			n, store := &notifier{fail: func(w orchestrator.Webhook, call int) error {
				switch {
				case call > 1:
					return nil
				case w.ID == "busy":
					busy := fault.New(fault.Unavailable, "RECEIVER_BUSY", "in ten minutes")
					busy.RetryAfter = 10 * time.Minute
					return busy
				default:
					return unavailable()
				}
			}}, &storetest.Memory{}
			k := owe(t, store, "t1", orchestrator.Webhook{ID: order[0], URL: "https://example.com"}, orchestrator.Webhook{ID: order[1], URL: "https://example.com"})
			run(t, store, n).Wake(k)
			<-time.After(5 * time.Second)
			synctest.Wait()
			if away, busy := n.called("away"), n.called("busy"); away != 4 || busy != 1 {
				t.Errorf("with receivers in the order %v they were told %d and %d times, want only the one that was away told again", order, away, busy)
			}
		})
	}
}

// TestNobodyIsToldOfATaskThatIsNotKeptAnyMore has the store forget a task while its receiver is told of it.
func TestNobodyIsToldOfATaskThatIsNotKeptAnyMore(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		n, store := &notifier{fail: func(orchestrator.Webhook, int) error { return unavailable() }}, &storetest.Memory{}
		k := owe(t, store, "t1", orchestrator.Webhook{ID: "w", URL: "https://example.com"})
		run(t, store, n).Wake(k)
		<-time.After(10 * time.Second) // the receiver is tried again and again
		store.Forget(k)
		<-time.After(time.Minute)
		before := store.Calls()
		<-time.After(10 * time.Minute)
		if calls := store.Calls() - before; calls > 0 {
			t.Errorf("a task that is gone, of which a receiver was to be told, was looked for %d times in ten minutes, want never", calls)
		}
	})
}

// slow has a receiver that takes its time.
type slow struct {
	notifier

	release chan struct{}
}

func (s *slow) Send(ctx context.Context, w orchestrator.Webhook, t *orchestrator.Task, e orchestrator.Event) error {
	if strings.Contains(w.URL, "slow") {
		select {
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-s.release:
		}
	}
	return s.notifier.Send(ctx, w, t, e)
}

// TestAReceiverThatTakesItsTimeHoldsUpNobodyElse owes one receiver word of more tasks than are told of at a time, and another word of one.
func TestAReceiverThatTakesItsTimeHoldsUpNobodyElse(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s, store := &slow{release: make(chan struct{})}, &storetest.Memory{}
		o := run(t, store, s)
		const many, states = 150, 3
		for i := range many {
			o.Wake(owe(t, store, fmt.Sprintf("slow-%d", i), orchestrator.Webhook{ID: "slow", URL: "https://slow.example/hook"}))
		}
		o.Wake(owe(t, store, "quick", orchestrator.Webhook{ID: "quick", URL: "https://quick.example/hook"}))
		synctest.Wait()
		if got := s.called("quick"); got != states {
			t.Errorf("while a slow receiver takes its time, a quick one was told %d times, want %d", got, states)
		}
		close(s.release)
		synctest.Wait()
		if got := s.called("slow"); got != many*states {
			t.Errorf("the slow receiver was told %d times, want %d", got, many*states)
		}
	})
}
