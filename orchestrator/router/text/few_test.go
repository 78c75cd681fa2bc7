package text_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/quorate/quorate/orchestrator/router/text"
)

// TestFewAgentsAreFoundByWhatTheySay asks for the agents of quorate dev and one more, as someone does who tries it.
func TestFewAgentsAreFoundByWhatTheySay(t *testing.T) {
	const (
		reads   = "Reads a web page and returns its main content as Markdown. Reads allowed hosts only, never internal addresses."
		reviews = "Rejects content that holds a secret or is empty, by fixed rules; approves the rest."
	)
	url, page := []string{"url", "The http or https URL of the page to read."}, []string{"page", "The main content of the page."}
	x := text.New([]text.Skill{
		{
			Agent: "web-fetch", AgentDescription: reads, ID: "fetch_url", Name: "Fetch URL", Tags: []string{"web", "fetch", "markdown"}, Inputs: url, Outputs: page,
			Description: "Reads the web page at a URL and returns its main content as Markdown.", Examples: []string{
				"Fetch https://example.com/article", "Read the web page http://example.com/ and give me its text", "Get the page at https://example.com/docs as Markdown",
			},
		},
		{
			Agent: "web-fetch", AgentDescription: reads, ID: "fetch_links", Name: "Fetch links", Tags: []string{"web", "links"}, Inputs: url, Outputs: page,
			Description: "Reads the web page at a URL and returns its links as JSON.", Examples: []string{"fetch_links https://example.com/", "Which links are on https://example.com/?"},
		},
		{
			Agent: "web-fetch", AgentDescription: reads, ID: "extract", Name: "Extract", Tags: []string{"web", "extract"}, Inputs: url, Outputs: page,
			Description: "Returns the parts of a web page that a CSS selector, an XPath or a JSONPath names.",
			Examples:    []string{`{"skill": "extract", "url": "https://example.com/", "selector": "h1"}`},
		},
		{
			Agent: "web-fetch", AgentDescription: reads, ID: "list_domains", Name: "List domains", Tags: []string{"web", "allowlist"}, Inputs: url, Outputs: page,
			Description: "Returns the allowed domains.", Examples: []string{"list_domains", "Which domains are allowed?"},
		},
		{
			Agent: "reviewer", AgentDescription: reviews, ID: "review", Name: "Review", Tags: []string{"review", "security"},
			Description: "Looks for secrets in a text and says where they are.", Examples: []string{"Is there a secret in this text?"},
		},
		{
			Agent: "shouter", AgentDescription: "Says it louder.", ID: "shout", Name: "Shout", Tags: []string{"text"}, Inputs: []string{"words"}, Outputs: []string{"shout"},
			Description: "Answers in capitals.", Examples: []string{"shout hello"},
		},
	}, text.Options{})
	for query, want := range map[string]string{
		"Fetch http://127.0.0.1:33571/article":     "web-fetch/fetch_url",
		"fetch HTTPS://weather.example/moon/cake":  "web-fetch/fetch_url",
		"fetch the links of http://x.example":      "web-fetch/fetch_links",
		"fetch a web page":                         "web-fetch/fetch_url",
		"read a web page":                          "web-fetch/fetch_url",
		"which domains are allowed":                "web-fetch/list_domains",
		"get the content of this URL as markdown":  "web-fetch/fetch_url",
		"list the links of a page":                 "web-fetch/fetch_links",
		"review this text for secrets":             "reviewer/review",
		"is there a secret in this text?":          "reviewer/review",
		"bake a cake":                              "",
		"what is the weather in Berlin tomorrow":   "",
		"book a flight to the moon and pay for it": "",
	} {
		r := x.Search(query, 3)
		got := ""
		if !r.Refused() {
			got = r.Hits[0].Agent + "/" + r.Hits[0].Skill
		}
		if want == "" && got != "" || !strings.HasPrefix(got, want) {
			t.Errorf("Search(%q) chose %q, want %q: %+v", query, got, want, r)
		}
	}
}

// TestWhatCardsSayIsLearnedBesideExamples has skills with hardly an example: if they are many, their cards would take as long to learn as one each.
func TestWhatCardsSayIsLearnedBesideExamples(t *testing.T) {
	t.Parallel()
	for _, x := range []struct{ skills, examples, want int }{{300, 1, 301}, {300, 300, 600}, {1500, 1499, 1499}, {1500, 1500, 3000}} {
		var list []text.Skill
		for i := range x.skills {
			s := text.Skill{Agent: "a", ID: fmt.Sprintf("skill%d", i), Name: fmt.Sprintf("Does thing%d", i)}
			if i < x.examples {
				s.Examples = []string{fmt.Sprintf("please do thing%d", i)}
			}
			list = append(list, s)
		}
		if got := text.Learned(list); got != x.want {
			t.Errorf("with %d examples for %d skills there are %d samples, want %d", x.examples, x.skills, got, x.want)
		}
	}
}
