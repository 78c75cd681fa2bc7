package engine_test

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"testing/synctest"
)

// mishap is how a call goes wrong in a simulation.
type mishap string

const (
	diesBefore mishap = "the process dies before the call"
	diesAfter  mishap = "the process dies after the call"
	failsOnce  mishap = "the call fails once"
	answerLost mishap = "the call is done but its answer is lost"
)

// mishaps are what befalls a process that has its store to itself.
var mishaps = []mishap{diesBefore, diesAfter, failsOnce, answerLost}

// trouble is a mishap at one call to the store.
type trouble struct {
	kind mishap
	at   int      // which call
	met  bool     // the scene has made that call
	then *trouble // what else goes wrong, later; nil: nothing
}

// String says when something was seen.
func (x *trouble) String() string {
	when := fmt.Sprintf("%s at call %d", x.kind, x.at)
	if x.then != nil {
		when += ", then " + x.then.String()
	}
	return when
}

// wherever plays a scene once for every kind of mishap at every call to the store that it makes. What a scene checks is seen from outside: it holds
// wherever the scene breaks. A scene that makes fewer calls than least is not what it should be.
func wherever(t *testing.T, least int, scene func(t *testing.T, x *trouble)) {
	t.Helper()
	for _, kind := range mishaps {
		t.Run(string(kind), func(t *testing.T) {
			t.Parallel()
			atEveryCall(t, least, func(t *testing.T, call int) bool {
				t.Helper()
				x := &trouble{kind: kind, at: call}
				scene(t, x)
				return x.met
			})
		})
	}
}

// atEveryCall plays a scene, in played time, for one call after the other, until it reports that it did not get to that call. With -short, as the race
// detector runs, it leaves out every other call.
func atEveryCall(t *testing.T, least int, scene func(t *testing.T, call int) (reached bool)) {
	t.Helper()
	step := 1
	if testing.Short() {
		step = 2
	}
	for call := 1; ; call += step {
		reached := false
		synctest.Test(t, func(t *testing.T) { reached = scene(t, call) })
		if !reached {
			if call < least && !t.Failed() {
				t.Errorf("the scene made only %d calls; the simulation does not simulate", call-1)
			}
			return
		}
	}
}

// meet has one call to the store go wrong, and later maybe another one.
func (s *simulation) meet(x *trouble) {
	lost := errLost
	s.store.Fail = func(call int) (before, after error) {
		now := x
		for now != nil && now.at != call {
			now = now.then
		}
		if now == nil {
			return nil, nil
		}
		now.met = true
		if now.kind == diesBefore || now.kind == diesAfter {
			s.kill()
		}
		if now.kind == diesAfter || now.kind == answerLost {
			return nil, lost
		}
		return lost, nil
	}
}

// TestNothingIsLostWhenTwoThingsGoWrong plays the scenes in which one thing goes wrong with two of them, at calls that are drawn by lot, the same each
// time.
func TestNothingIsLostWhenTwoThingsGoWrong(t *testing.T) {
	t.Parallel()
	const lives, calls, apart = 30, 60, 15
	for name, scene := range map[string]func(*testing.T, *trouble){
		"a task":                   complete,
		"a chain":                  chainScene{}.play,
		"a fan-out with questions": replyThroughParent,
		"a conversation":           func(t *testing.T, x *trouble) { t.Helper(); converse(t, x, true) },
		"a consultation":           recall,
		"a receiver":               tell,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			lot := rand.New(rand.NewPCG(1, 2))
			for range lives {
				first := lot.IntN(calls) + 1
				x := &trouble{kind: mishaps[lot.IntN(len(mishaps))], at: first}
				x.then = &trouble{kind: mishaps[lot.IntN(len(mishaps))], at: first + 1 + lot.IntN(apart)}
				synctest.Test(t, func(t *testing.T) { scene(t, x) })
			}
		})
	}
}
