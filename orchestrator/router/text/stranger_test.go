package text_test

import (
	"fmt"
	"testing"

	"github.com/quorate/quorate/orchestrator/router/text"
)

// varied has three skills with many examples that name what no two of them have in common.
func varied() []text.Skill {
	openers := []string{"please tell me", "can you say", "I want to know", "hello", "let me see", "now"}
	topics := map[string][]string{
		"weather": {"will it rain in %s", "the forecast for %s", "how cold it is in %s", "is there snow in %s"},
		"table":   {"where to eat in %s", "a restaurant in %s", "the menu of %s", "is there a table at %s"},
		"music":   {"who sings %s", "the songs of %s", "when %s gives a concert", "the album with %s"},
	}
	var skills []text.Skill
	for id, list := range topics {
		s := text.Skill{Agent: id, ID: id, Name: id}
		for i := range 120 {
			s.Examples = append(s.Examples, openers[i%len(openers)]+" "+fmt.Sprintf(list[i/len(openers)%len(list)], word(i*17)))
		}
		skills = append(skills, s)
	}
	return skills
}

// TestFewSkillsTakeWhatIsTheirsAndNothingElse asks for names that no example has, and in the phrases of examples for something else: of a few skills, one
// is always the likeliest by far.
func TestFewSkillsTakeWhatIsTheirsAndNothingElse(t *testing.T) {
	t.Parallel()
	x := text.New(varied(), text.Options{})
	for query, want := range map[string]string{
		"will it rain in Rome":                    "weather/weather",
		"tell me if there is snow in Davos":       "weather/weather",
		"how cold is it in Oslo":                  "weather/weather",
		"can you find a restaurant in Rome":       "table/table",
		"a table at Sacher":                       "table/table",
		"who sings Yesterday":                     "music/music",
		"the songs of Brel":                       "music/music",
		"can you say who was the second pope":     "refused",
		"I want to know when the bank opens":      "refused",
		"hello, is there a doctor in the house":   "refused",
		"let me see the balance of my account":    "refused",
		"now tell me the capital of Mongolia":     "refused",
		"is there life on Mars":                   "refused",
		"who wrote the Bible":                     "refused",
		"please, the price of a ticket to Rome":   "refused",
		"I want to learn a language":              "refused",
		"rate this book five stars":               "refused",
		"a hotel with a swimming pool in Bologna": "refused",
	} {
		if got := first(x, query); got != want {
			t.Errorf("Search(%q) = %s (%+v), want %s", query, got, x.Search(query, 1), want)
		}
	}
}
