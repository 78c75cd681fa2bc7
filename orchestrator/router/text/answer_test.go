package text_test

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"

	"github.com/quorate/quorate/orchestrator/router/text"
)

// TestAnAnswerHasProbabilities looks at the answers of indexes with all examples, with few, and with none.
func TestAnAnswerHasProbabilities(t *testing.T) {
	t.Parallel()
	for name, skills := range map[string][]text.Skill{"six examples": catalog(), "three examples": office(), "no examples": untaught()} {
		x := text.New(skills, text.Options{})
		for query := range queries {
			a := x.Search(query, 100)
			if a.Confidence < 0 || a.Confidence > 1 || a.Limit <= 0 || a.Limit >= 1 {
				t.Errorf("with %s Search(%q) is sure by %v, with a limit of %v; want both within 0 and 1", name, query, a.Confidence, a.Limit)
			}
			if len(a.Hits) == 0 && (a.Trained || a.Confidence != 0) {
				t.Errorf("with %s Search(%q) = %+v, want that nothing is known of what has no hits", name, query, a)
			}
			var sum float64
			for _, h := range a.Hits {
				sum += h.Share
				if h.Share <= 0 || h.Words < 0 || h.Words > 1+1e-6 {
					t.Errorf("with %s Search(%q) has %+v, want shares within 0 and 1", name, query, h)
				}
			}
			if sum > 1+1e-4 || len(a.Hits) == len(skills) && sum < 1-1e-4 {
				t.Errorf("with %s the shares of %d hits for %q are %v in total, want 1, or less if some skills are missing", name, len(a.Hits), query, sum)
			}
			if !slices.IsSortedFunc(a.Hits, func(g, h text.Hit) int { return cmp.Compare(h.Score, g.Score) }) {
				t.Errorf("with %s Search(%q) = %+v, want the best first", name, query, a.Hits)
			}
			if few := x.Search(query, 2); len(few.Hits) > 2 || len(few.Hits) < min(2, len(a.Hits)) {
				t.Errorf("with %s two hits of %d for %q are %d", name, len(a.Hits), query, len(few.Hits))
			}
		}
	}
}

func TestAnAnswerDoesNotDependOnWhatWasAskedBefore(t *testing.T) {
	t.Parallel()
	asked := slices.Sorted(maps.Keys(queries))
	a, b := text.New(catalog(), text.Options{}), text.New(catalog(), text.Options{})
	answers := make(map[string]text.Answer)
	for _, query := range asked {
		answers[query] = a.Search(query, 10)
	}
	for _, query := range slices.Backward(asked) {
		if diff := gocmp.Diff(answers[query], b.Search(query, 10)); diff != "" {
			t.Errorf("Search(%q) differs in another order (-first to last +last to first):\n%s", query, diff)
		}
	}
}

// TestAmongManyEqualNamesTheOneThatSaysNoMoreIsFirst has a word that is in too many names to tell them apart.
func TestAmongManyEqualNamesTheOneThatSaysNoMoreIsFirst(t *testing.T) {
	t.Parallel()
	skills := []text.Skill{{Agent: "m", ID: "search", Name: "Search"}}
	for i := range 300 {
		skills = append(skills, text.Skill{Agent: string("az"[i%2]), ID: fmt.Sprintf("search%d", i), Name: "Search " + word(i)})
	}
	if a := text.New(skills, text.Options{}).Search("search", 3); len(a.Hits) != 3 || a.Hits[0].Skill != "search" || a.Hits[1].Agent != "a" {
		t.Errorf("Search(search) = %+v, want the skill of that name first", a.Hits)
	}
}
