package text_test

import (
	"strings"
	"testing"

	"github.com/quorate/quorate/orchestrator/router/text"
)

// TestTheOrderOfWordsTellsSkillsApart has two skills whose examples consist of the same words.
func TestTheOrderOfWordsTellsSkillsApart(t *testing.T) {
	t.Parallel()
	skills := append(office(),
		text.Skill{Agent: "words", ID: "into_polish", Name: "Translation", Examples: []string{"English to Polish", "a letter from English to Polish", "say it in Polish, not English"}},
		text.Skill{Agent: "words", ID: "into_english", Name: "Translation", Examples: []string{"Polish to English", "a letter from Polish to English", "say it in English, not Polish"}})
	x := text.New(skills, text.Options{})
	for query, want := range map[string]string{
		"from English to Polish": "into_polish", "a page, Polish to English": "into_english", "English to Polish, a book": "into_polish", "the letter from Polish to English": "into_english",
	} {
		if a := x.Search(query, 2); len(a.Hits) == 0 || a.Hits[0].Skill != want {
			t.Errorf("Search(%q) = %+v, want %s", query, a, want)
		}
	}
}

func TestAFeatureCountsOnceHoweverOftenATextHasIt(t *testing.T) {
	t.Parallel()
	var list []string
	for i := range 100 {
		list = append(list, word(i*17))
	}
	once := strings.Join(list, " ")
	if got, want := text.Features(once+" "+once), text.Features(once)+1; got != want { // the last word is before the first one, too
		t.Errorf("a text that says everything twice has %d features, want %d", got, want)
	}
}
