package extract_test

import (
	"strings"
	"testing"

	"github.com/quorate/quorate/agents/webfetch/extract"
)

func TestPostsInAnArticleAreKept(t *testing.T) {
	t.Parallel()
	const said = "I cannot thank this man enough"
	post := `<blockquote class="twitter-tweet"><p lang="en" dir="ltr">` + said + ` <a href="https://t.co/x">pic.twitter.com/x</a></p>— Dele (@dele) <a href="https://twitter.com/dele/1">November 19</a></blockquote>`
	text := "<p>" + sentence + sentence + "</p>"
	for name, test := range map[string]struct {
		body string
		kept bool
	}{
		"between paragraphs":              {text + post + text, true},
		"in an element named for it":      {text + `<div class="social-media-embed">` + post + "<script></script></div>" + text, true},
		"in a widget":                     {text + `<div class="sdc-embed"><div data-provider="x">` + post + "</div></div>" + text, true},
		"beside the text":                 {text + "<aside>" + post + "</aside>" + text, false},
		"among the links to networks":     {text + `<div class="social"><p>Share</p>` + post + "</div>" + text, false},
		"before the text, in its margins": {`<div class="social"><p>Share</p>` + post + "</div>" + text, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := read(t, "text/html", story("", test.body), extract.Options{}).Text
			if strings.Contains(got, said) != test.kept || !strings.Contains(got, strings.TrimSpace(sentence)) {
				t.Errorf("Extract() = %s\nwant the text, and that the post is kept: %t", got, test.kept)
			}
		})
	}
}
