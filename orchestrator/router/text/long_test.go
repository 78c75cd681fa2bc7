package text_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/quorate/quorate/orchestrator/router/text"
)

// endless is a text of a hundred thousand characters that says something new everywhere.
func endless(between string) string {
	var b strings.Builder
	for i := 0; b.Len() < 100_000; i++ {
		fmt.Fprintf(&b, "%c%c%s%s", 'a'+i%26, 'a'+i/26%26, word(i), between)
	}
	return b.String()
}

func TestALongTextTakesNoLongerThanItsBeginning(t *testing.T) {
	t.Parallel()
	for name, long := range map[string]string{"of one word": endless(""), "of words": endless(" "), "in another script": strings.Repeat("\u77e5\u9053", 30_000), "of sentences": endless(". ")} {
		if got := text.Features(long); got > 8000 {
			t.Errorf("a text %s of %d bytes has %d features, want 8000 at most", name, len(long), got)
		}
	}
}

// TestAnAnswerSaysThatATextWasTooLong has texts that are just short enough, and others that are a little longer.
func TestAnAnswerSaysThatATextWasTooLong(t *testing.T) {
	t.Parallel()
	x := text.New(catalog(), text.Options{})
	for name, long := range map[string]func(more int) string{
		"of words":   func(more int) string { return strings.Repeat("luggage ", 256+more) },
		"of letters": func(more int) string { return strings.Repeat("x", 2048+more) },
		"of spaces":  func(more int) string { return "luggage" + strings.Repeat(" ", 16<<10-len("luggage")+more) },
	} {
		if a, b := x.Search(long(0), 1), x.Search(long(1), 1); a.Clipped || !b.Clipped {
			t.Errorf("a text %s is clipped: %t, and with one more: %t; want the longer one alone", name, a.Clipped, b.Clipped)
		}
	}
}

// TestACardCostsWhatACardIsWorth has a card of the greatest size that says all of it about one skill.
func TestACardCostsWhatACardIsWorth(t *testing.T) {
	t.Parallel()
	for name, s := range map[string]text.Skill{
		"with a long description": {Description: endless(". "), AgentDescription: endless("! ")},
		"with long inputs":        {Inputs: strings.Fields(endless(". "))},
		"with many tags":          {Tags: strings.Fields(endless(" "))},
		"with a long example":     {Examples: []string{endless(""), endless(" ")}},
		"with a long word":        {Name: endless(""), Description: endless("")},
	} {
		said, features := text.Size(&s)
		if said > 2000 || features > 10_000 {
			t.Errorf("a skill %s is compared by %d words and %d features, want 2000 and 10000 at most", name, said, features)
		}
	}
}

func TestALongExampleCountsByItsBeginning(t *testing.T) {
	t.Parallel()
	for name, x := range map[string]struct {
		example string
		most    int
	}{"of many words": {strings.Repeat("\u77e5\u9053\u5317\u4eac", 3000), 200}, "of a long word": {endless(""), 3100}, "of short words": {endless(" "), 1200}, "of long words": {strings.ReplaceAll(endless(""), "os", "os "), 3100}} {
		if got := text.Learned([]text.Skill{{Agent: "a", ID: "b", Examples: []string{x.example}}}); got != 2 {
			t.Errorf("there are %d samples of a card and its one example %s, want 2", got, name)
		}
		if _, features := text.Size(&text.Skill{Examples: []string{x.example}}); features > x.most {
			t.Errorf("an example %s has %d features, want %d at most", name, features, x.most)
		}
	}
}

func TestAnExampleThatSaysNothingIsNone(t *testing.T) {
	t.Parallel()
	if got := text.Learned([]text.Skill{{Agent: "a", ID: "b", Examples: []string{"", "?!", "the best", "best"}}}); got != 2 {
		t.Errorf("there are %d samples of a card and an example that has a word, want 2", got)
	}
}

// TestALongTextIsScoredByWhatSaysMost has two skills whose examples have the same words in opposite orders: only pairs of words tell a text apart, of which it
// has fewer than pieces of words.
func TestALongTextIsScoredByWhatSaysMost(t *testing.T) {
	t.Parallel()
	said := func(from, n, step int) string {
		var list []string
		for j := range n {
			list = append(list, word(1000+((from+step*j)%220+220)%220))
		}
		return strings.Join(list, " ")
	}
	skills := []text.Skill{{Agent: "agent", ID: "forwards"}, {Agent: "agent", ID: "backwards"}}
	for e := range 10 {
		skills[0].Examples = append(skills[0].Examples, said(22*e, 60, 1))
		skills[1].Examples = append(skills[1].Examples, said(22*e+59, 60, -1))
	}
	x := text.New(skills, text.Options{})
	for i, step := range []int{1, -1} {
		long := said(100, 220, step)
		if features := text.Features(long); features <= 1024 {
			t.Fatalf("the text has %d features only", features)
		}
		if h := x.Search(long, 1).Hits; len(h) != 1 || h[0].Skill != skills[i].ID {
			t.Errorf("Search() = %v for a text %s", h, skills[i].ID)
		}
	}
}
