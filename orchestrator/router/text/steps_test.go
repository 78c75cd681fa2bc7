package text_test

import (
	"testing"

	"github.com/quorate/quorate/orchestrator/router/text"
)

// office is a registry with three examples for each skill.
func office() []text.Skill {
	return []text.Skill{
		{Agent: "desk", ID: "book_room", Name: "Book a room", Description: "Reserves a meeting room", Examples: []string{
			"I need a room for six people at noon", "reserve the big meeting room for Monday", "can you find us somewhere to meet tomorrow?",
		}},
		{Agent: "desk", ID: "order_lunch", Name: "Order lunch", Description: "Orders food for a team", Examples: []string{
			"can you get us sandwiches for the workshop?", "order twelve pizzas for the team", "we want something vegetarian to eat at noon",
		}},
		{Agent: "desk", ID: "greet_visitor", Name: "Visitor pass", Description: "Prints a badge for a guest", Examples: []string{
			"a guest from Oslo arrives at nine, make a badge", "print a pass for my visitor", "could you let the front desk know that a customer comes?",
		}},
		{Agent: "it", ID: "reset_password", Name: "Reset password", Description: "Sends a link to choose a new password", Examples: []string{
			"I cannot log in any more", "my password has expired", "can you unlock my account?",
		}},
		{Agent: "it", ID: "order_laptop", Name: "Order a laptop", Description: "Orders hardware for employees", Examples: []string{
			"I would like a bigger screen", "my notebook is too slow, I need another one", "order a keyboard for the new colleague",
		}},
		{Agent: "it", ID: "report_outage", Name: "Report an outage", Description: "Opens an incident", Examples: []string{
			"the printer on the third floor does not work", "is the mail server down?", "nobody here has internet",
		}},
		{Agent: "hr", ID: "request_leave", Name: "Request leave", Description: "Asks the manager for days off", Examples: []string{
			"I want to take Friday off", "how many holidays do I have left?", "can I be away for two weeks in August?",
		}},
		{Agent: "hr", ID: "payslip", Name: "Payslip", Description: "Shows what was paid in a month", Examples: []string{
			"what did I earn in March?", "send me my last payslip", "why is my salary lower than last month?",
		}},
		{Agent: "hr", ID: "report_sick", Name: "Report sick", Description: "Tells the manager that somebody is ill", Examples: []string{
			"I have a fever and stay in bed", "my child is ill, I cannot come today", "I was at the doctor and need a rest",
		}},
		{Agent: "trips", ID: "book_train", Name: "Book a train", Description: "Buys railway tickets", Examples: []string{
			"I have to be in Lyon on Tuesday morning", "two tickets to Hamburg, second class", "is there a night train to Vienna?",
		}},
		{Agent: "trips", ID: "claim_expenses", Name: "Claim expenses", Description: "Pays back what an employee paid", Examples: []string{
			"I paid for a taxi myself", "here is the receipt of the hotel", "when do I get the money for the dinner back?",
		}},
	}
}

// TestEachExampleMakesALittleDifference asks the same registry with no examples, with one for each skill, and so on: there is no number from which
// anything goes.
func TestEachExampleMakesALittleDifference(t *testing.T) {
	t.Parallel()
	foreign := []string{
		"how many calories are there in a slice of buttered toast with a spoonful of honey", "who was the second president of the United States",
		"can you tell me what the capital of Mongolia is?", "I want to know how far away the moon is", "what is the meaning of life",
		"is it going to rain on my way home?", "my cat does not like the new sofa", "write me a poem about the sea", "how do I boil an egg for six minutes",
		"why do giraffes sleep so little at night", "translate good morning to Finnish", "has my team won the match last night?",
	}
	asked := map[string]string{
		"can you reserve a room for Monday at noon?": "book_room", "order pizzas for the workshop": "order_lunch", "print a badge for a visitor": "greet_visitor",
		"my password has to be reset": "reset_password", "pasword expierd, cannot log in": "reset_password", "order a laptop for a colleague": "order_laptop",
		"the mail server does not work": "report_outage", "request leave for Friday": "request_leave", "show me the payslip of March": "payslip",
		"I am ill and cannot come, please report me sick": "report_sick", "book a train to Vienna": "book_train", "claim the expenses of a taxi and a hotel": "claim_expenses",
	}
	const most = 3
	for examples := range most + 1 {
		skills := office()
		for i := range skills {
			skills[i].Examples = skills[i].Examples[:examples]
		}
		x := text.New(skills, text.Options{})
		passed, found := 0, 0
		for _, query := range foreign {
			if got := first(x, query); got != "refused" {
				t.Logf("with %d examples, %q is for %s: %+v", examples, query, got, x.Search(query, 1))
				passed++
			}
		}
		for query, want := range asked {
			if a := x.Search(query, 1); !a.Refused() && a.Hits[0].Skill == want {
				found++
			} else {
				t.Logf("with %d examples, %q is not for %s: %+v", examples, query, want, a)
			}
		}
		if passed > len(foreign)/3 || found < 9 {
			t.Errorf("with %d examples of each skill, %d of %d foreign texts pass and %d of %d others find their skill", examples, passed, len(foreign), found, len(asked))
		}
	}
}

// TestWhatPeopleSayToAnybodySpeaksForNobody has examples for every other skill only, and asks for the rest in the phrases of these examples.
func TestWhatPeopleSayToAnybodySpeaksForNobody(t *testing.T) {
	t.Parallel()
	skills := office()
	for i := range skills {
		if i%2 == 1 {
			skills[i].Examples = nil
		}
	}
	x := text.New(skills, text.Options{})
	for query, want := range map[string]string{
		"can you order lunch for us?": "order_lunch", "I want something to eat, order food please": "order_lunch", "could you let me order a laptop?": "order_laptop",
		"can you show me what was paid?": "payslip", "is there a train to Oslo, can you book it?": "book_train", "what is on my payslip?": "payslip",
		"I need a laptop": "order_laptop", "can I have lunch at noon?": "order_lunch",
	} {
		if a := x.Search(query, 2); len(a.Hits) == 0 || a.Hits[0].Skill != want {
			t.Errorf("Search(%q) = %+v, want %s", query, a, want)
		}
	}
}
