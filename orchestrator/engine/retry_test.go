package engine_test

import (
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/quorate/quorate/orchestrator"
	"github.com/quorate/quorate/orchestrator/agentclient"
	"github.com/quorate/quorate/platform/fault"
)

func overloaded(after time.Duration) error {
	f := fault.New(fault.Unavailable, agentclient.ReasonUnreachable, "overloaded")
	f.RetryAfter = after
	return f
}

func TestAnAgentThatSaysWhenIsNotAskedBefore(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := &flaky{worker: newWorker(), fail: func(send int) error {
			if send == 1 {
				return overloaded(3 * time.Minute)
			}
			return nil
		}}
		s := newSimulation(t, f)
		task := s.submit("r")
		<-time.After(10 * time.Minute)
		s.stop()
		s.check("after an overload", task)
		if len(f.asked) != 2 || f.asked[1].Sub(f.asked[0]) < 3*time.Minute {
			t.Errorf("the agent was asked at %v, want twice with three minutes between", f.asked)
		}
	})
}

func TestABreakerKeepsManyTasksFromAnAgentThatIsDown(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const tasks, down = 50, 2 * time.Minute
		start := time.Now()
		f := &flaky{worker: newWorker(), fail: func(int) error {
			if time.Since(start) < down {
				return overloaded(0)
			}
			return nil
		}}
		s := newSimulation(t, f)
		var keys []orchestrator.Key
		for n := range tasks {
			keys = append(keys, s.submit(fmt.Sprintf("r%d", n)))
		}
		<-time.After(time.Hour)
		s.stop()
		// Without a breaker each of the tasks would try six times and fail.
		failed := 0
		for _, at := range f.asked {
			if at.Sub(start) < down {
				failed++
			}
		}
		if failed > tasks+20 {
			t.Errorf("the agent that was down was asked %d times for %d tasks", failed, tasks)
		}
		for _, k := range keys {
			s.check("after the agent came back", k)
		}
	})
}

// TestAnOutageIsNotFollowedByAStorm has an agent come back that is slow to accept tasks, and slower to do them. Those that it has accepted hold up no others.
func TestAnOutageIsNotFollowedByAStorm(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const tasks, most, down, soon = 150, 32, time.Minute, 45 * time.Second
		start := time.Now()
		underWay, highest := 0, 0
		f := &flaky{worker: newWorker(), fail: func(int) error {
			if time.Since(start) < down {
				return overloaded(0)
			}
			return nil
		}}
		f.takes = 10 * time.Minute
		f.hold = func() {
			f.count(func() {
				underWay++
				highest = max(highest, underWay)
			})
			<-time.After(5 * time.Second)
			f.count(func() { underWay-- })
		}
		s := newSimulation(t, f)
		var keys []orchestrator.Key
		for n := range tasks {
			keys = append(keys, s.submit(fmt.Sprintf("r%d", n)))
		}
		<-time.After(20 * time.Minute)
		s.stop()
		if highest < most/2 || highest > most {
			t.Errorf("up to %d messages were on their way at once after the outage, want most of %d and no more", highest, most)
		}
		if last := f.asked[len(f.asked)-1].Sub(start); last > down+soon {
			t.Errorf("the last message was sent %s after the outage, want %s at most", last-down, soon)
		}
		for _, k := range keys {
			s.check("after the outage", k)
		}
	})
}
