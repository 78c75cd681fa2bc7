package text_test

import (
	"fmt"
	"math/rand/v2"
	"strconv"
	"testing"

	"github.com/quorate/quorate/orchestrator/router/text"
)

// triples are two skills, each with sixty examples of three words. Both have each word as often, so only which ones go together tells them apart. asked
// are texts of the same words, by skill.
func triples() (skills []text.Skill, asked [][]string) {
	random := rand.New(rand.NewPCG(3, 4))
	list := make([]string, 60)
	for i := range list {
		w := make([]byte, 8)
		for j := range w {
			w[j] = byte('a' + random.IntN(26))
		}
		list[i] = string(w)
	}
	for i, apart := range [][2]int{{1, 3}, {20, 31}} {
		skills = append(skills, text.Skill{Agent: "agent", ID: strconv.Itoa(i)})
		asked = append(asked, nil)
		for w := range list {
			a, b, c := list[w], list[(w+apart[0])%len(list)], list[(w+apart[1])%len(list)]
			skills[i].Examples = append(skills[i].Examples, fmt.Sprintf("see %s, then %s and %s", a, b, c))
			asked[i] = append(asked[i], fmt.Sprintf("%s behind %s before %s", c, b, a))
		}
	}
	return skills, asked
}

func TestSomebodyAskedForNearlyTheSame(t *testing.T) {
	t.Parallel()
	skills, asked := triples()
	x := text.New(skills, text.Options{})
	renewed := x.Renew(append([]text.Skill{{Agent: "ahead", ID: "new", Name: "Other things"}}, skills...))
	for name, x := range map[string]*text.Index{"learned": x, "renewed": renewed} {
		found := 0
		for i, texts := range asked {
			for _, t := range texts {
				if h := x.Search(t, 1).Hits; len(h) > 0 && h[0].Skill == skills[i].ID {
					found++
				}
			}
		}
		if found < 90 { // 59 without the comparison with single examples
			t.Errorf("%s: for %d of 120 texts the skill is found that alone has an example of their words together", name, found)
		}
	}
}
