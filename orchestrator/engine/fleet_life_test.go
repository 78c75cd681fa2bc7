package engine_test

import (
	"fmt"
	"testing"
)

// TestNothingAcceptedIsLostAmongReplicas lives a task's life in fleets of one to three replicas, once for every call to the store or the agent and
// every way for it to go wrong. What is checked is seen from outside: the task ends exactly once, completed; no owner wrote after a later one; the
// agent got no message that was not written down before; an agent that deduplicates did the work once.
func TestNothingAcceptedIsLostAmongReplicas(t *testing.T) {
	t.Parallel()
	for size := 1; size <= 3; size++ {
		for _, agent := range []temper{steady, late} {
			for _, kind := range fleetMishaps {
				t.Run(fmt.Sprintf("%d replicas/the agent %s/%s", size, agent, kind), func(t *testing.T) {
					t.Parallel()
					everywhere(t, size, kind, agent)
				})
			}
		}
	}
}

// TestAgentsThatMisbehaveLoseNothing does the same in the largest fleet with agents that are at fault themselves.
func TestAgentsThatMisbehaveLoseNothing(t *testing.T) {
	t.Parallel()
	for _, agent := range []temper{twice, forgets, goes} {
		for _, kind := range []mishap{diesAfter, pausesBefore, answerLost} {
			t.Run(fmt.Sprintf("the agent %s/%s", agent, kind), func(t *testing.T) {
				t.Parallel()
				everywhere(t, 3, kind, agent)
			})
		}
	}
}

// TestWorkThatMustNotBeDoneTwiceIsAskedForOnce does the same with an agent whose work must not be done twice: the task completes, or fails because
// nobody knows what became of it. The second is rarer with an agent that lists its tasks.
func TestWorkThatMustNotBeDoneTwiceIsAskedForOnce(t *testing.T) {
	gaveUp := make(map[temper]int)
	for _, agent := range []temper{once, lists} {
		for _, kind := range fleetMishaps {
			t.Run(fmt.Sprintf("the agent %s/%s", agent, kind), func(t *testing.T) { gaveUp[agent] += everywhere(t, 2, kind, agent) })
		}
	}
	if gaveUp[lists] >= gaveUp[once] {
		t.Errorf("%d tasks failed with an agent that lists its tasks and %d with one that does not; want fewer", gaveUp[lists], gaveUp[once])
	}
}

// everywhere lives one life for each call that can go wrong, and returns how many tasks failed because nobody knew what became of them.
func everywhere(t *testing.T, size int, kind mishap, agent temper) (gaveUp int) {
	t.Helper()
	const enough, most = 12, 40 // calls; a life with fewer would not be one
	atEveryCall(t, enough, func(t *testing.T, call int) (reached bool) {
		t.Helper()
		f := newFleet(t, size, kind, call, newFarAgent(agent))
		task := f.submit()
		k := task.Key()
		f.live(k)
		f.check(k)
		gaveUp += f.agent.gaveUp
		return f.calls >= call && call < most && !t.Failed()
	})
	return gaveUp
}
