package text_test

import (
	"fmt"
	"testing"

	"github.com/quorate/quorate/orchestrator/router/text"
)

// TestLearningKeepsWithinItsMemory has skills that each differ from all others, for which there is no room.
func TestLearningKeepsWithinItsMemory(t *testing.T) {
	t.Parallel()
	const count = 40
	var skills []text.Skill
	for i := range count {
		s := text.Skill{Agent: "a", ID: fmt.Sprintf("skill%d", i)}
		for j := range 5 {
			s.Examples = append(s.Examples, fmt.Sprintf("please %s the %s with tool%d", word(i*31), word(i*7+1), j))
		}
		skills = append(skills, s)
	}
	all := text.Weights(text.NewWithin(skills, 1<<30))
	for _, most := range []int{all / 4, all / 16, 100, 1} {
		x := text.NewWithin(skills, most)
		if weights := text.Weights(x); weights > most {
			t.Errorf("with room for %d of %d weights there are %d", most, all, weights)
		}
		for i := range count {
			query := fmt.Sprintf("%s my %s", word(i*31), word(i*7+1))
			if a := x.Search(query, 1); len(a.Hits) == 0 || a.Hits[0].Skill != fmt.Sprintf("skill%d", i) {
				t.Errorf("with room for %d of %d weights Search(%q) = %+v, want skill%d", most, all, query, a, i)
			}
		}
	}
}

func TestNothingIsLearnedOnceItIsStopped(t *testing.T) {
	t.Parallel()
	stop := make(chan struct{})
	running := text.Weights(text.New(catalog(), text.Options{Stop: stop}))
	close(stop)
	if stopped := text.Weights(text.New(catalog(), text.Options{Stop: stop})); running == 0 || stopped != 0 {
		t.Errorf("an index has learned %d weights, and %d when it was stopped before; want some and none", running, stopped)
	}
}
