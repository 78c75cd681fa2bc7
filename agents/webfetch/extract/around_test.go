package extract_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/quorate/quorate/agents/webfetch/extract"
)

const lead = "After nine hours of talks the members could not agree, and nobody knows when they will meet again."

// story is a page whose text stands in an element of its own, with top between the title and that, and bottom at its end.
func story(top, bottom string) string {
	return `<html><head><title>Delay</title></head><body><header><a href="/">The Gazette</a></header><article><div class="top"><h1>Delay</h1>` + top +
		`</div><div class="article-body">` + strings.Repeat("<p>"+sentence+"</p>", 12) + bottom + `</div></article></body></html>`
}

func TestALeadIsPartOfItsArticle(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		top  string
		kept bool
	}{
		"a paragraph below the title":           {"<p>" + lead + "</p>", true},
		"a heading below the title":             {`<h2 class="dek">` + lead + "</h2>", true},
		"after the date":                        {"<p>Tuesday</p><div><div>" + lead + "</div></div><p>By Ann Lee</p>", true},
		"a Japanese one":                        {"<p>委員会は火曜日に開かれ、双方の意見を聞いたうえで、報告書がまとまるまで結論を先送りすることを決めたと議長は述べた。</p>", true},
		"a caption":                             {"<figure><img src=a.jpg><figcaption>" + lead + "</figcaption></figure>", false},
		"a caption by its class":                {`<div class="image-caption">` + lead + "</div>", false},
		"a link to another story":               {`<p><a href="/other">` + lead + "</a></p>", false},
		"a menu":                                {"<nav><p>" + lead + "</p></nav>", false},
		"no sentence":                           {"<p>" + strings.TrimSuffix(lead, ".") + "</p>", false},
		"too short to be more than a signature": {"<p>Reported by our own staff.</p>", false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := read(t, "text/html", story(test.top, ""), extract.Options{Format: extract.Text}).Text
			want := lead
			for _, other := range []string{"委員会は", "Reported by"} {
				if strings.Contains(test.top, other) {
					want = other
				}
			}
			if kept := strings.Contains(got, strings.TrimSuffix(want, ".")); kept != test.kept || !strings.Contains(got, strings.TrimSpace(sentence)) {
				t.Errorf("Extract() = %q; the lead is in it: %t, want %t", got, kept, test.kept)
			}
		})
	}
}

func TestALeadStandsOnce(t *testing.T) {
	t.Parallel()
	for name, page := range map[string]string{
		"when the text begins with it": story("<p>"+lead+"</p>", "<p>"+lead+"</p>"),
		"when it has the title in it":  strings.Replace(strings.Replace(story("", ""), "<p>", "<p>"+lead+" ", 1), "<h1>Delay", "<h1>nobody knows when they will meet again", 1),
		"when the page describes itself with it and has no title": strings.NewReplacer("<h1>Delay</h1>", "", "</head>", `<meta name="description" content="`+lead+`"></head>`).
			Replace(story("<div>"+lead+"</div>", "")),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := read(t, "text/html", page, extract.Options{Format: extract.Text}).Text
			if n := strings.Count(got, lead); n != 1 {
				t.Errorf("Extract() has the lead %d times, want it once:\n%s", n, got)
			}
		})
	}
}

func TestWhatStandsBesideTheContentIsLeftOut(t *testing.T) {
	t.Parallel()
	const other = "Read what else was said in town last week, and by whom it was said. "
	for name, test := range map[string]struct {
		page string
		kept bool
	}{
		"related stories":                    {story("", `<div class="related-posts"><p>`+other+`</p></div>`), false},
		"in camel case":                      {story("", `<section id="articleComments"><p>`+other+`</p></section>`), false},
		"about the author":                   {story("", `<div class="author-bio"><p>`+other+`</p></div>`), false},
		"a block that has the title":         {strings.Replace(story("<p>"+other+other+"</p>", ""), `class="top"`, `class="author"`, 1), true},
		"a word within another word":         {story("", `<div class="shadow-heads"><p>`+other+`</p></div>`), true},
		"a class about the page":             {story("", `<div class="has-pager"><p>`+other+`</p></div>`), true},
		"a tag that the text has":            {story("", `<div class="tag-gdpr"><p>`+other+`</p></div>`), true},
		"comments that are most of the page": {`<html><body><h1>Thread</h1><div class="comments">` + strings.Repeat("<div><p>"+other+"</p></div>", 20) + `</div></body></html>`, true},
		"a sidebar that has the title":       {`<html><body><div class="sidebar"><h1>Delay</h1><p>` + other + other + `</p></div></body></html>`, true},
		"links to other pages at the end":    {story("", `<p>Read on:</p><p><a href="/other">`+other+`</a></p><p><a href="https://www.site.test/b">More of what was said in town in the weeks before, by the same people</a></p>`), false},
		"a link to a source at the end":      {story("", `<p>Source:</p><p><a href="https://other.test/">`+other+`</a></p>`), true},
		"an address at the end":              {story("", `<p><a href="mailto:a@b.test">`+other+`</a></p>`), true},
		"links that are most of a page":      {`<html><body><main><p>` + sentence + sentence + sentence + sentence + `</p><ul>` + strings.Repeat(`<li><a href="/other">`+other+`</a></li>`, 30) + `</ul></main></body></html>`, true},
		"a link in the text":                 {story("", `<p><a href="/other">`+other+`</a></p><p>`+sentence+`</p>`), true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := read(t, "text/html", test.page, extract.Options{Format: extract.Text}).Text
			if kept := strings.Contains(got, strings.TrimSpace(other)); kept != test.kept {
				t.Errorf("Extract() = %q; %q is in it: %t, want %t", got, other, kept, test.kept)
			}
			if strings.Contains(got, "Read on:") {
				t.Errorf("Extract() = %q, want no line that announces what is not there", got)
			}
		})
	}
}

func TestTheTextOfJSONLDTakesThePlaceOfNone(t *testing.T) {
	t.Parallel()
	body := strings.Repeat("<p>"+sentence+"</p>\n", 20)
	stated, err := json.Marshal(map[string]string{"@type": "NewsArticle", "articleBody": body})
	if err != nil {
		t.Fatal(err)
	}
	page := func(text string) string {
		return `<html><head><script type="application/ld+json">` + strings.ReplaceAll(string(stated), "</", `<\/`) + `</script></head><body><h1>Delay</h1>` + text + `</body></html>`
	}
	got := read(t, "text/html", page("<p>"+strings.Repeat("Subscribe to read on, or sign in when you have an account. ", 10)+"</p>"), extract.Options{}).Text
	if n := strings.Count(got, strings.TrimSpace(sentence)); n != 20 || strings.Contains(got, "<p>") {
		t.Errorf("Extract() has %d of the 20 paragraphs, want all, without marks:\n%s", n, got)
	}
	got = read(t, "text/html", page("<article>"+body+"<p>The <em>end</em>.</p></article>"), extract.Options{}).Text
	if n := strings.Count(got, strings.TrimSpace(sentence)); n != 20 || !strings.Contains(got, "*end*") {
		t.Errorf("Extract() has %d paragraphs, want the 20 of the page in their form:\n%s", n, got)
	}
}

func TestTextThatFadesInIsShown(t *testing.T) {
	t.Parallel()
	for style, shown := range map[string]bool{
		`style="opacity:0"`:                                  false,
		`style="opacity:0;transform:translateY(20px)"`:       true,
		`style="opacity:0;will-change:opacity"`:              true,
		`data-w-id="1" style="opacity:0"`:                    true,
		`style="opacity:0;transform:none;visibility:hidden"`: false,
		`style="display:none;opacity:0;transform:none"`:      false,
		`style="transform:none"`:                             true,
	} {
		content := read(t, "text/html", "<html><body><main>"+filler+"<div "+style+"><p>Prices start at nine euros.</p></div></main></body></html>", extract.Options{})
		if got := strings.Contains(content.Text, "Prices start"); got != shown {
			t.Errorf("Extract() shows a block with %s: %t, want %t", style, got, shown)
		}
		if warned := slices.Contains(content.Warnings, extract.WarnHidden); warned != (shown && strings.Contains(style, "opacity")) {
			t.Errorf("Extract() of a block with %s warns: %v", style, content.Warnings)
		}
	}
}

func TestListItemsStandBehindTheirDash(t *testing.T) {
	t.Parallel()
	page := "<html><body><ul><li><p>One</p></li><li> <b>Two</b></li><li><img src=a.png></li><li></li><li>Three<ul><li>Four</li></ul></li><li> </li></ul><p>Five</p></body></html>"
	if got, want := read(t, "text/html", page, extract.Options{Format: extract.Text}).Text, "- One\n- Two\n- Three\n- Four\n\nFive"; got != want {
		t.Errorf("Extract() = %q, want %q", got, want)
	}
}

// go-trafilatura leaves readings of characters out.
func TestSentencesStayWhole(t *testing.T) {
	t.Parallel()
	const want = "The word 定足数（ていそくすう） is what the members of the committee in Kyoto call their quorum."
	page := story("", "<p>"+strings.Replace(want, "定足数（ていそくすう）", "<ruby>定足数<rp>（</rp><rt>ていそくすう</rt><rp>）</rp></ruby>", 1)+"</p><p>"+sentence+"</p>")
	if got := read(t, "text/html", page, extract.Options{Format: extract.Text}).Text; !strings.Contains(got, want) {
		t.Errorf("Extract() = %q, want %q in it", got, want)
	}
}

func TestAWikiIsReadWithoutItsTools(t *testing.T) {
	t.Parallel()
	section := `<div class="mw-heading"><h2>Votes</h2><span class="mw-editsection">[<a href="/edit">edit</a>]</span></div><p>` + sentence + `</p><p>It began in <sup><a href="#n">[1]</a></sup> Rome.</p>` +
		`<table class="wikitable"><tr><th>Year</th><th>Members</th></tr><tr><td>1901</td><td>12</td></tr></table>`
	page := `<html><body><div id="content"><main><header><h1>Quorum</h1></header><div class="mw-body-content"><div class="mw-parser-output">` + strings.Repeat(section, 4) +
		`</div><div class="printfooter">Retrieved from the wiki</div></div><div id="catlinks" class="catlinks">Categories: <a href="/c">Meetings</a></div></main></div></body></html>`
	got := read(t, "text/html", page, extract.Options{}).Text
	for _, tool := range []string{"edit", "Categories", "Retrieved"} {
		if strings.Contains(got, tool) {
			t.Errorf("Extract() = %s\nwant it without %q", got, tool)
		}
	}
	for _, text := range []string{"## Votes", "It began in", "| 1901 | 12 |"} {
		if strings.Count(got, text) != 4 {
			t.Errorf("Extract() = %s\nwant %q four times", got, text)
		}
	}
}
