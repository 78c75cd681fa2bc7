package text_test

import (
	"testing"

	"github.com/quorate/quorate/orchestrator/router/text"
)

// TestASkillWithoutExamplesStandsBesideThoseThatHaveSome asks for it in words that examples of others have too.
func TestASkillWithoutExamplesStandsBesideThoseThatHaveSome(t *testing.T) {
	t.Parallel()
	x := text.New(append(catalog(),
		text.Skill{Agent: "painter", ID: "draw_picture", Name: "Draw picture", Description: "Draws pictures and illustrations."},
		text.Skill{Agent: "clock", ID: "set_alarm", Name: "Set alarm", Description: "Wakes somebody at a time."},
	), text.Options{})
	for query, want := range map[string]string{
		"draw a picture of my savings account":   "painter/draw_picture",
		"draw a picture of the airport":          "painter/draw_picture",
		"set an alarm for tomorrow":              "clock/set_alarm",
		"show the balance of my savings account": "bank/check_balance",
		"book a flight to New York":              "travel/book_flight",
	} {
		if got := first(x, query); got != want {
			t.Errorf("Search(%q) = %s (%+v), want %s", query, got, x.Search(query, 3), want)
		}
	}
}
