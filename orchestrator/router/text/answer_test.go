package text_test

import (
	"cmp"
	"fmt"
	"maps"
	"math"
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
			checkAnswer(t, fmt.Sprintf("with %s Search(%q)", name, query), x.Search(query, 100), len(skills))
			few, all := x.Search(query, 2), x.Search(query, 100)
			if !slices.IsSortedFunc(all.Hits, func(g, h text.Hit) int { return cmp.Compare(h.Score, g.Score) }) {
				t.Errorf("with %s Search(%q) = %+v, want the best first", name, query, all.Hits)
			}
			if len(few.Hits) != min(2, len(all.Hits)) {
				t.Errorf("with %s two hits of %d for %q are %d", name, len(all.Hits), query, len(few.Hits))
			}
		}
	}
}

func TestAnyNumberOfHitsMayBeAskedFor(t *testing.T) {
	t.Parallel()
	x := text.New(untaught(), text.Options{})
	for n, want := range map[int]int{math.MinInt: 1, 0: 1, 1: 1, math.MaxInt: len(x.Search("book a flight", len(untaught())).Hits)} {
		if a := x.Search("book a flight", n); a.Refused() || len(a.Hits) != want {
			t.Errorf("Search(book a flight, %d) = %+v, want %d hits", n, a, want)
		}
	}
}

// checkAnswer looks at an answer of an index with so many skills.
func checkAnswer(t *testing.T, call string, a text.Answer, skills int) {
	t.Helper()
	if a.Confidence < 0 || a.Confidence > 1 || a.Limit <= 0 || a.Limit >= 1 {
		t.Errorf("%s is sure by %v, with a limit of %v; want both within 0 and 1", call, a.Confidence, a.Limit)
	}
	if len(a.Hits) == 0 && (a.Trained || a.Confidence != 0) {
		t.Errorf("%s = %+v, want that nothing is known of what has no hits", call, a)
	}
	var sum float64
	for _, h := range a.Hits {
		sum += h.Share
		if min(h.Score, h.Share) <= 0 || h.Words < 0 || h.Words > 1+1e-6 {
			t.Errorf("%s has %+v, want a score, and shares within 0 and 1", call, h)
		}
	}
	if sum > 1+1e-4 || len(a.Hits) == skills && sum < 1-1e-4 {
		t.Errorf("the shares of %s are %v in total, want 1, or less if some skills are missing", call, sum)
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
	for i := range 700 {
		s := text.Skill{Agent: string("az"[i%2]), ID: fmt.Sprintf("skill%d", i), Name: "Show " + word(i)}
		if i < 300 {
			s.Name = "Search " + word(i)
		}
		skills = append(skills, s)
	}
	a := text.New(skills, text.Options{}).Search("search", 3)
	if len(a.Hits) != 3 || a.Hits[0].Skill != "search" || a.Hits[1].Skill != "skill0" {
		t.Errorf("Search(search) = %+v, want the skill of that name first, and then the first of the others", a.Hits)
	}
	if a.Refused() {
		t.Errorf("Search(search) = %+v, want it chosen: its name says what was asked for and no more", a)
	}
}

// TestWhereAWordIsSaidDecidesWhatItWeighs has a word that skills, their agents and their examples say.
func TestWhereAWordIsSaidDecidesWhatItWeighs(t *testing.T) {
	t.Parallel()
	x := text.New([]text.Skill{
		{Agent: "a", AgentDescription: "About bicycles", ID: "count", Name: "Count"},
		{Agent: "b", ID: "paint", Name: "Paint", Description: "Colours of bicycles"},
		{Agent: "c", ID: "mend", Name: "Mend", Examples: []string{"a flat tyre", "my bicycles have a flat tyre"}},
		{Agent: "d", AgentDescription: "About bicycles", ID: "rent", Name: "Rent", Examples: []string{"bicycles for a day"}},
		{Agent: "e", AgentDescription: "About bicycles", ID: "sell", Name: "Sell", Description: "Trades bicycles", Tags: []string{"bicycles"}},
	}, text.Options{Untrained: true})
	words := make(map[string]float64)
	for _, h := range x.Search("bicycles", 5).Hits {
		words[h.Skill] = h.Words
	}
	if words["paint"] != 1 || words["mend"] != 1 || words["rent"] != 1 || words["sell"] != 1 || words["count"] < 0.3 || words["count"] > 0.7 {
		t.Errorf("Search(bicycles) compares %v, want all of the text for those who say it, however often, and half of it for the one of whom only the agent does", words)
	}
}

// TestAWordOfAllSkillsMeansSomethingWhenThereAreFew has two agents for the same thing.
func TestAWordOfAllSkillsMeansSomethingWhenThereAreFew(t *testing.T) {
	t.Parallel()
	x := text.New([]text.Skill{{Agent: "a", ID: "old_weather", Name: "Old weather"}, {Agent: "b", ID: "new_weather", Name: "New weather"}}, text.Options{})
	if a := x.Search("weather zanzibar", 2); len(a.Hits) != 2 || a.Hits[0].Words < 0.3 {
		t.Errorf("Search() = %+v, want both, for a third of the text at least", a)
	}
}

// TestAnAgentWithMoreSkillsThatFitComesFirst has a word that examples of four skills have, three of which are of one agent.
func TestAnAgentWithMoreSkillsThatFitComesFirst(t *testing.T) {
	t.Parallel()
	var skills []text.Skill
	for i, id := range []string{"gift", "block", "order", "renew"} {
		s := text.Skill{Agent: "shop", ID: id}
		if i > 0 {
			s.Agent = "z"
		}
		for j := range 6 {
			s.Examples = append(s.Examples, fmt.Sprintf("%s a card %s", id, word(100*i+j)))
		}
		skills = append(skills, s)
	}
	a := text.New(skills, text.Options{}).Search("card", 4)
	if len(a.Hits) != 4 || a.Hits[3].Agent != "shop" {
		t.Errorf("Search(card) = %+v, want the one skill of its agent last", a)
	}
}
