package text_test

import (
	"testing"

	"github.com/quorate/quorate/orchestrator/router/text"
)

func TestEachPartOfACardFindsItsSkill(t *testing.T) {
	t.Parallel()
	for part, s := range map[string]text.Skill{
		"name":                {Agent: "a", ID: "b", Name: "Bicycles"},
		"id":                  {Agent: "a", ID: "repair_bicycles", Name: "Mend"},
		"id in capitals":      {Agent: "a", ID: "repairBicycles", Name: "Mend"},
		"id without a name":   {Agent: "a", ID: "bicycles"},
		"description":         {Agent: "a", ID: "b", Description: "Mends bicycles"},
		"tags":                {Agent: "a", ID: "b", Tags: []string{"wheels", "bicycles"}},
		"inputs":              {Agent: "a", ID: "b", Inputs: []string{"what", "a list of bicycles"}},
		"outputs":             {Agent: "a", ID: "b", Outputs: []string{"bicycles"}},
		"examples":            {Agent: "a", ID: "b", Examples: []string{"my bicycles have a flat tire"}},
		"agent's name":        {Agent: "bicycles", ID: "b"},
		"agent's description": {Agent: "a", AgentDescription: "All about bicycles", ID: "b"},
	} {
		a := text.New(append(untaught(), s), text.Options{}).Search("bicycles", 1)
		if len(a.Hits) == 0 || a.Hits[0].Skill != s.ID || a.Hits[0].Words < 0.4 {
			t.Errorf("Search(bicycles) with the word in the %s = %+v, want its skill", part, a)
		}
	}
}

// TestASkillWithoutANameIsFoundByPiecesOfItsID asks for a word that an id runs together with another.
func TestASkillWithoutANameIsFoundByPiecesOfItsID(t *testing.T) {
	t.Parallel()
	x := text.New([]text.Skill{{Agent: "a", ID: "currencyrates"}, {Agent: "b", ID: "weatherforecast"}}, text.Options{})
	if a := x.Search("a forecast for Rome", 1); len(a.Hits) == 0 || a.Hits[0].Skill != "weatherforecast" {
		t.Errorf("Search() = %+v, want weatherforecast", a)
	}
}

func TestASkillWithoutAWordInItsNameIsFoundByItsDescription(t *testing.T) {
	t.Parallel()
	x := text.New(append(untaught(), text.Skill{Agent: "cook", ID: "-", Name: "🍰", Description: "Bread and pastry"}), text.Options{})
	if got := first(x, "bread and pastry"); got != "cook/-" {
		t.Errorf("Search() = %s, want cook/-", got)
	}
}

func TestFormsOfAWordAreOneWord(t *testing.T) {
	t.Parallel()
	for one, other := range map[string]string{
		"flight": "flights", "box": "boxes", "bus": "buses", "glass": "glasses", "service": "services", "page": "pages", "case": "cases", "fee": "fees",
		"city": "cities", "movie": "movies", "copy": "copied", "book": "booking", "process": "processing", "close": "closed", "purchase": "purchasing",
		"driver's": "drivers", "children’s": "childrens", "bi\u200bcycle": "bicycles",
	} {
		x := text.New([]text.Skill{{Agent: "a", ID: "one", Name: one}, {Agent: "b", ID: "other", Name: other}}, text.Options{})
		for _, query := range []string{one, other} {
			if a := x.Search(query, 2); len(a.Hits) != 2 || a.Hits[0].Words != 1 || a.Hits[1].Words != 1 {
				t.Errorf("Search(%q) among %q and %q = %+v, want both for all of it", query, one, other, a.Hits)
			}
		}
	}
}

// TestAWordIsFoundInItsOtherForm asks for one of what the card has more of.
func TestAWordIsFoundInItsOtherForm(t *testing.T) {
	t.Parallel()
	x := text.New(append(untaught(), text.Skill{Agent: "bourse", ID: "get_rates", Name: "Rates", Description: "Rates of currencies"}), text.Options{})
	if got := first(x, "what is the rate of the dollar?"); got != "bourse/get_rates" {
		t.Errorf("Search() = %s (%+v), want bourse/get_rates", got, x.Search("what is the rate of the dollar?", 1))
	}
}

func TestADigitIsPartOfAWord(t *testing.T) {
	t.Parallel()
	x := text.New([]text.Skill{{Agent: "a", ID: "play_mp3", Name: "Play mp3"}, {Agent: "b", ID: "play_mp4", Name: "Play mp4"}}, text.Options{})
	if a := x.Search("mp4", 2); len(a.Hits) == 0 || a.Hits[0].Skill != "play_mp4" || a.Hits[0].Words != 1 {
		t.Errorf("Search(mp4) = %+v, want play_mp4", a)
	}
}
