package engine_test

import (
	"errors"
	"fmt"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/a2aproject/a2a-go/v2/a2apb/v1"

	"github.com/quorate/quorate/orchestrator"
	"github.com/quorate/quorate/orchestrator/engine"
	"github.com/quorate/quorate/orchestrator/storetest"
	"github.com/quorate/quorate/platform/fault"
)

// TestWhoeverHasToBeToldIsToldWhereverItBreaks runs a task with a receiver once for every call to the store and every kind of mishap, while the
// receiver is away for its first three calls: it hears of every state, in order, at least once, and nothing is owed in the end.
func TestWhoeverHasToBeToldIsToldWhereverItBreaks(t *testing.T) {
	t.Parallel()
	wherever(t, 12, tell)
}

// tell has a task of three messages with a receiver.
func tell(t *testing.T, x *trouble) {
	t.Helper()
	agent := newAsker()
	r := &receiver{fail: func(call int) error {
		if call <= 3 {
			return unavailable(call)
		}
		return nil
	}}
	s := &simulation{t: t, store: &storetest.Memory{}, worker: newWorker(), client: agent, notifier: r}
	s.meet(x)
	s.start()
	when := x.String()
	task := s.insist(when, func() (orchestrator.Task, error) { return s.engine.Submit(t.Context(), told("r")) })
	k := orchestrator.Key{Tenant: tenant, ID: task.ID}
	for n := range 2 {
		s.pass()
		s.insist(when, func() (orchestrator.Task, error) {
			return s.engine.Reply(t.Context(), engine.Reply{Key: k, Caller: "tester", Message: text("go on"), RequestID: fmt.Sprintf("reply-%d", n)})
		})
	}
	s.pass()
	s.pass()
	s.stop()
	s.store.Fail = nil
	got, err := s.store.Task(t.Context(), k)
	if err != nil || got.State != a2apb.TaskState_TASK_STATE_COMPLETED || !got.Settled() || got.Webhooks[0].GaveUp != "" {
		t.Errorf("%s: the task is %+v, %v, want completed and nothing owed", when, got, err)
	}
	log, err := s.store.Events(t.Context(), k, 0, 1000)
	if err != nil {
		t.Fatal(err)
	}
	const begun = 2 // events; whether the caller or the receiver was told that the work began depends on who took the task up
	var heard, want []uint64
	for _, e := range r.heard {
		if e.Sequence > begun {
			heard = append(heard, e.Sequence)
		}
	}
	state := a2apb.TaskState_TASK_STATE_WORKING
	for _, e := range log[begun:] {
		if e.State != state {
			want = append(want, e.Sequence)
		}
		state = e.State
	}
	if once := slices.Compact(slices.Sorted(slices.Values(heard))); !slices.Equal(once, want) {
		t.Errorf("%s: the receiver heard of the events %v, want each of %v\n%v", when, heard, want, log)
	}
	if again := len(heard) - len(want); again > 2 {
		t.Errorf("%s: the receiver heard %v, want no more repetitions than one mishap explains", when, heard)
	}
}

// TestAReceiverThatCannotBeToldIsGivenUp has one that is never there, and one that is gone.
func TestAReceiverThatCannotBeToldIsGivenUp(t *testing.T) {
	for name, test := range map[string]struct {
		fail   func(int) error
		calls  int
		reason string
	}{
		"it is never there": {unavailable, 15, "RECEIVER_UNREACHABLE"},
		"it is gone":        {func(int) error { return fault.New(fault.FailedPrecondition, "RECEIVER_GONE", "gone") }, 1, "RECEIVER_GONE"},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				r := &receiver{fail: test.fail}
				w := newWorker()
				s := &simulation{t: t, store: &storetest.Memory{}, worker: w, client: w, notifier: r}
				s.start()
				task, err := s.engine.Submit(t.Context(), told(""))
				if err != nil {
					t.Fatal(err)
				}
				s.pass()
				if open := s.open(); test.calls > 1 && open != 1 {
					t.Errorf("after minutes %d tasks are to be looked after, want the one that is owed for", open)
				}
				s.minutes(130)
				got, err := s.store.Task(t.Context(), orchestrator.Key{Tenant: tenant, ID: task.ID})
				if err != nil || got.Webhooks[0].GaveUp != test.reason || !got.Settled() || r.calls != test.calls || s.open() != 0 {
					t.Errorf("after hours: %+v, %v, calls %d, want it given up after %d calls for %s", got.Webhooks, err, r.calls, test.calls, test.reason)
				}
				log, err := s.store.Events(t.Context(), orchestrator.Key{Tenant: tenant, ID: task.ID}, 0, 100)
				if err != nil || count(log, orchestrator.EventPush) != 1 {
					t.Errorf("the log is %v, %v, want it to say once that the receiver is given up", log, err)
				}
				end := slices.IndexFunc(log, func(e orchestrator.Event) bool { return orchestrator.Terminal(e.State) })
				if !got.UpdateTime.Equal(log[end].Time) {
					t.Errorf("the task ended at %v and last changed at %v, want no change by what its receiver is told", log[end].Time, got.UpdateTime)
				}
				s.stop()
			})
		})
	}
}

// open counts the tasks that have to be looked after.
func (s *simulation) open() int {
	s.t.Helper()
	n := 0
	for shard := range orchestrator.Shards {
		keys, err := s.store.Unfinished(s.t.Context(), shard, orchestrator.Key{}, 10)
		if err != nil {
			s.t.Fatal(err)
		}
		n += len(keys)
	}
	return n
}

// TestReceiversCanBeChanged adds, replaces and removes them while a task runs.
func TestReceiversCanBeChanged(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := &receiver{}
		agent := newAsker()
		s := &simulation{t: t, store: &storetest.Memory{}, worker: newWorker(), client: agent, notifier: r}
		s.start()
		task, err := s.engine.Submit(t.Context(), engine.Submission{
			Tenant: tenant, Caller: "tester", Message: text("begin"), Route: orchestrator.Route{Agent: "worker"}, Deadline: time.Now().Add(240 * time.Hour),
		})
		if err != nil {
			t.Fatal(err)
		}
		k := orchestrator.Key{Tenant: tenant, ID: task.ID}
		set := func(id, url, want string) {
			t.Helper()
			if _, err := s.engine.SetWebhook(t.Context(), k, orchestrator.Webhook{ID: id, URL: url, Token: "secret"}); fault.ReasonOf(err) != want && (err != nil || want != "") {
				t.Errorf("SetWebhook(%s) = %v, want %q", id, err, want)
			}
		}
		set("bad", "", "URL_INVALID")
		for n := range orchestrator.MaxWebhooks {
			set(fmt.Sprintf("w%d", n), "https://example.com", "")
		}
		set("w0", "https://example.com/other", "")
		set("more", "https://example.com", "TOO_MANY_WEBHOOKS")
		for n := 1; n < orchestrator.MaxWebhooks; n++ {
			for range 2 {
				if err := s.engine.RemoveWebhook(t.Context(), k, fmt.Sprintf("w%d", n)); err != nil {
					t.Errorf("RemoveWebhook() = %v", err)
				}
			}
		}
		s.pass()
		r.mu.Lock()
		asked := slices.DeleteFunc(r.heard, func(e orchestrator.Event) bool { return e.State != a2apb.TaskState_TASK_STATE_INPUT_REQUIRED })
		r.mu.Unlock()
		if len(asked) != 1 {
			t.Errorf("the receivers heard %v, want the one that is left to hear once that the agent asks", asked)
		}
		s.stop()
	})
}

// TestAResultThatCannotBeKeptIsNotSentEachSecond has the store take everything but that a receiver was told.
func TestAResultThatCannotBeKeptIsNotSentEachSecond(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r, w := &receiver{}, newWorker()
		s := &simulation{t: t, worker: w, client: w, notifier: r, store: &storetest.Memory{}, refuse: func(t *orchestrator.Task) error {
			if w := &t.Webhooks[0]; t.Ended() && w.Sent == w.Due {
				return errors.New("the state is too large")
			}
			return nil
		}}
		s.start()
		defer s.stop()
		if _, err := s.engine.Submit(t.Context(), told("")); err != nil {
			t.Fatal(err)
		}
		<-time.After(10 * time.Minute)
		r.mu.Lock()
		defer r.mu.Unlock()
		const rescans, states = 15, 3
		if most := (10 + rescans) * states; r.calls > most || r.calls < 10 {
			t.Errorf("in ten minutes the receiver was told %d times, want about once in a minute, at most %d", r.calls, most)
		}
	})
}
