package fault_test

import (
	"slices"
	"testing"

	"github.com/quorate/quorate/platform/fault"
)

func TestFailuresInARowAreLoggedLessAndLess(t *testing.T) {
	t.Parallel()
	var got []int
	for times := range 20 {
		if fault.Logged(times) {
			got = append(got, times)
		}
	}
	if want := []int{1, 2, 4, 8, 16}; !slices.Equal(got, want) {
		t.Errorf("Logged() is true for %v, want %v", got, want)
	}
}
