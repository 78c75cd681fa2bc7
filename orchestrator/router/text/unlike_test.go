package text_test

import (
	"fmt"
	"testing"

	"github.com/quorate/quorate/orchestrator/router/text"
)

// TestExamplesThatAreUnlikeEachOtherLetNothingElsePass has skills with two examples, of which many share no word with any other.
func TestExamplesThatAreUnlikeEachOtherLetNothingElsePass(t *testing.T) {
	t.Parallel()
	for _, alike := range []int{0, 20} {
		var skills []text.Skill
		for i := range 30 {
			s := text.Skill{Agent: fmt.Sprintf("a%d", i/3), ID: fmt.Sprintf("skill%d", i), Examples: []string{word(5*i) + " " + word(5*i+1), word(5*i+2) + " " + word(5*i+3)}}
			if i < alike {
				s.Examples[1] += " " + word(5*i)
			}
			skills = append(skills, s)
		}
		x := text.New(skills, text.Options{})
		for query, want := range map[string]string{
			word(0) + " " + word(1):                  "a0/skill0",
			"flibber lundorba koko":                  "refused",
			"why do giraffes sleep so late at night": "refused",
			"kovi":                                   "refused",
		} {
			if got := first(x, query); got != want {
				t.Errorf("with %d skills whose examples are alike, Search(%q) = %s (%+v), want %s", alike, query, got, x.Search(query, 1), want)
			}
		}
	}
}
