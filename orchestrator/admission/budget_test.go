package admission_test

import (
	"testing"

	"github.com/quorate/quorate/orchestrator/admission"
)

// TestRetriesAreAShareOfAllExchanges counts the retries that may be under way at a time beside other exchanges.
func TestRetriesAreAShareOfAllExchanges(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ others, want int }{{0, 32}, {100, 32}, {1000, 250}} {
		var b admission.Budget
		for range test.others {
			b.Begin(false)
		}
		var ends []func()
		for {
			end, ok := b.Begin(true)
			if !ok {
				break
			}
			ends = append(ends, end)
		}
		if len(ends) != test.want {
			t.Errorf("beside %d other exchanges %d retries may be under way, want %d", test.others, len(ends), test.want)
		}
		ends[0]()
		ends[0]() // counts once
		if _, ok := b.Begin(true); !ok {
			t.Errorf("beside %d other exchanges no retry takes the place of one that has ended", test.others)
		}
		if _, ok := b.Begin(true); ok {
			t.Errorf("beside %d other exchanges two retries take the place of one that has ended", test.others)
		}
	}
}
