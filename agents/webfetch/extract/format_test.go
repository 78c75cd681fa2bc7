package extract_test

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/quorate/quorate/agents/webfetch/extract"
	"github.com/quorate/quorate/platform/fault"
)

const sample = `<!doctype html><html lang="en-GB"><head><title> On  quorums </title><base href="/base/">
<meta name="description" content="What a quorum is"><meta property="og:type" content="article"><meta property="og:site_name" content="Votes">
<meta property="og:image" content="seal.png"><meta property="article:published_time" content="2026-03-01"><link rel="canonical" href="https://site.test/quorum">
<link rel="alternate" type="application/rss+xml" title="News" href="/feed.xml">
<script type="application/ld+json">{"@context":"https://schema.org","@graph":[{"@type":"NewsArticle","author":{"@type":"Person","name":"Ann Lee"},"dateModified":"2026-03-02"}]}</script>
<script type="application/ld+json">{broken</script></head>
<body><nav><a href="/">Home</a></nav><p>One <a href="two">two</a> <a href="two"><img alt="again"></a> <a href="javascript:x()">three</a> <a href="mailto:a@b.test">mail</a></p></body></html>`

func TestMetadata(t *testing.T) {
	got := read(t, "text/html", sample, extract.Options{})
	if got.Title != "On quorums" || got.Language != "en-GB" {
		t.Errorf("Extract() has title %q and language %q, want On quorums and en-GB", got.Title, got.Language)
	}
	m := got.Metadata
	compact := string(m.JSONLD[0])
	m.JSONLD = nil
	want := extract.Metadata{
		Description: "What a quorum is", Author: "Ann Lee", SiteName: "Votes", Type: "article", Published: "2026-03-01", Modified: "2026-03-02",
		Image: "https://site.test/base/seal.png", Canonical: "https://site.test/quorum",
		Feeds:       []extract.Link{{Text: "News", Href: "https://site.test/feed.xml"}},
		OpenGraph:   map[string]string{"type": "article", "site_name": "Votes", "image": "seal.png"},
		JSONLDTypes: []string{"NewsArticle"},
	}
	if diff := cmp.Diff(want, m, cmpopts.IgnoreUnexported(extract.Metadata{})); diff != "" {
		t.Errorf("Extract().Metadata differs (-want +got):\n%s", diff)
	}
	if !strings.HasPrefix(compact, `{"@context":"https://schema.org","@graph":[{`) {
		t.Errorf("Extract().Metadata.JSONLD[0] = %s, want the block without spaces", compact)
	}
}

func TestTitleOf(t *testing.T) {
	for name, test := range map[string]struct{ page, want string }{
		"the title element":            {"<title>A &amp; B</title><h1>C</h1>", "A & B"},
		"the one for sharing":          {`<meta property="og:title" content="Shared"><h1>C</h1>`, "Shared"},
		"the first heading":            {"<h1>One <b>two</b></h1><h1>C</h1>", "One two"},
		"the title of a drawing":       {"<svg><title>Drawing</title></svg><h1>Page</h1>", "Page"},
		"a title that is far too long": {"<title>" + strings.Repeat("ä", 1000) + "</title>", strings.Repeat("ä", 300)},
		"none":                         {"<p>a", ""},
	} {
		t.Run(name, func(t *testing.T) {
			if got := read(t, "text/html", test.page, extract.Options{}).Title; got != test.want {
				t.Errorf("Extract(%.60q).Title = %q, want %q", test.page, got, test.want)
			}
		})
	}
}

func TestLinks(t *testing.T) {
	got := read(t, "text/html", sample, extract.Options{Format: extract.Links})
	var links []extract.Link
	if err := json.Unmarshal([]byte(got.Text), &links); err != nil {
		t.Fatal(err)
	}
	want := []extract.Link{{Text: "Home", Href: "https://site.test/"}, {Text: "two", Href: "https://site.test/base/two"}, {Text: "mail", Href: "mailto:a@b.test"}}
	if diff := cmp.Diff(want, links); diff != "" || got.Format != extract.Links {
		t.Errorf("Extract(links) is %s and differs (-want +got):\n%s", got.Format, diff)
	}
	for name, test := range map[string]struct{ contentType, body, want string }{
		"of text":               {"text/plain", "see https://a.test/b, and (http://c.test).", "https://a.test/b http://c.test"},
		"with brackets":         {"text/plain", "(see https://a.test/Go_(game), [https://a.test/b] and **https://a.test/c**)", "https://a.test/Go_(game) https://a.test/b https://a.test/c"},
		"before many brackets":  {"text/plain", "https://a.test/" + strings.Repeat(")", 3<<20), "https://a.test/"},
		"of JSON":               {"application/json", `{"a":"https:\/\/a.test\/b"}`, "https://a.test/b"},
		"of a page without any": {"text/html", "<p>a", ""},
		"with percent signs": {
			"text/html", `<a href=/50%-off>a</a><a href=https://a.test/%41%%zz%4?b=5%>b</a><a href=#5%>c</a><a href=http://a%b.test/>d</a><a href=http://a.test%>e</a>`,
			"https://site.test/50%25-off https://a.test/%41%25%25zz%254?b=5%25 https://site.test/dir/page#5%25",
		},
	} {
		t.Run(name, func(t *testing.T) {
			var links []extract.Link
			if err := json.Unmarshal([]byte(read(t, test.contentType, test.body, extract.Options{Format: extract.Links}).Text), &links); err != nil || links == nil {
				t.Fatalf("Extract(links) is no array: %v", err)
			}
			var hrefs []string
			for _, l := range links {
				hrefs = append(hrefs, l.Href)
			}
			if got := strings.Join(hrefs, " "); got != test.want {
				t.Errorf("Extract(%q, links) = %q, want %q", test.body, got, test.want)
			}
		})
	}
}

func TestLinksAreLeftOutWithAWarning(t *testing.T) {
	deep := strings.Repeat("<div>", 600) // is not parsed
	long := "https://a.test/" + strings.Repeat("x", 5000)
	for name, test := range map[string]struct {
		contentType, body string
		want              int
		whole             bool
	}{
		"of text":                      {"text/plain", numbered("https://a.test/%d ", 3000), 3000, true},
		"of a page that is not parsed": {"text/html", deep + numbered("<a href=/%d>x</a>", 3000), 3000, true},
		"that is too long":             {"text/plain", long + " https://a.test/", 1, false},
		"that are too many":            {"text/plain", numbered("https://a.test/"+strings.Repeat("x", 4000)+"%d ", 600), 519, false},
	} {
		got := read(t, test.contentType, test.body, extract.Options{Format: extract.Links})
		if n := strings.Count(got.Text, `"href"`); n != test.want || slices.Contains(got.Warnings, extract.WarnIncomplete) == test.whole {
			t.Errorf("Extract(links %s) has %d links and the warnings %v, want %d, and that this is all: %t", name, n, got.Warnings, test.want, test.whole)
		}
	}
}

func TestLinksOfAPageThatIsNotParsedAreItsLinks(t *testing.T) {
	page := "<!-- <a href=/no> --><base href=/base/><base href=/other/>" + strings.Repeat("<div>", 600) +
		`<script>"<a href=/no>"</script><abbr href=/no><a class=x data-href=/no title=">" HREF = 'one?a&amp;b'>x</a><a name=x><area href=two>`
	got := read(t, "text/html", page, extract.Options{Format: extract.Links})
	want := []extract.Link{{Href: "https://site.test/base/one?a&b"}, {Href: "https://site.test/base/two"}}
	var links []extract.Link
	if err := json.Unmarshal([]byte(got.Text), &links); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, links); diff != "" {
		t.Errorf("Extract(links) differs (-want +got):\n%s", diff)
	}
}

func TestFormats(t *testing.T) {
	for name, test := range map[string]struct {
		contentType, body string
		format            extract.Format
		want              string
		wantFormat        extract.Format
	}{
		"HTML as Markdown":                      {"text/html", "<h1>a</h1><p>b <i>c</i>", extract.Markdown, "# a\n\nb *c*", extract.Markdown},
		"HTML as text":                          {"text/html", "<h1>a</h1><p>b <i>c</i>", extract.Text, "a\n\nb c", extract.Text},
		"HTML as HTML":                          {"text/html", "<p class=x>b <a href=c onclick=d()>c</a>", extract.HTML, `<body><p>b <a href="https://site.test/dir/c">c</a></p></body>`, extract.HTML},
		"HTML as it is":                         {"text/html", "<p>b<script>c", extract.Raw, "<p>b<script>c", extract.Raw},
		"XHTML is HTML":                         {"application/xhtml+xml", "<p>a</p>", extract.Markdown, "a", extract.Markdown},
		"a broken parameter":                    {"text/html; charset", "<p>a", extract.Markdown, "a", extract.Markdown},
		"no type, with markup":                  {"", "<!doctype html><p>a", extract.Markdown, "a", extract.Markdown},
		"bytes that are HTML":                   {"application/octet-stream", "<!doctype html><p>a", extract.Markdown, "a", extract.Markdown},
		"bytes to be saved":                     {"application/force-download; name=a.csv", "a,b\n1,2", extract.Markdown, "a,b\n1,2", extract.Text},
		"a type that says nothing":              {"application/unknown", "<!doctype html><p>a", extract.Markdown, "a", extract.Markdown},
		"what is no type":                       {"html; charset=utf-8", "<!doctype html><p>a", extract.Markdown, "a", extract.Markdown},
		"a type without its semicolon":          {"Text/HTML charset=utf-8", "<p>a", extract.Markdown, "a", extract.Markdown},
		"JSON Lines are text":                   {"application/x-ndjson", "{\"a\":1}\n{\"a\":2}", extract.Markdown, "{\"a\":1}\n{\"a\":2}", extract.Text},
		"YAML of an API is text":                {"application/vnd.oai.openapi+yaml; version=3.1", "a: 1", extract.Text, "a: 1", extract.Text},
		"two headers that a proxy joined":       {"text/html, text/html; charset=utf-8", "<p>a", extract.Markdown, "a", extract.Markdown},
		"text stays as it is":                   {"text/plain", "a *b* <c>", extract.Markdown, "a *b* <c>", extract.Text},
		"Markdown stays Markdown":               {"text/markdown", "# a", extract.Markdown, "# a", extract.Markdown},
		"JSON as text":                          {"application/json", `{"a":[1]}`, extract.Text, "{\n  \"a\": [\n    1\n  ]\n}", extract.Text},
		"JSON as JSON":                          {"application/json", `{"a":1.0e5}`, extract.JSON, "{\n  \"a\": 1.0e5\n}", extract.JSON},
		"JSON as it is":                         {"application/json", `{"a":1}`, extract.Raw, `{"a":1}`, extract.Raw},
		"JSON is fenced in Markdown":            {"application/ld+json", `"` + "```" + `"`, extract.Markdown, "````json\n\"```\"\n````", extract.Markdown},
		"broken JSON stays in its fence":        {"application/json", "{\"a\":\n``\u200b`\n# b", extract.Markdown, "````json\n{\"a\":\n```\n# b\n````", extract.Markdown},
		"broken JSON stays as it is":            {"application/json", `{"a":`, extract.JSON, `{"a":`, extract.JSON},
		"JSON that would be mostly indentation": {"application/json", strings.Repeat("[", 60) + strings.Repeat("0,", 10_000) + "0" + strings.Repeat("]", 60), extract.Text, strings.Repeat("[", 60) + strings.Repeat("0,", 10_000) + "0" + strings.Repeat("]", 60), extract.Text},
		"JSON that nests is not changed":        {"application/json", strings.Repeat("[", 100) + strings.Repeat("]", 100), extract.Text, strings.Repeat("[", 100) + strings.Repeat("]", 100), extract.Text},
		"XML that is no feed":                   {"application/xml", "<a>b</a>", extract.Markdown, "<a>b</a>", extract.Text},
		"invisible characters":                  {"text/plain", "a\u200bb\u202ec\U000e0041\u2066d\x00", extract.Text, "abcd", extract.Text},
	} {
		t.Run(name, func(t *testing.T) {
			got := read(t, test.contentType, test.body, extract.Options{Format: test.format})
			if got.Text != test.want || got.Format != test.wantFormat {
				t.Errorf("Extract(%q) = %q as %s, want %q as %s", test.body, got.Text, got.Format, test.want, test.wantFormat)
			}
		})
	}
}

func TestFramesAreLinks(t *testing.T) {
	page := `<title>T</title><frameset cols="50%,50%"><frame src="menu.html" name="menu"><frameset><frame src="/text" title="The text"><frame></frameset><noframes>no frames</noframes></frameset>`
	if got, want := read(t, "text/html", page, extract.Options{}), "- [menu](https://site.test/dir/menu.html)\n- [The text](https://site.test/text)"; got.Text != want {
		t.Errorf("Extract(frames) = %q, want %q", got.Text, want)
	}
	if got := read(t, "text/html", page, extract.Options{Format: extract.Links}); !strings.Contains(got.Text, `"https://site.test/dir/menu.html"`) {
		t.Errorf("Extract(frames, links) = %s, want those of the frames", got.Text)
	}
}

func TestInvisibleCharactersHideNoMarkup(t *testing.T) {
	t.Parallel()
	css := func(expression string) extract.Selector {
		return extract.Selector{Kind: extract.CSS, Expression: expression}
	}
	for name, test := range map[string]struct {
		page string
		o    extract.Options
		want string
	}{
		"the name of an element":             {"<p>a<sc\x01ript>b</sc\x01ript>", extract.Options{Format: extract.HTML}, "<body><p>a<span>b</span></p></body>"},
		"the name of a selected element":     {"<p>a<sc\x01ript>b</sc\x01ript>", extract.Options{Format: extract.HTML, Selector: css("p")}, "<p>a<span>b</span></p>"},
		"the name of an attribute, as it is": {"<p><b on\x01click=c>d</b>", extract.Options{Format: extract.Raw, Selector: css("b")}, `<b onclick="c">d</b>`},
		"the end of a block of code":         {"<pre>a\n``\u200b`\nb</pre>", extract.Options{}, "````\na\n```\nb\n````"},
		"a heading":                          {"<p>\u200b# a", extract.Options{}, `\# a`},
		"an attribute":                       {"<img alt='a]\u202e(b' src=/c>", extract.Options{}, `![a\](b](https://site.test/c)`},
	} {
		content := read(t, "text/html", test.page, test.o)
		if content.Text != test.want || !slices.Contains(content.Warnings, extract.WarnInvisible) {
			t.Errorf("%s: Extract(%q) = %q with %v, want %q with %s", name, test.page, content.Text, content.Warnings, test.want, extract.WarnInvisible)
		}
	}
}

func TestHTMLAsJSON(t *testing.T) {
	got := read(t, "text/html", sample, extract.Options{Format: extract.JSON})
	var described struct {
		Title, Language, Content string
		Metadata                 struct{ Author string }
	}
	if err := json.Unmarshal([]byte(got.Text), &described); err != nil {
		t.Fatal(err)
	}
	if described.Title != "On quorums" || described.Language != "en-GB" || described.Metadata.Author != "Ann Lee" || !strings.Contains(described.Content, "[two](https://site.test/base/two)") {
		t.Errorf("Extract(JSON) = %s, want title, language, author and Markdown", got.Text)
	}
}

func TestExtractRefuses(t *testing.T) {
	for name, test := range map[string]struct {
		contentType, body string
		options           extract.Options
		reason            string
	}{
		"an image": {"image/png", "\x89PNG", extract.Options{}, extract.ReasonContentType},
		"an image that is told to be a page": {
			"text/html", "\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR\x00\x00\x01\x2c\x00\x00\x00\x96\x08\x02\x00\x00\x00", extract.Options{}, extract.ReasonContentType,
		},
		"an unknown format":         {"text/html", "a", extract.Options{Format: "docx"}, extract.ReasonFormat},
		"a broken PDF":              {"application/pdf", "%PDF-1.4 nothing", extract.Options{}, extract.ReasonInvalid},
		"a PDF without text":        {"application/pdf", string(pdf(deflate("", "", 0)).Data), extract.Options{}, extract.ReasonInvalid},
		"CSS on a PDF":              {"application/pdf", "%PDF", extract.Options{Selector: extract.Selector{Expression: "p"}}, extract.ReasonSelector},
		"CSS on text":               {"text/plain", "a", extract.Options{Selector: extract.Selector{Expression: "p"}}, extract.ReasonSelector},
		"CSS on JSON":               {"application/json", "{}", extract.Options{Selector: extract.Selector{Expression: "p"}}, extract.ReasonSelector},
		"JSONPath on HTML":          {"text/html", "a", extract.Options{Selector: extract.Selector{Kind: extract.JSONPath, Expression: "$"}}, extract.ReasonSelector},
		"CSS that cannot be read":   {"text/html", "a", extract.Options{Selector: extract.Selector{Expression: "p["}}, extract.ReasonSelector},
		"XPath that cannot be read": {"text/html", "a", extract.Options{Selector: extract.Selector{Kind: extract.XPath, Expression: "//p["}}, extract.ReasonSelector},
		"XPath that makes text of nothing": {
			"text/html", "<p>a", extract.Options{Selector: extract.Selector{Kind: extract.XPath, Expression: "replace(replace('', '', '" + strings.Repeat("x", 1000) + "'), '', '" + strings.Repeat("x", 1000) + "')"}}, extract.ReasonSelector,
		},
		"XPath that joins":             {"text/html", "<p>a", extract.Options{Selector: extract.Selector{Kind: extract.XPath, Expression: "string-join\u2003(//p, 'x')"}}, extract.ReasonSelector},
		"XPath with a pattern":         {"text/html", "<p>a", extract.Options{Selector: extract.Selector{Kind: extract.XPath, Expression: "//p[matches(., '([ab]*a){300}c')]"}}, extract.ReasonSelector},
		"JSONPath that cannot be read": {"application/json", "{}", extract.Options{Selector: extract.Selector{Kind: extract.JSONPath, Expression: "$["}}, extract.ReasonSelector},
		"JSONPath on broken JSON":      {"application/json", "{", extract.Options{Selector: extract.Selector{Kind: extract.JSONPath, Expression: "$"}}, extract.ReasonInvalid},
		"JSONPath on several values":   {"application/json", "{\"a\":1}\n{\"a\":2}", extract.Options{Selector: extract.Selector{Kind: extract.JSONPath, Expression: "$.a"}}, extract.ReasonInvalid},
		"JSONPath on JSON that nests":  {"application/json", strings.Repeat("[", 2000), extract.Options{Selector: extract.Selector{Kind: extract.JSONPath, Expression: "$"}}, extract.ReasonTooComplex},
		"JSONPath on endless values":   {"application/json", "[" + strings.Repeat("0,", 1_000_000) + "0]", extract.Options{Selector: extract.Selector{Kind: extract.JSONPath, Expression: "$[0]"}}, extract.ReasonTooComplex},
		"JSONPath to the same many times": {
			"application/json", strings.Repeat(`{"a":`, 20) + `"` + strings.Repeat("x", 1<<20) + `"` + strings.Repeat("}", 20),
			extract.Options{Selector: extract.Selector{Kind: extract.JSONPath, Expression: "$..*"}},
			extract.ReasonTooComplex,
		},
		"CSS with a pattern":             {"text/html", "<p>a", extract.Options{Selector: extract.Selector{Expression: "p:m\\61tches(([ab]*a){300}c)"}}, extract.ReasonSelector},
		"CSS with a pattern of values":   {"text/html", "<p>a", extract.Options{Selector: extract.Selector{Expression: "p[id#=(a*b){300}]"}}, extract.ReasonSelector},
		"CSS with hidden combinators":    {"text/html", "<p>a", extract.Options{Selector: extract.Selector{Expression: `[a="]'"]` + strings.Repeat(" ~ p", 20) + ` [b="'"]`}}, extract.ReasonSelector},
		"CSS with a hidden name":         {"text/html", "<p>a", extract.Options{Selector: extract.Selector{Expression: `:h\61s(:h\61s(p))`}}, extract.ReasonSelector},
		"CSS that matches nothing":       {"text/html", "<p>a", extract.Options{Selector: extract.Selector{Expression: "table"}}, extract.ReasonNoMatch},
		"XPath that matches nothing":     {"text/html", "<p>a", extract.Options{Selector: extract.Selector{Kind: extract.XPath, Expression: "//table"}}, extract.ReasonNoMatch},
		"JSONPath that matches nothing":  {"application/json", "{}", extract.Options{Selector: extract.Selector{Kind: extract.JSONPath, Expression: "$.a"}}, extract.ReasonNoMatch},
		"a selector that is too long":    {"text/html", "<p>a", extract.Options{Selector: extract.Selector{Expression: strings.Repeat("p,", 3000) + "p"}}, extract.ReasonSelector},
		"CSS on a page that is too deep": {"text/html", strings.Repeat("<div>", 600), extract.Options{Selector: extract.Selector{Expression: "p"}}, extract.ReasonTooComplex},
	} {
		t.Run(name, func(t *testing.T) {
			if _, err := extract.Extract(t.Context(), source(test.contentType, test.body), test.options); fault.ReasonOf(err) != test.reason {
				t.Errorf("Extract(%.40q) = %v (%s), want %s", test.body, err, fault.ReasonOf(err), test.reason)
			}
		})
	}
}

func TestTheEndOfTheContextIsItsError(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for _, contentType := range []string{"text/html", "application/pdf", "application/json"} {
		if _, err := extract.Extract(ctx, source(contentType, "<p>a"), extract.Options{}); !errors.Is(err, context.Canceled) {
			t.Errorf("Extract(%s) = %v, want context.Canceled", contentType, err)
		}
	}
}

func TestComplexPagesAreReadAsText(t *testing.T) {
	page := "<title>Deep</title>" + strings.Repeat("<div>", 600) + "<p>first &amp; second<script>no</script><p>third <a href=/there>link</a>"
	got := read(t, "text/html", page, extract.Options{})
	if got.Text != "first & second\nthird link" || got.Title != "Deep" || got.Extractor != extract.ByTokens || got.Format != extract.Text || len(got.Warnings) != 1 || got.Warnings[0] != extract.WarnComplex {
		t.Errorf("Extract() = %+v, want the text of the tokens, and that it is", got)
	}
	links := read(t, "text/html", page, extract.Options{Format: extract.Links})
	if !strings.Contains(links.Text, "https://site.test/there") {
		t.Errorf("Extract(links) = %s, want the link", links.Text)
	}
}
