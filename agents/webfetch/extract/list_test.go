package extract_test

import (
	"strings"
	"testing"

	"github.com/quorate/quorate/agents/webfetch/extract"
)

func TestListsStayWhole(t *testing.T) {
	t.Parallel()
	const item = "flour"
	short := `<ul><li><label><input type="checkbox"> <span>2 cups</span> <span>` + item + `</span></label></li><li>salt</li></ul>`
	text := "<h3>Directions</h3><p>" + sentence + "</p>"
	for name, test := range map[string]struct {
		body string
		kept bool
	}{
		"of short items, below a heading":      {"<h3>Ingredients</h3>" + short + text, true},
		"some items of which are long":         {"<div><ul><li>" + sentence + "</li><li>" + sentence + "</li><li><label>" + item + "</label></li><li>" + sentence + "</li></ul></div>" + text, true},
		"a control in an item":                 {"<ol><li><div><p>" + sentence + "</p></div><div><label>" + item + "</label></div></li><li><p>" + sentence + "</p></li></ol>" + text, false},
		"of links":                             {`<h3>Ingredients</h3><ul><li><label><a href="/a">` + item + `</a></label></li><li><label><a href="/b">salt</a></label></li></ul>` + text, false},
		"that was not kept, without a heading": {`<div class="meta"><ul><li><label>` + item + `</label></li></ul></div>` + text, false},
		"beside the text":                      {"<aside><h3>Ingredients</h3>" + short + "</aside>" + text, false},
		"behind the text":                      {text + "</div></article><h3>Ingredients</h3>" + short, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got := read(t, "text/html", story("", test.body), extract.Options{}).Text; strings.Contains(got, item) != test.kept {
				t.Errorf("Extract() = %s\nwant that %q is kept: %t", got, item, test.kept)
			}
		})
	}
}
