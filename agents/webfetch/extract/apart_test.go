package extract_test

import (
	"testing"

	"github.com/quorate/quorate/agents/webfetch/extract"
)

func TestWhatStyleSheetsPutApartStaysApart(t *testing.T) {
	t.Parallel()
	for page, want := range map[string]string{
		`<div><span class="title">Clerk</span><span class="company">Acme</span><time class="date">3 May</time></div>`: "Clerk Acme 3 May",
		`<div><span class="day">3</span><span class="month">May</span></div>`:                                         "3 May",
		`<div><a href="/a"><b class="price">$9</b></a><a class="buy" href="/b">Buy it</a></div>`:                      "[**$9**](https://site.test/a) [Buy it](https://site.test/b)",
		`<div><span class="first">T</span><span class="rest">he</span></div>`:                                         "The",
		`<div><span class="char">Ab</span><span class="char">out</span></div>`:                                        "About",
		`<div><span class="a">(one)</span><span class="b">two</span></div>`:                                           "(one)two",
		`<div><span class="a">東京</span><span class="b">大学</span></div>`:                                               "東京大学",
		`<div><b>Git</b><span class="b">Hub</span></div>`:                                                             "**Git**Hub",
		`<pre><span class="k">func</span><span class="n">main</span></pre>`:                                           "```\nfuncmain\n```",
	} {
		if got := read(t, "text/html", page, extract.Options{}).Text; got != want {
			t.Errorf("Extract(%s) = %q, want %q", page, got, want)
		}
	}
}
