package text_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/quorate/quorate/orchestrator/router/text"
)

func TestASlipOfTheKeyboardFindsWhatWasMeant(t *testing.T) {
	t.Parallel()
	x := text.New(append(untaught(), text.Skill{Agent: "погода", ID: "forecast", Name: "Прогноз погоды"}, text.Skill{Agent: "atlas", ID: "world_map", Name: "World map"}), text.Options{})
	for query, want := range map[string]string{
		"sumamrize the document":   "summarize_document", // two letters in the other order
		"summmarize the documents": "summarize_document", // one too many
		"sumarize the document":    "summarize_document", // one too few
		"surmarize the document":   "summarize_document", // another one
		"tranfser mony":            "transfer_money",
		"read a page as markdwon":  "fetch_url",
		"прогонз":                  "forecast",
		"wordl":                    "world_map",
	} {
		if a := x.Search(query, 1); a.Refused() || a.Hits[0].Skill != want {
			t.Errorf("Search(%q) = %+v, want %s", query, a, want)
		}
	}
	for _, other := range []string{"would", "worm", "ransfer", "twansfel", "summarizing" + strings.Repeat("g", 20), "shred", "there"} {
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

// TestARepeatedWordIsNotMeantMoreOften has a slip between two words, one of which its card says again and again.
func TestARepeatedWordIsNotMeantMoreOften(t *testing.T) {
	t.Parallel()
	for _, times := range []int{1, 50} {
		x := text.New([]text.Skill{
			{Agent: "a", ID: "carton", Name: "Carton", Examples: []string{"a carton"}},
			{
				Agent: "b", ID: "cartoon", Name: "Cartoon", Description: strings.Repeat("Cartoon, cartoon. ", times), Tags: slices.Repeat([]string{"cartoon"}, times),
				Examples: slices.Repeat([]string{"a cartoon", strings.Repeat("cartoon ", times)}, times),
			},
		}, text.Options{})
		if a := x.Search("cartoin", 1); len(a.Hits) == 0 || a.Hits[0].Skill != "carton" {
			t.Errorf("with a word said %d times Search(cartoin) = %+v, want the first of two that are as near", times, a)
		}
	}
}
