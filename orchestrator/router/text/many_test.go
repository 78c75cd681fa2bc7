package text_test

import (
	"fmt"
	"strings"
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

// TestSkillsGiveUpExamplesAlike has more examples, or longer ones, than there is room for.
func TestSkillsGiveUpExamplesAlike(t *testing.T) {
	t.Parallel()
	for name, x := range map[string]struct{ skills, each, bytes, want int }{
		"a few":             {3, 100, 1, 300},
		"many of one skill": {1, 2500, 1, 2000},
		"many in total":     {30, 2000, 1, 30_000},
		"long ones":         {10, 1000, 900, 5000},
	} {
		var skills []text.Skill
		for i := range x.skills {
			s := text.Skill{Agent: "a", ID: fmt.Sprintf("skill%d", i)}
			for j := range x.each {
				s.Examples = append(s.Examples, fmt.Sprintf("say%d %s", j, strings.Repeat("x", x.bytes)))
			}
			skills = append(skills, s)
		}
		if got := text.Kept(skills); got != x.want {
			t.Errorf("of %s %d are kept, want %d", name, got, x.want)
		}
	}
}

func TestExamplesOfCommonWordsAloneAreToldApart(t *testing.T) {
	t.Parallel()
	if got := text.Kept([]text.Skill{{Agent: "a", ID: "b", Examples: []string{"what can you do", "how is it", "it is how"}}}); got != 2 {
		t.Errorf("%d examples are kept, want 2 of three, two of which have the same words", got)
	}
}
