package extract_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/quorate/quorate/agents/webfetch/extract"
	"github.com/quorate/quorate/platform/fault"
	"github.com/quorate/quorate/platform/usagetest"
)

const members = `<html><body><nav><a href=/>Home</a></nav><div id=list><ul class=members><li data-votes=2>Ann <a href=ann>page</a></li><li data-votes=1>Bob</li><li hidden>Eve</li></ul></div>
<table><tr><th>Name</th></tr><tr><td>Ann</td></tr></table></body></html>`

func TestSelectors(t *testing.T) {
	const document = `{"members":[{"name":"Ann","votes":2},{"name":"Bob","votes":1}],"big":12345678901234567890}`
	for name, test := range map[string]struct {
		contentType, body string
		kind              extract.SelectorKind
		expression        string
		format            extract.Format
		want              string
	}{
		"CSS as Markdown":           {"text/html", members, "", ".members li", extract.Markdown, "- Ann [page](https://site.test/dir/ann)\n- Bob"},
		"CSS as text":               {"text/html", members, extract.CSS, "nav, td", extract.Text, "Home\nAnn"},
		"CSS as HTML":               {"text/html", members, extract.CSS, "nav a", extract.HTML, `<a href="https://site.test/">Home</a>`},
		"CSS as it is":              {"text/html", members, extract.CSS, "li[data-votes='1']", extract.Raw, `<li data-votes="1">Bob</li>`},
		"CSS as links":              {"text/html", members, extract.CSS, "#list", extract.Links, "[\n  {\n    \"text\": \"page\",\n    \"href\": \"https://site.test/dir/ann\"\n  }\n]"},
		"CSS as JSON":               {"text/html", members, extract.CSS, "ul > li:not([hidden])", extract.JSON, "[\n  \"Ann page\",\n  \"Bob\"\n]"},
		"CSS to the title":          {"text/html", "<title>Ann &amp; Bob</title>", extract.CSS, "title", extract.Markdown, "Ann & Bob"},
		"CSS to the title as HTML":  {"text/html", "<title>Ann &amp; Bob</title>", extract.CSS, "title", extract.HTML, "<div>Ann &amp; Bob</div>"},
		"CSS, inner ones once":      {"text/html", members, extract.CSS, "div, ul", extract.Text, "- Ann page\n- Bob"},
		"XPath to elements":         {"text/html", members, extract.XPath, "//ul/li[@data-votes > 1]", extract.Markdown, "- Ann [page](https://site.test/dir/ann)"},
		"XPath to attributes":       {"text/html", members, extract.XPath, "//li/@data-votes", extract.Markdown, "2\n1"},
		"XPath to texts":            {"text/html", members, extract.XPath, "//td/text()", extract.JSON, "[\n  \"Ann\"\n]"},
		"XPath to a number":         {"text/html", members, extract.XPath, "count(//li)", extract.Text, "3"},
		"XPath to a string":         {"text/html", members, extract.XPath, "string(//th)", extract.Text, "Name"},
		"XPath along the siblings":  {"text/html", members, extract.XPath, "//li[1]/following-sibling::li[1]", extract.Text, "- Bob"},
		"XPath up":                  {"text/html", members, extract.XPath, "//a[.='page']/ancestor::div/@id", extract.Text, "list"},
		"XPath to a literal":        {"text/html", members, extract.XPath, "concat('replace(', string(//th), \"')\")", extract.Text, "replace(Name')"},
		"XPath to a large number":   {"text/html", members, extract.XPath, "count(//li) * 1000000", extract.Text, "3000000"},
		"XPath to no number":        {"text/html", members, extract.XPath, "-1 div 0", extract.Text, "-Infinity"},
		"XPath to a union":          {"text/html", members, extract.XPath, "//td | //li[2] | //nav", extract.Text, "Home\n\n- Bob\n\nAnn"},
		"XPath to all":              {"text/html", members, extract.XPath, "/", extract.Text, "Home\n\n- Ann page\n- Bob\n\nName\nAnn"},
		"XPath back":                {"text/html", members, extract.XPath, "//table/preceding::a/@href", extract.Text, "/\nann"},
		"JSONPath as JSON":          {"application/json", document, extract.JSONPath, "$.members[?@.votes>1].name", extract.JSON, "[\n  \"Ann\"\n]"},
		"JSONPath in plain text":    {"text/plain", "\n" + document, extract.JSONPath, "$..votes", extract.Text, "[\n  2,\n  1\n]"},
		"JSONPath in HTML":          {"text/html", document, extract.JSONPath, "$..votes", extract.Text, "[\n  2,\n  1\n]"},
		"JSONPath in a script":      {"application/javascript", document, extract.JSONPath, "$..votes", extract.Text, "[\n  2,\n  1\n]"},
		"JSONPath as Markdown":      {"application/json", document, extract.JSONPath, "$..votes", extract.Markdown, "```json\n[\n  2,\n  1\n]\n```"},
		"JSONPath to a long number": {"application/json", document, extract.JSONPath, "$.big", extract.Text, "[\n  12345678901234567890\n]"},
	} {
		t.Run(name, func(t *testing.T) {
			got := read(t, test.contentType, test.body, extract.Options{Format: test.format, Selector: extract.Selector{Kind: test.kind, Expression: test.expression}})
			if got.Text != test.want || got.Extractor != extract.BySelector {
				t.Errorf("Extract(%s) = %q by %s, want %q by selector", test.expression, got.Text, got.Extractor, test.want)
			}
		})
	}
}

// TestHostileSelectorsAreBounded: a caller may send any selector, and a page may be made for the one that is expected.
func TestHostileSelectorsAreBounded(t *testing.T) {
	wide := strings.Repeat("<p>x</p>", 12_000)
	deep := strings.Repeat("<div><p>y</p>", 400)
	for name, s := range map[string]extract.Selector{
		"siblings of siblings":       {Expression: "x ~ * ~ * ~ * ~ *"},
		"descendants of descendants": {Expression: "x * * * * * * *"},
		"has in has":                 {Expression: ":has(:has(x))"},
		"not of siblings":            {Expression: "*:not(x ~ * ~ *)"},
		"counted children":           {Expression: "*:nth-last-child(2n+1):nth-child(3n)"},
		"texts of all":               {Expression: "*:contains('zz') *:contains('zz')"},
		"patterns of all":            {Expression: "*:matches('(x+x+)+y')"},
		"following of preceding":     {Kind: extract.XPath, Expression: "//p/following::*/preceding::*"},
		"the cube of the page":       {Kind: extract.XPath, Expression: "//*[//*[//*[. = 'z']]]"},
		"a count for each":           {Kind: extract.XPath, Expression: "//*[count(//*) > count(preceding::*)]"},
		"texts joined for each":      {Kind: extract.XPath, Expression: "//*[contains(string(/), 'zz')]"},
		"replaced for each":          {Kind: extract.XPath, Expression: "//*[translate(string(//*), 'x', 'y') = 'z']"},
		"a union of everything":      {Kind: extract.XPath, Expression: "//*|//*|//*|//*|//*|//*"},
		"brackets that nest":         {Kind: extract.XPath, Expression: strings.Repeat("a[", 1000) + "1" + strings.Repeat("]", 1000)},
		"parentheses that nest":      {Kind: extract.XPath, Expression: strings.Repeat("(", 2000) + "1" + strings.Repeat(")", 2000)},
		"a steep way":                {Kind: extract.XPath, Expression: "//*" + strings.Repeat("/..//*", 50)},
		"brackets that nest in CSS":  {Expression: strings.Repeat(":not(", 800) + "p" + strings.Repeat(")", 800)},
	} {
		for shape, page := range map[string]string{"wide": wide, "deep": deep} {
			t.Run(name+", "+shape, func(t *testing.T) {
				before := usagetest.CPU(t)
				_, err := extract.Extract(t.Context(), source("text/html", page), extract.Options{Format: extract.Text, Selector: s})
				switch reason := fault.ReasonOf(err); {
				case err == nil, reason == extract.ReasonTooComplex, reason == extract.ReasonNoMatch, reason == extract.ReasonSelector:
				default:
					t.Errorf("Extract(%.60q) = %v, want content or a refusal", s.Expression, err)
				}
				took := usagetest.CPU(t) - before
				t.Logf("%s of CPU, %v", took, err)
				if took > maxTime {
					t.Errorf("Extract(%.60q) took %s of CPU, want less than %s", s.Expression, took, maxTime)
				}
			})
		}
	}
}

// TestWhatAllMatchesAreInIsLookedAtOnce has a page whose body has a style as long as a page may be, and many elements to select.
func TestWhatAllMatchesAreInIsLookedAtOnce(t *testing.T) {
	page := `<body style="left:-` + strings.Repeat("a", 1<<20) + `">` + strings.Repeat("<p>x</p>", 1000)
	before := usagetest.CPU(t)
	got := read(t, "text/html", page, extract.Options{Format: extract.Text, Selector: extract.Selector{Expression: "p"}})
	if took := usagetest.CPU(t) - before; strings.Count(got.Text, "x") != 1000 || took > maxTime {
		t.Errorf("Extract() = %d bytes in %s of CPU, want 1,000 elements in less than %s", len(got.Text), took, maxTime)
	}
}

// TestLongClassesAroundEverythingAreReadOnce has a page whose content is in an element with classes as long as a page may be.
func TestLongClassesAroundEverythingAreReadOnce(t *testing.T) {
	page := `<div class="` + strings.Repeat("ab ", 1<<20) + `">` + strings.Repeat("<p>A sentence, with words, that somebody may want to read.</p><pre>x</pre>", 2000)
	before := usagetest.CPU(t)
	got := read(t, "text/html", page, extract.Options{Format: extract.Markdown})
	if took := usagetest.CPU(t) - before; strings.Count(got.Text, "sentence") != 2000 || took > maxTime {
		t.Errorf("Extract() = %d bytes in %s of CPU, want 2,000 sentences in less than %s", len(got.Text), took, maxTime)
	}
}

func TestAJSONPathToAllOfWhatNestsIsWrittenWithoutIndentation(t *testing.T) {
	got := read(t, "application/json", strings.Repeat("[", 900)+"0"+strings.Repeat("]", 900), extract.Options{Format: extract.JSON, Selector: extract.Selector{Kind: extract.JSONPath, Expression: "$..*"}})
	if len(got.Text) > 1<<20 || !strings.HasPrefix(got.Text, "[[[[") {
		t.Errorf("Extract() = %.20q of %d bytes, want at most a MiB", got.Text, len(got.Text))
	}
}

func TestTextThatElementsHaveInCommonIsAnsweredUpToABound(t *testing.T) {
	page := strings.Repeat("<div>", 100) + strings.Repeat("word ", 10_000)
	got := read(t, "text/html", page, extract.Options{Format: extract.Text, Selector: extract.Selector{Kind: extract.XPath, Expression: "//* | //text()"}})
	if len(got.Text) > 5<<20 || !slices.Contains(got.Warnings, extract.WarnIncomplete) {
		t.Errorf("Extract() = %.20q of %d bytes, %v, want at most 5 MiB, and that there is more", got.Text, len(got.Text), got.Warnings)
	}
	if got := read(t, "text/html", page, extract.Options{Format: extract.Text, Selector: extract.Selector{Kind: extract.XPath, Expression: "//div"}}); len(got.Warnings) != 0 {
		t.Errorf("Extract(//div) of the same page warns of %v, want the text once", got.Warnings)
	}
}

// TestALongTextIsReadSoManyTimesOnly has functions that take one text of a page many times.
func TestALongTextIsReadSoManyTimesOnly(t *testing.T) {
	long := strings.Repeat("word ", 600_000)
	for where, text := range map[string]string{"an attribute": "//@title", "a text": "//text()", "an element": "//p"} {
		page := `<p title="` + long + `">` + long[:len(long)/5]
		if where != "an attribute" {
			page = "<p>" + long
		}
		for name, expression := range map[string]string{
			"put together":  "concat(" + strings.Repeat(text+",", 80) + "'')",
			"one by one":    strings.Repeat("normalize-space(", 80) + text + strings.Repeat(")", 80),
			"once for each": "//p" + strings.Repeat("[normalize-space("+text+")]", 80),
		} {
			t.Run(where+" "+name, func(t *testing.T) {
				_, err := extract.Extract(t.Context(), source("text/html", page), extract.Options{Format: extract.Text, Selector: extract.Selector{Kind: extract.XPath, Expression: expression}})
				if fault.ReasonOf(err) != extract.ReasonTooComplex {
					t.Errorf("Extract(%.60q) = %v, want %s", expression, err, extract.ReasonTooComplex)
				}
			})
		}
	}
}

func TestALongResultOfAFunctionIsCut(t *testing.T) {
	page := "<p>" + strings.Repeat("word ", 500_000)
	got := read(t, "text/html", page, extract.Options{Format: extract.Text, Selector: extract.Selector{Kind: extract.XPath, Expression: "concat(//p, //p)"}})
	if len(got.Text) != 4<<20 || !slices.Contains(got.Warnings, extract.WarnIncomplete) {
		t.Errorf("Extract() = %d bytes, %v, want 4 MiB, and that there is more", len(got.Text), got.Warnings)
	}
}
