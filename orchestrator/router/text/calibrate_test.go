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
