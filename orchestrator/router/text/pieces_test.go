package text_test

import (
	"strings"
	"testing"

	"github.com/quorate/quorate/orchestrator/router/text"
)

// TestANameIsFoundByPiecesOfItsWords asks in other forms of the words of names, and for words that names run together.
func TestANameIsFoundByPiecesOfItsWords(t *testing.T) {
	t.Parallel()
	x := text.New([]text.Skill{
		{Agent: "a", ID: "currencyrates", Name: "Currencyrates"},
		{Agent: "b", ID: "weatherforecast", Name: "Weatherforecast"},
		{Agent: "c", ID: "billing_ticket", Name: "Billing ticket"},
		{Agent: "d", ID: "planning_ticket", Name: "Planning ticket"},
		// A long description has most pieces of any text.
		{Agent: "e", ID: "chat", Name: "Chat", Description: strings.Repeat("forestry castings currants ratings billiards planets ", 3)},
	}, text.Options{})
	for query, want := range map[string]string{
		"a forecast for Rome":         "weatherforecast",
		"the rates of the dollar":     "currencyrates",
		"a ticket about my bill":      "billing_ticket",
		"a ticket for the next plans": "planning_ticket",
	} {
		if a := x.Search(query, 2); len(a.Hits) == 0 || a.Hits[0].Skill != want {
			t.Errorf("Search(%q) = %+v, want %s first", query, a, want)
		}
	}
	if a := x.Search("a forecast for Rome", 1); !a.Refused() {
		t.Errorf("Search() = %+v, want it refused, as no whole word is in a card", a)
	}
	if a := x.Search("zyx", 1); len(a.Hits) != 0 {
		t.Errorf("Search() = %+v, want nothing near", a)
	}
}
