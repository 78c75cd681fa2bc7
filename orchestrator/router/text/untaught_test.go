package text_test

import (
	"testing"

	"github.com/quorate/quorate/orchestrator/router/text"
)

// TestCardsWithoutExamplesTakeWhatPeopleAsk asks in whole sentences, most words of which no card has.
func TestCardsWithoutExamplesTakeWhatPeopleAsk(t *testing.T) {
	t.Parallel()
	x := text.New([]text.Skill{
		{Agent: "cinema", AgentDescription: "Movies and tickets for them", ID: "find_movies", Name: "Find movies", Description: "Searches for movies that run in a city"},
		{Agent: "cinema", AgentDescription: "Movies and tickets for them", ID: "buy_tickets", Name: "Buy movie tickets", Description: "Buys tickets for a show of a movie"},
		{Agent: "bus", AgentDescription: "Travel by bus", ID: "buy_bus_ticket", Name: "Buy bus ticket", Description: "Buys a ticket for a bus to another city", Inputs: []string{"from city of departure"}},
		{Agent: "salon", AgentDescription: "Hair dressers nearby", ID: "book_appointment", Name: "Book appointment", Description: "Books an appointment with a hair dresser"},
		{Agent: "sky", AgentDescription: "Forecasts", ID: "get_weather", Name: "Get weather", Description: "Tells the weather of a place on a day", Tags: []string{"forecast"}},
		{Agent: "tongues", AgentDescription: "Knows forty languages", ID: "f81d4fae-7dec", Name: "Translate text", Description: "Translates a text into another language"},
	}, text.Options{})
	for query, want := range map[string]string{
		"Hi, could you tell me how the weather will be in Nairobi on March 9th?":                               "sky/get_weather",
		"Could you find me some good thriller movies that I can watch on Friday evening in San Jose?":          "cinema/find_movies",
		"Great, then please book an appointment at half past five on Tuesday, under the name Sandra":           "salon/book_appointment",
		"My aunt comes over from Sacramento next week and needs a bus ticket for the 7th, leaving before noon": "bus/buy_bus_ticket",
		"Please translate the text of this letter to Portuguese: dear aunt, the train was late and it rained":  "tongues/f81d4fae-7dec",
		"how many calories are there in a slice of buttered toast with a spoonful of honey":                    "refused",
		"who was the second president of the United States, and in which year was he born":                     "refused",
		"Remind me on Friday evening to water the plants in the kitchen":                                       "refused",
		"what day is it":  "refused",
		"another quarrel": "refused",
	} {
		if got := first(x, query); got != want {
			t.Errorf("Search(%q) = %s (%+v), want %s", query, got, x.Search(query, 3), want)
		}
	}
}

// TestExamplesFindTheirSkillBeforeAnythingIsLearned has an index as it is until training is done.
func TestExamplesFindTheirSkillBeforeAnythingIsLearned(t *testing.T) {
	t.Parallel()
	x := text.New(catalog(), text.Options{Untrained: true})
	for query, want := range map[string]string{"where is my suitcase": "lostLuggage", "wire money abroad": "transfer_money", "a plane ticket to Rome": "book_flight"} {
		if a := x.Search(query, 1); a.Trained || len(a.Hits) == 0 || a.Hits[0].Skill != want || a.Hits[0].Share < 0.5 {
			t.Errorf("Search(%q) = %+v, want %s", query, a, want)
		}
	}
}

// TestExamplesTeachPiecesOfTheirWords asks for a word that no card has, but of which examples have a part.
func TestExamplesTeachPiecesOfTheirWords(t *testing.T) {
	t.Parallel()
	a := text.New(catalog(), text.Options{}).Search("accountancy", 1)
	if !a.Refused() || len(a.Hits) == 0 || a.Hits[0].Skill != "check_balance" {
		t.Errorf("Search(accountancy) = %+v, want it refused with check_balance as the nearest", a)
	}
}
