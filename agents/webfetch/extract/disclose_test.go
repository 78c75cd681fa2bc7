package extract_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/quorate/quorate/agents/webfetch/extract"
)

func TestWhatAControlOpensIsRead(t *testing.T) {
	t.Parallel()
	const answer = "Only members may vote, and each of them once."
	const control = `<h3><button aria-expanded="false" aria-controls="a">Who may vote?</button></h3>`
	for name, test := range map[string]struct {
		page  string
		shown bool
	}{
		"an answer":                         {control + `<div id="a" hidden><p>` + answer + `</div>`, true},
		"one hidden by style":               {control + `<div id="a" style="display: none; height: 0px" aria-hidden="true"><p>` + answer + `</div>`, true},
		"below a link":                      {`<a href="#" aria-expanded="false" aria-controls="a">Who may vote?</a><div id="a" style="display:none"><p>` + answer + `</div>`, true},
		"a tab":                             {`<ul role="tablist"><li role="tab" aria-controls="b">Rules</li><li role="tab" aria-controls="a">Members</li></ul><div id="b"><p>` + sentence + `</div><div id="a" role="tabpanel" hidden><p>` + answer + `</div>`, true},
		"a tab that names nothing":          {`<ul role="tablist"><li role="tab">Rules</li><li role="tab">Members</li></ul><div><div role="tabpanel"><p>` + sentence + `</div><div role="tabpanel" hidden><p>` + answer + `</div></div>`, true},
		"fewer tabs than panels":            {`<ul role="tablist"><li role="tab">Rules</li></ul><div role="tabpanel"><p>` + sentence + `</div><div role="tabpanel" hidden><p>` + answer + `</div>`, false},
		"a tab that shows nothing":          {`<ul role="tablist"><li role="tab">Rules</li><li role="tab"> </li></ul><div role="tabpanel"><p>` + sentence + `</div><div role="tabpanel" hidden><p>` + answer + `</div>`, false},
		"tabs that nobody sees":             {`<ul role="tablist" hidden><li role="tab">Rules</li></ul><div role="tabpanel" hidden><p>` + answer + `</div>`, false},
		"as Bootstrap says it":              {`<p><a href="#" aria-expanded="false" data-bs-target="#a">Who may vote?</a></p><div id="a" hidden><p>` + answer + `</div>`, true},
		"by no control":                     {`<h3>Who may vote?</h3><div id="a" hidden><p>` + answer + `</div>`, false},
		"by a control of something else":    {strings.Replace(control, `"a"`, `"b"`, 1) + `<div id="a" hidden><p>` + answer + `</div>`, false},
		"by a control that says nothing":    {`<button aria-expanded="false" aria-controls="a"> </button><div id="a" hidden><p>` + answer + `</div>`, false},
		"by a control that is hidden":       {`<div hidden>` + control + `</div><div id="a" hidden><p>` + answer + `</div>`, false},
		"by one that a style sheet hides":   {`<style>.c{display:none}</style><div class="c">` + control + `</div><div id="a" hidden><p>` + answer + `</div>`, false},
		"in something that stays hidden":    {control + `<div hidden><div id="a" hidden><p>` + answer + `</div></div>`, false},
		"hidden in another way, too":        {control + `<div id="a" style="display:none;font-size:0"><p>` + answer + `</div>`, false},
		"hidden in what is opened":          {control + `<div id="a" hidden><p>Yes.<p style="opacity:0">` + answer + `</div>`, false},
		"over the page":                     {control + `<div id="a" role="dialog" hidden><p>` + answer + `</div>`, false},
		"links":                             {control + `<div id="a" hidden><p><a href="/b">` + answer + `</a></div>`, false},
		"by a control of the page's header": {`<nav>` + control + `</nav><div id="a" hidden><p>` + answer + `</div>`, false},
	} {
		got := read(t, "text/html", "<html><body><main>"+filler+test.page+filler+"</main></body></html>", extract.Options{})
		if shown := strings.Contains(got.Text, answer); shown != test.shown || shown && !slices.Contains(got.Warnings, extract.WarnHidden) {
			t.Errorf("%s: Extract(%s) = %s with %v; the answer is in it: %t, want %t", name, test.page, got.Text, got.Warnings, shown, test.shown)
		}
	}
}

func TestAControlIsTheHeadingOfWhatItOpens(t *testing.T) {
	t.Parallel()
	answer := strings.TrimSpace(sentence + sentence)
	for _, control := range []string{
		`<h4><button aria-expanded="false" aria-controls="a%d">%s</button></h4>`, `<h4><a href="#a%d" aria-expanded="false">%s</a></h4>`,
		`<button aria-expanded="false" aria-controls="a%d">%s</button>`, `<a href="#a%d" aria-expanded="false">%s</a>`,
	} {
		var page, want strings.Builder
		for i, question := range []string{"Who may vote?", "When is the vote?", "Who counts?", "Who is told?"} {
			fmt.Fprintf(&page, "<div>"+control+`<div id="a%d" style="display:none"><p>%s</p></div></div>`, i, question, i, answer)
			fmt.Fprintf(&want, "#### %s\n\n%s\n\n", question, answer)
		}
		if got := read(t, "text/html", "<html><body><main>"+page.String()+"</main></body></html>", extract.Options{}); got.Text != strings.TrimSpace(want.String()) {
			t.Errorf("Extract(%s) = %s\nwant %s", page.String(), got.Text, want.String())
		}
	}
}
