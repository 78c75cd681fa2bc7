package engine_test

import (
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/quorate/quorate/orchestrator"
	"github.com/quorate/quorate/orchestrator/storetest"
)

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
