package text_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/quorate/quorate/orchestrator/router/text"
)

// spoken returns so many texts that ask for a topic, in some words of the topic among some of which everybody says.
func spoken(topic, count int, random *rand.Rand) (list []string) {
	for range count {
		var said []string
		for range 2 + random.IntN(6) {
			said = append(said, word(random.IntN(40)))
		}
		for range 1 + random.IntN(3) {
			said = append(said, word(100+10*topic+random.IntN(12)))
		}
		random.Shuffle(len(said), func(i, j int) { said[i], said[j] = said[j], said[i] })
		list = append(list, strings.Join(said, " "))
	}
	return list
}

// TestTheLimitKeepsTheShareOfFalseRefusals asks for each skill in texts that are like its examples, but none of them. The share is that of many
// examples; with 40 for each skill, fewer are refused.
func TestTheLimitKeepsTheShareOfFalseRefusals(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(1, 2))
	var skills []text.Skill
	var asked []string
	for i := range 10 {
		skills = append(skills, text.Skill{Agent: fmt.Sprintf("a%d", i%5), ID: fmt.Sprintf("skill%d", i), Examples: spoken(i, 40, random)})
		asked = append(asked, spoken(i, 40, random)...)
	}
	for share, least := range map[float64]float64{0.01: 0, 0.2: 0.05, 0.5: 0.15} {
		x := text.New(skills, text.Options{FalseRefusal: share})
		refused := 0
		for _, query := range asked {
			if x.Search(query, 1).Refused() {
				refused++
			}
		}
		if got := float64(refused) / float64(len(asked)); got < least || got > share {
			t.Errorf("with a share of %v, %v of the texts that fit are refused, want %v to %v", share, got, least, share)
		}
	}
}

// practised is a registry with eighty examples for each skill, in which people say much that nobody else says.
func practised() (skills []text.Skill) {
	said := 0
	for _, own := range []string{"room meeting chair table", "lunch pizza salad soup", "password login account token", "taxi receipt bill refund", "train ticket seat platform"} {
		about := strings.Fields(own)
		s := text.Skill{Agent: "office", ID: about[0], Name: about[0]}
		for i := range 80 {
			s.Examples = append(s.Examples, fmt.Sprintf("%s %s %s %s", about[i%4], about[(i/4+i)%4], word(said), word(said+1)))
			said += 2 + i%2
		}
		skills = append(skills, s)
	}
	return skills
}

func TestWordsThatNobodySaidBeforeHideNotWhatATextIsAbout(t *testing.T) {
	t.Parallel()
	const unheard = " zqvja xylof wyrmk vuntz pwxzr"
	x := text.New(practised(), text.Options{})
	for query, want := range map[string]string{"soup" + unheard: "lunch", "platform" + unheard: "train", "receipt" + unheard: "taxi", "salad" + unheard: "lunch"} {
		if a := x.Search(query, 1); a.Refused() || a.Hits[0].Skill != want {
			t.Errorf("Search(%q) = %+v, want %s", query, a, want)
		}
	}
	if a := x.Search(unheard, 1); !a.Refused() {
		t.Errorf("Search(%q) = %+v, want it refused", unheard, a)
	}
}
