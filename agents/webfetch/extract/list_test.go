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

func TestAPlainPageKeepsItsLists(t *testing.T) {
	t.Parallel()
	text := "<p>" + sentence + sentence + "</p>"
	list := "<ul><li>flour and a little salt</li><li>water</li></ul>"
	for name, test := range map[string]struct {
		body string
		kept bool
	}{
		"between paragraphs":           {text + list + text, true},
		"below a heading":              {text + "<h2>Bread</h2>" + list + "<h2>Work</h2>" + text, true},
		"below a heading of its own":   {"<div>" + text + "</div><div><h2>Bread</h2>" + list + "</div><div>" + text + "</div>", true},
		"after another list":           {text + "<ol><li>one</li></ol>" + list + text, true},
		"at the end of a part":         {"<div>" + text + list + "</div><div>" + text + "</div>", true},
		"before a link":                {"<div>" + text + list + `<a href="/buy">Buy it</a></div><div>` + text + "</div>", true},
		"before a line":                {"<div>" + text + list + `<span>From our sponsor</span></div><div>` + text + "</div>", false},
		"of terms":                     {text + "<dl><dt>flour</dt><dd>ground</dd></dl>" + text, true},
		"behind the text":              {text + list, false},
		"in an element of its own":     {text + "<div>" + list + "</div>" + text, false},
		"of pictures":                  {text + strings.Replace(list, "<ul", `<ul class="photo-gallery"`, 1) + text, false},
		"of links to other pages":      {text + `<ul><li><a href="/a">flour and a little salt</a></li><li><a href="/b">water</a></li></ul>` + text, false},
		"between text and other texts": {text + list + "<div>" + text + "</div>", false},
	} {
		page := "<html><body><div>" + strings.Repeat(text, 4) + test.body + "</div></body></html>"
		if got := read(t, "text/html", page, extract.Options{}).Text; strings.Contains(got, "flour") != test.kept || strings.Contains(got, "Bread") != strings.Contains(test.body, "Bread") {
			t.Errorf("%s: Extract() = %s\nwant that the list is kept: %t", name, got, test.kept)
		}
	}
}
