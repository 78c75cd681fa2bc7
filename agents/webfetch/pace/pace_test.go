package pace_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/quorate/quorate/agents/webfetch/pace"
	"github.com/quorate/quorate/platform/fault"
)

// times returns how long after now each of n requests one after the other got its turn.
func times(t *testing.T, l *pace.Limiter, host string, n int) []time.Duration {
	t.Helper()
	begin := time.Now()
	var list []time.Duration
	for range n {
		done, err := l.Wait(t.Context(), host)
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, time.Since(begin))
		done()
	}
	return list
}

func TestASiteIsReadAtItsRate(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := pace.New(pace.Options{PerSecond: 2, Burst: 2})
		if got := fmt.Sprint(times(t, l, "a.example.com", 4)); got != "[0s 0s 500ms 1s]" {
			t.Errorf("turns at a.example.com = %s, want two at once and then two a second", got)
		}
		if got := fmt.Sprint(times(t, l, "b.example.com", 1)); got != "[500ms]" {
			t.Errorf("turn at b.example.com = %s, want it to share the rate of its domain", got)
		}
		if got := fmt.Sprint(times(t, l, "example.co.jp", 1)); got != "[0s]" {
			t.Errorf("turn at example.co.jp = %s, want a rate of its own", got)
		}
	})
}

func TestASiteIsReadByFewAtOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := pace.New(pace.Options{AtOnce: 1})
		done, err := l.Wait(t.Context(), "example.com")
		if err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if _, err := l.Wait(ctx, "example.com"); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("Wait() while the only slot is taken = %v, want the end of the context", err)
		}
		done()
		if got := times(t, l, "example.com", 1)[0]; got != 0 {
			t.Errorf("turn after the slot is free = %s, want at once", got)
		}
	})
}

func TestATurnAfterTheDeadlineIsRefusedAtOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := pace.New(pace.Options{})
		l.Defer("example.com", time.Minute)
		begin := time.Now()
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		_, err := l.Wait(ctx, "www.example.com")
		if got := fault.From(err); got.Reason != pace.ReasonRateLimited || got.RetryAfter != time.Minute || time.Since(begin) != 0 {
			t.Errorf("Wait() = %v after %s, want RATE_LIMITED with a minute to wait, at once", err, time.Since(begin))
		}
		if got := times(t, l, "example.com", 1)[0]; got != time.Minute {
			t.Errorf("turn = %s, want after the minute", got)
		}
	})
}

func TestASiteThatAsksForADelayGetsIt(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := pace.New(pace.Options{})
		until := time.Now().Add(time.Hour)
		l.Slow("example.com", 3*time.Second, until)
		l.Slow("example.com", time.Second, until) // the slower one stays
		if got := times(t, l, "example.com", 3); got[2]-got[1] != 3*time.Second {
			t.Errorf("turns = %v, want 3s between two", got)
		}
	})
}

func TestADelayHoldsUntilItsEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := pace.New(pace.Options{PerSecond: 2, Burst: 1})
		begin := time.Now()
		l.Slow("a.example.com", 3*time.Second, begin.Add(9*time.Second))
		l.Slow("b.example.com", 3*time.Second, begin.Add(8*time.Second))
		l.Slow("b.example.com", time.Second, begin.Add(time.Hour))
		if got := fmt.Sprint(times(t, l, "example.com", 4)); got != "[0s 3s 6s 9s]" {
			t.Errorf("turns of a site that asked for 3s = %s, want 3s between two", got)
		}
		if got := fmt.Sprint(times(t, l, "example.com", 2)); got != "[500ms 1s]" {
			t.Errorf("turns after the delay has ended = %s, want the site's own rate", got)
		}
		l.Slow("b.example.com", time.Second, begin.Add(time.Hour))
		if got := fmt.Sprint(times(t, l, "example.com", 2)); got != "[1s 2s]" {
			t.Errorf("turns of a site that asks for another delay = %s, want that one", got)
		}
	})
}

func TestASiteThatIsBusyIsLeftAloneByThoseWhoWaitAlready(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := pace.New(pace.Options{PerSecond: 1, Burst: 1})
		times(t, l, "example.com", 1)
		time.AfterFunc(time.Second/2, func() { l.Defer("example.com", time.Minute) })
		if got := times(t, l, "example.com", 1)[0]; got != time.Minute+time.Second/2 {
			t.Errorf("turn of one who waited when the site said that it is busy = %s, want after the minute", got)
		}
	})
}

func TestSitesAreForgotten(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := pace.New(pace.Options{PerSecond: 0.001, Burst: 1, MaxSites: 2})
		for _, host := range []string{"a.example", "b.example", "c.example"} {
			times(t, l, host, 1)
		}
		if got := times(t, l, "a.example", 1)[0]; got != 0 {
			t.Errorf("turn at the site that was forgotten = %s, want at once", got)
		}
		if got := times(t, l, "c.example", 1)[0]; got == 0 {
			t.Error("turn at the site that was used last came at once, want it remembered")
		}
	})
}

func TestSite(t *testing.T) {
	for host, want := range map[string]string{
		"www.example.com": "example.com", "a.b.example.co.jp": "example.co.jp", "me.github.io": "me.github.io", "127.0.0.1": "127.0.0.1", "::1": "::1",
		"localhost": "localhost", "co.jp": "co.jp",
		"WWW.Example.COM": "example.com", "www.example.com.": "example.com", "LOCALHOST.": "localhost", // spellings of one host
		"::ffff:127.0.0.1": "127.0.0.1", "2001:DB8:0::1": "2001:db8::1", "127.0.0.1.": "127.0.0.1",
	} {
		if got := pace.Site(host); got != want {
			t.Errorf("Site(%s) = %s, want %s", host, got, want)
		}
	}
}
