package engine_test

import (
	"testing"

	"github.com/quorate/quorate/orchestrator/engine"
)

func TestBreakersThatSayNothingAreForgotten(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ failed, reached, least, most int }{
		{10, 20, 30, 30}, {10, 100_000, 10, 1000}, {3000, 100_000, 3000, 6000},
	} {
		if got := engine.BreakersKept(test.failed, test.reached); got < test.least || got > test.most {
			t.Errorf("BreakersKept(%d failed, %d reached) = %d, want %d to %d", test.failed, test.reached, got, test.least, test.most)
		}
	}
}
