package engine_test

import (
	"math/rand/v2"
	"testing"
	"testing/synctest"
)

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
