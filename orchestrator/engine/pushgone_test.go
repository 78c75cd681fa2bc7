package engine_test

import (
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/quorate/quorate/orchestrator"
	"github.com/quorate/quorate/orchestrator/storetest"
)

// TestNobodyIsToldOfATaskThatIsNotKeptAnyMore has the store forget a task while its receiver is told of it.
func TestNobodyIsToldOfATaskThatIsNotKeptAnyMore(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r, w := &receiver{fail: unavailable}, newWorker()
		s := &simulation{t: t, worker: w, client: w, notifier: r, store: &storetest.Memory{}}
		s.start()
		defer s.stop()
		task, err := s.engine.Submit(t.Context(), told(""))
		if err != nil {
			t.Fatal(err)
		}
		<-time.After(10 * time.Second) // the receiver is tried again and again
		s.store.Forget(task.Key())
		<-time.After(time.Minute)
		before := s.store.Calls()
		<-time.After(10 * time.Minute)
		if n := s.store.Calls() - before; n > 0 {
			t.Errorf("a task that is gone, of which a receiver was to be told, was looked for %d times in ten minutes, want never", n)
		}
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
