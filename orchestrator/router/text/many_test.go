package text_test

import (
	"fmt"
	"testing"

	"github.com/quorate/quorate/orchestrator/router/text"
)

// TestWhatManyExamplesSayCountsWhateverItsFirstLetter has two skills that are told apart by examples which are late in the alphabet.
func TestWhatManyExamplesSayCountsWhateverItsFirstLetter(t *testing.T) {
	t.Parallel()
	var skills []text.Skill
	for _, topic := range []string{"weather", "traffic"} {
		s := text.Skill{Agent: "a", ID: topic}
		for i := range 210 {
			s.Examples = append(s.Examples, fmt.Sprintf("about number%d of the %s", i, topic))
		}
		for i := range 60 {
			verb := map[string]string{"weather": "will it rain in", "traffic": "which way is jammed to"}[topic]
			s.Examples = append(s.Examples, fmt.Sprintf("%s town%d", verb, i))
		}
		skills = append(skills, s)
	}
	x := text.New(skills, text.Options{})
	for query, want := range map[string]string{"will it rain in town7": "a/weather", "which way is jammed to town7": "a/traffic"} {
		if got := first(x, query); got != want {
			t.Errorf("Search(%q) = %s (%+v), want %s", query, got, x.Search(query, 3), want)
		}
	}
}
