package pause_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/quorate/quorate/platform/pause"
)

func TestAPauseEndsAfterItsTimeOrWithItsContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		begin, why := time.Now(), errors.New("enough")
		if err := pause.For(t.Context(), time.Minute); err != nil || time.Since(begin) != time.Minute {
			t.Errorf("For(a minute) = %v after %s, want nil after a minute", err, time.Since(begin))
		}
		ctx, cancel := context.WithCancelCause(t.Context())
		time.AfterFunc(time.Second, func() { cancel(why) })
		begin = time.Now()
		if err := pause.For(ctx, time.Minute); !errors.Is(err, why) || time.Since(begin) != time.Second {
			t.Errorf("For(a minute) = %v after %s, want %v after a second", err, time.Since(begin), why)
		}
	})
}

func TestWhatIsLeftOfAWaitIsNeverMoreThanItWas(t *testing.T) {
	now := time.Now()
	for due, want := range map[time.Duration]time.Duration{time.Minute: time.Minute, 0: 0, -time.Second: -time.Second, time.Minute + 1: 0} {
		if got := pause.Left(now.Add(due), now, time.Minute); got != want {
			t.Errorf("Left(in %s, of at most 1m) = %s, want %s", due, got, want)
		}
	}
}
