package text_test

import (
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
