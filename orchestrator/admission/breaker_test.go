package admission_test

import (
	"strconv"
	"testing"
	"testing/synctest"
	"time"

	"github.com/quorate/quorate/orchestrator/admission"
	"github.com/quorate/quorate/orchestrator/agentclient"
	"github.com/quorate/quorate/platform/fault"
)

func TestBreakersThatSayNothingAreForgotten(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ failed, reached, least, most int }{
		{10, 20, 30, 30}, {10, 100_000, 10, 1000}, {3000, 100_000, 3000, 6000},
	} {
		b := admission.NewBreakers(time.Hour, time.Now)
		for i := range test.failed {
			b.Of("t", "failed"+strconv.Itoa(i)).RecordFailure()
		}
		for i := range test.reached {
			b.Of("t", "reached"+strconv.Itoa(i)).RecordSuccess()
		}
		if got := b.Kept(); got < test.least || got > test.most {
			t.Errorf("after %d agents that failed and %d that were reached, %d breakers are kept, want %d to %d", test.failed, test.reached, got, test.least, test.most)
		}
	}
}

// TestBreakersOfAgentsThatAreGoneAreForgotten has agents come, fail and never be used again, a thousand each hour and a half.
func TestBreakersOfAgentsThatAreGoneAreForgotten(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b := admission.NewBreakers(time.Minute, time.Now)
		for hour := range 20 {
			for i := range 1000 {
				for range hour % 2 * admission.BreakerFailures {
					b.Of("t", strconv.Itoa(1000*hour+i)).RecordFailure()
				}
				b.Of("t", strconv.Itoa(1000*hour+i)).RecordFailure()
			}
			<-time.After(90 * time.Minute)
		}
		if got := b.Kept(); got > 3000 {
			t.Errorf("%d breakers are kept, want few more than those of the last hour", got)
		}
	})
}

func TestABreakerOpensWhenItsAgentCannotBeReachedOftenEnough(t *testing.T) {
	t.Parallel()
	b := admission.NewBreakers(time.Hour, time.Now)
	for n := range admission.BreakerFailures {
		if b.IsOpen("t", "away", time.Time{}) {
			t.Fatalf("the breaker is open after %d failures, want %d", n, admission.BreakerFailures)
		}
		b.Of("t", "away").RecordFailure()
	}
	if !b.IsOpen("t", "away", time.Time{}) || b.Of("t", "away").TryAcquirePermit() {
		t.Errorf("after %d failures in a row the agent may be tried, want an open breaker", admission.BreakerFailures)
	}
	if b.IsOpen("other", "away", time.Time{}) || !b.Of("other", "away").TryAcquirePermit() {
		t.Error("the agent of that name of another tenant may not be tried")
	}
}

func TestABreakerSaysHowItsAgentFailed(t *testing.T) {
	t.Parallel()
	b := admission.NewBreakers(time.Hour, time.Now)
	want := func(say string) {
		t.Helper()
		if cut := b.Of("t", "away").Cut("away"); cut.Reason != agentclient.ReasonUnreachable || cut.Message != say {
			t.Errorf("Cut() = %v, want %s and %q", cut, agentclient.ReasonUnreachable, say)
		}
	}
	want("away could not be reached (5 times in a row)")
	b.Of("t", "away").Fail(fault.New(fault.DeadlineExceeded, agentclient.ReasonTimeout, "away did not answer in time"))
	want("away did not answer in time (5 times in a row)")
	b.Of("t", "away").ReturnPermit(fault.New(fault.Unavailable, agentclient.ReasonUnreachable, "away could not be reached: connection refused"))
	want("away could not be reached: connection refused (5 times in a row)")
}

// TestAnAgentMayBeTriedAgainAfterAWhile has a breaker that nobody asks for a permit, because the router sends nothing to an agent whose breaker is open.
func TestAnAgentMayBeTriedAgainAfterAWhile(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b := admission.NewBreakers(time.Minute, time.Now)
		away := fault.New(fault.Unavailable, agentclient.ReasonUnreachable, "nobody answers")
		for range admission.BreakerFailures {
			b.Of("t", "away").ReturnPermit(nil) // of a task that says nothing about the agent
		}
		if b.IsOpen("t", "away", time.Time{}) {
			t.Error("the breaker is open though nothing was learned")
		}
		for range admission.BreakerFailures {
			b.Of("t", "away").ReturnPermit(away)
		}
		if <-time.After(time.Minute - 1); !b.IsOpen("t", "away", time.Time{}) {
			t.Errorf("after %d failures in a row the breaker is closed, want it open for a minute", admission.BreakerFailures)
		}
		if <-time.After(1); b.IsOpen("t", "away", time.Time{}) {
			t.Error("the breaker is open after a minute, want a task to try")
		}
	})
}

// TestAnAgentThatWasHeardOfIsTriedAtOnce has an agent be away, and be heard of before the delay of its breaker is over.
func TestAnAgentThatWasHeardOfIsTriedAtOnce(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b := admission.NewBreakers(time.Hour, time.Now)
		fail := func(times int) {
			for range times {
				b.Of("t", "away").RecordFailure()
			}
		}
		before := time.Now()
		<-time.After(time.Second)
		fail(admission.BreakerFailures)
		if !b.IsOpen("t", "away", before) || b.Of("t", "away").TryAcquirePermit() {
			t.Error("the breaker is closed to one that was heard of before it opened, want it open")
		}
		<-time.After(time.Second)
		heard := time.Now()
		if b.IsOpen("t", "away", heard) || !b.Of("t", "away").TryAcquirePermit() || b.Of("t", "away").TryAcquirePermit() {
			t.Error("the breaker does not let exactly one task try an agent that was heard of since it opened")
		}
		<-time.After(time.Second)
		fail(1)
		if !b.IsOpen("t", "away", heard) {
			t.Error("the breaker is closed after that task has failed, want it open until the agent is heard of again")
		}
	})
}
