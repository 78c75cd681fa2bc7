package extract_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/quorate/quorate/agents/webfetch/extract"
)

func TestTextKeepsItsHeading(t *testing.T) {
	t.Parallel()
	const heading = "How to vote"
	text := "<p>" + sentence + "</p>"
	for name, test := range map[string]struct {
		body string
		kept bool
	}{
		"in an element of its own":      {`<div class="heading"><h2>` + heading + `</h2><a class="anchor" href="#vote"></a></div>` + text, true},
		"a link to another story":       {`<div><h3><a href="/b">` + heading + `</a></h3><a href="/c">All about it</a></div>` + text, false},
		"of something beside the text":  {`<aside><h3>` + heading + `</h3></aside>` + text, false},
		"of links":                      {`<h3>` + heading + `</h3><ul><li><a href="/b">Who may</a></li></ul>`, false},
		"of a text that is not content": {`</div></article><div><div><h3>` + heading + `</h3><p>Sign up.</p></div></div>`, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got := read(t, "text/html", story("", test.body), extract.Options{}).Text; strings.Contains(got, heading) != test.kept {
				t.Errorf("Extract() = %s\nwant that %q is kept: %t", got, heading, test.kept)
			}
		})
	}
}

func TestAListOfArticlesHasTheirTitles(t *testing.T) {
	t.Parallel()
	var articles strings.Builder
	titles := []string{"Who may vote", "How votes are counted", "What a quorum is", "When to meet", "Where to meet"}
	for i, title := range titles {
		fmt.Fprintf(&articles, `<article><header><h2><a href="/%d">%s</a></h2><div>Posted on Monday</div></header><div><p>%s No. %d.</p></div></article>`, i, title, sentence, i)
	}
	got := read(t, "text/html", `<html><body><header><a href="/">The Gazette</a></header><main>`+articles.String()+`</main></body></html>`, extract.Options{}).Text
	for i, title := range titles {
		if !strings.Contains(got, fmt.Sprintf("[%s](https://site.test/%d)", title, i)) {
			t.Errorf("Extract() = %s\nwant the title %q", got, title)
		}
	}
}

func TestHeadingsOfSeveralLevelsStayTogether(t *testing.T) {
	t.Parallel()
	part := func(heading string) string {
		return "<div><" + heading + "</h3></div><div><p>" + sentence + "</p></div>"
	}
	for name, test := range map[string]struct{ before, want string }{
		"a part and its first part":      {"<h2>Why us</h2>", "## Why us\n\n### It is fast\n\n"},
		"a part without text of its own": {"<h2>Contact</h2><h2>Why us</h2>", "## Why us\n\n### It is fast\n\n"},
		"before the title":               {"<h2>Videos</h2><h1>The service</h1><h2>Why us</h2>", "## Why us\n\n### It is fast\n\n"},
	} {
		page := "<html><body><section>" + test.before + part("h3>It is fast") + part("h3>It is safe") + strings.Repeat("<div><p>"+sentence+"</p></div>", 4) + "</section></body></html>"
		got := read(t, "text/html", page, extract.Options{}).Text
		if !strings.Contains(got, test.want) || strings.Contains(got, "Contact") || strings.Contains(got, "Videos") {
			t.Errorf("%s: Extract() = %s\nwant %q in it, and no other heading before it", name, got, test.want)
		}
	}
}

func TestAnAnswerKeepsItsQuestion(t *testing.T) {
	t.Parallel()
	answers := "<div class=faq>" + strings.Repeat("<details><summary>Can I cancel?</summary><p>"+sentence+"</p></details>", 2) + "</div>"
	page := "<html><body><section>" + strings.Repeat("<div><p>"+sentence+"</p></div>", 6) + "</section>" + answers + "</body></html>"
	if got := read(t, "text/html", page, extract.Options{}).Text; strings.Count(got, "Can I cancel?") != 2 {
		t.Errorf("Extract() = %s\nwant both questions", got)
	}
}

func TestAHeadingGoesWithItsText(t *testing.T) {
	t.Parallel()
	const heading = "Also of interest"
	links := `<ul><li><a href="/b">Who may vote</a></li><li><a href="/c">How votes are counted</a></li></ul>`
	next := "<h2>Results</h2><p>" + sentence + "</p>"
	for name, test := range map[string]struct {
		body string
		kept bool
	}{
		"of links to other pages":     {"<h2>" + heading + `</h2><div class="related">` + links + "</div><div>" + links + "</div>" + next, false},
		"of a part":                   {"<h2>" + heading + "</h2>" + strings.Replace(next, "h2", "h3", 2), true},
		"of text":                     {"<h2>" + heading + "</h2><p>" + sentence + "</p>" + next, true},
		"of a part after other links": {"<h2>" + heading + "</h2><div>" + links + "</div>" + strings.ReplaceAll(next, "h2", "h3"), true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got := read(t, "text/html", story("", test.body), extract.Options{}).Text; strings.Contains(got, heading) != test.kept {
				t.Errorf("Extract() = %s\nwant that %q is kept: %t", got, heading, test.kept)
			}
		})
	}
}

// TestTheMarkOfAnAdvertisementIsNotAHeading has what sites put between paragraphs in place of an advertisement.
func TestTheMarkOfAnAdvertisementIsNotAHeading(t *testing.T) {
	t.Parallel()
	heading := func(text string) string {
		return `<div class="heading"><h3>` + text + `</h3><a class="anchor" href="#x"></a></div><p>` + sentence + "</p>"
	}
	body := heading("Advertisement") + heading("How to vote")
	got := read(t, "text/html", story("", body), extract.Options{}).Text
	if strings.Contains(got, "Advertisement") || !strings.Contains(got, "How to vote") {
		t.Errorf("Extract() = %s\nwant it with the heading How to vote, and without Advertisement", got)
	}
}
