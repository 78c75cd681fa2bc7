package server_test

import (
	"context"
	"log/slog"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/quorate/quorate/orchestrator/server"
)

// TestNothingIsRemovedSoonAfterTheClockWasSetForward has somebody mistype the year, and notice that half an hour later.
func TestNothingIsRemovedSoonAfterTheClockWasSetForward(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var ahead, sweeps atomic.Int64
		var log strings.Builder
		ctx, stop := context.WithCancel(t.Context())
		done := make(chan error, 1)
		go func() {
			done <- server.Sweep(ctx, func(context.Context) error { sweeps.Add(1); return nil }, slog.New(slog.NewTextHandler(&log, nil)),
				func() time.Time { return time.Now().Round(0).Add(time.Duration(ahead.Load())) })
		}()
		for _, step := range []struct {
			set     time.Duration
			minutes int
			sweeps  int64
		}{
			{0, 10, 11},                   // one of them at the start
			{time.Second, 10, 10},         // as clocks are
			{365 * 24 * time.Hour, 30, 0}, // it may be wrong
			{0, 29, 0},
			{0, 11, 10},
			{2 * time.Hour, 59, 0},
			{2 * time.Hour, 11, 10},
		} {
			before := sweeps.Load()
			ahead.Store(int64(step.set))
			<-time.After(time.Duration(step.minutes)*time.Minute + time.Second)
			synctest.Wait()
			if got := sweeps.Load() - before; got != step.sweeps {
				t.Errorf("in %d minutes with a clock that is ahead by %s there were %d removals, want %d", step.minutes, step.set, got, step.sweeps)
			}
		}
		stop()
		if err := <-done; err != nil {
			t.Errorf("Sweep() = %v, want no error", err)
		}
		if n := strings.Count(log.String(), "level=WARN msg=\"the clock was set forward"); n != 2 {
			t.Errorf("the log says %d times that the clock was set forward, want 2\n%s", n, log.String())
		}
	})
}
