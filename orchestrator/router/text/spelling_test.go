package text_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/quorate/quorate/orchestrator/router/text"
)

func TestASlipOfTheKeyboardFindsWhatWasMeant(t *testing.T) {
	t.Parallel()
	const longest, tooLong = "abcdefghijklmnopqrstuvwx", "bcdefghijklmnopqrstuvwxyz"
	x := text.New(append(untaught(),
		text.Skill{Agent: "погода", ID: "forecast", Name: "Прогноз погоды"}, text.Skill{Agent: "atlas", ID: "world_map", Name: "World map"},
		text.Skill{Agent: "genie", ID: "three_wishes", Name: "Three wishes", Tags: []string{tooLong}}, text.Skill{Agent: "school", ID: "alphabet", Name: longest},
	), text.Options{})
	for query, want := range map[string]string{
		"sumamrize the document":   "summarize_document", // two letters in the other order
		"summmarize the documents": "summarize_document", // one too many
		"sumarize the document":    "summarize_document", // one too few
		"fkight":                   "book_flight",        // another one of six
		"surmarize the document":   "summarize_document", // another one
		"tranfser mony":            "transfer_money",
		"read a page as markdwon":  "fetch_url",
		"прогонз":                  "forecast",
		"wordl":                    "world_map",
		"summarize a documenr":     "summarize_document", // the last letter
		"summarize a documentt":    "summarize_document",
		"abdcefghijklmnopqrstuvwx": "alphabet",
	} {
		if a := x.Search(query, 1); a.Refused() || a.Hits[0].Skill != want {
			t.Errorf("Search(%q) = %+v, want %s", query, a, want)
		}
	}
	for _, other := range []string{"would", "worm", "word", "paige", "ransfer", "twansfel", "summarizing" + strings.Repeat("g", 20), "shred", "there", tooLong[:20] + tooLong[21:]} {
		if a := x.Search(other, 1); !a.Refused() {
			t.Errorf("Search(%q) = %+v, want it refused: it is another word", other, a)
		}
	}
}

// TestAWordThatSomebodyUsesIsTakenAsItIs has two names that differ by a letter.
func TestAWordThatSomebodyUsesIsTakenAsItIs(t *testing.T) {
	t.Parallel()
	x := text.New([]text.Skill{{Agent: "a", ID: "carton", Name: "Carton"}, {Agent: "b", ID: "cartoon", Name: "Cartoon"}, {Agent: "c", ID: "cartoons", Name: "Cartoon strips"}}, text.Options{})
	for query, want := range map[string]string{"carton": "carton", "cartons": "carton", "cartoon": "cartoon", "cartoin": "cartoon"} {
		if a := x.Search(query, 1); len(a.Hits) == 0 || a.Hits[0].Skill != want {
			t.Errorf("Search(%q) = %+v, want %s", query, a, want)
		}
	}
}

// TestOfTwoWordsThatAreAsNearMoreAgentsMeanOne has slips between words of which the second has more agents.
func TestOfTwoWordsThatAreAsNearMoreAgentsMeanOne(t *testing.T) {
	t.Parallel()
	var skills []text.Skill
	for i, name := range []string{"carton", "cartoon", "cartoon", "desert", "dessert", "dessert", "satin", "station", "station"} {
		skills = append(skills, text.Skill{Agent: string(rune('a' + i)), ID: name, Name: name})
	}
	x := text.New(skills, text.Options{})
	for query, want := range map[string]string{"cartoin": "cartoon", "dessrt": "dessert", "statin": "station"} {
		if a := x.Search(query, 1); len(a.Hits) == 0 || a.Hits[0].Skill != want {
			t.Errorf("Search(%q) = %+v, want %s", query, a, want)
		}
	}
}

func TestAWordThatOnlyExamplesHaveIsMeantToo(t *testing.T) {
	t.Parallel()
	if a := text.New(catalog(), text.Options{}).Search("suitcsae", 1); len(a.Hits) == 0 || a.Hits[0].Skill != "lostLuggage" || a.Hits[0].Words < 1 {
		t.Errorf("Search(suitcsae) = %+v, want the skill of which an example has a suitcase", a)
	}
}

// TestARepeatedWordIsNotMeantMoreOften has a slip between two words, one of which its card says again and again.
func TestARepeatedWordIsNotMeantMoreOften(t *testing.T) {
	t.Parallel()
	for _, times := range []int{1, 50} {
		skills := []text.Skill{{Agent: "a", ID: "carton", Name: "Carton", Examples: []string{"a carton"}}}
		for i := range times {
			skills = append(skills, text.Skill{
				Agent: "b", ID: fmt.Sprintf("cartoon%d", i), Name: "Cartoon", Description: strings.Repeat("Cartoon, cartoon. ", times), Tags: slices.Repeat([]string{"cartoon"}, times),
				Examples: slices.Repeat([]string{"a cartoon", strings.Repeat("cartoon ", times)}, times),
			})
		}
		if a := text.New(skills, text.Options{}).Search("cartoin", 1); len(a.Hits) == 0 || a.Hits[0].Skill != "carton" {
			t.Errorf("with a word said %d times Search(cartoin) = %+v, want the first of two that are as near", times, a)
		}
	}
}
