package extract_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/quorate/quorate/agents/webfetch/extract"
)

func TestAThreadHasAllOfItsPosts(t *testing.T) {
	t.Parallel()
	const member = `<div class="member"><a href="/ada">Ada</a></div>`
	posts := func(count int, around, class string) string {
		var out strings.Builder
		for i := range count {
			var said strings.Builder
			for point := range 14 {
				fmt.Fprintf(&said, "What member %d said about point %d was heard by all of the others and is written down here. ", i, point)
			}
			text := said.String()
			fmt.Fprintf(&out, `<%s>%s<div class="%s"><p>No. %d: %s</p><p>%s</p></div></%s>`, around, member, class, i, text, strings.ToUpper(text), around)
		}
		return out.String()
	}
	links := strings.Repeat(`<div class="content"><p><a href="/b">`+sentence+`No. 7</a></p></div>`, 40)
	for name, test := range map[string]struct {
		body string
		want int // posts
	}{
		"as phpBB has them":    {posts(6, "div", "content"), 6},
		"as others have them":  {posts(6, "li", "post-text"), 6},
		"and links like it":    {posts(1, "div", "content") + links, 1},
		"beside the first one": {strings.Replace(posts(6, "div", "content"), "</div></div><div>", "</div></div><aside>", 1) + "</aside>", 1},
		"of an article":        {`<meta property="og:type" content="article">` + posts(6, "div", "content"), 1},
	} {
		page := "<html><body><h1>How to vote?</h1>" + test.body + "</body></html>"
		if got := read(t, "text/html", page, extract.Options{}).Text; strings.Count(got, "No. ") != test.want {
			t.Errorf("a thread %s: Extract() = %s\nwant %d posts", name, got, test.want)
		}
	}
}

func TestWhatMostOfAPageIsNamedIsItsContent(t *testing.T) {
	t.Parallel()
	var people strings.Builder
	for i := range 9 {
		fmt.Fprintf(&people, `<div class="person"><h3>Member %d</h3><p class="bio">No. %d: %s</p></div>`, i, i, sentence)
	}
	for name, test := range map[string]struct {
		page string
		want int // texts about people
	}{
		"those of all people on it":     {"<main><h1>Our team</h1>" + people.String() + "</main>", 9},
		"those below an article":        {"<article><h1>Our team</h1>" + people.String() + "</article>", 0},
		"one of its author":             {"<main><h1>Our town</h1><p>" + strings.Repeat(sentence, 9) + `</p><p class="bio">No. 1: ` + sentence + "</p></main>", 0},
		"too little beside other texts": {"<main><h1>Our town</h1><p>" + strings.Repeat(sentence, 30) + "</p>" + people.String() + "</main>", 0},
	} {
		if got := read(t, "text/html", "<html><body>"+test.page+"</body></html>", extract.Options{}).Text; strings.Count(got, "No. ") != test.want {
			t.Errorf("%s: Extract() = %s\nwant %d texts about people", name, got, test.want)
		}
	}
}
