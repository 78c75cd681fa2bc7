package extract_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/quorate/quorate/agents/webfetch/extract"
)

const (
	rss = `<?xml version="1.0" encoding="ISO-8859-1"?><rss version="2.0" xmlns:atom="http://www.w3.org/2005/Atom"><channel><title>News of votes</title><link>https://site.test/</link><atom:link href="https://site.test/rss" rel="self"/>
<item><title>First &amp; best</title><link>/one</link><pubDate>Mon, 02 Mar 2026 10:00:00 GMT</pubDate><description><![CDATA[<p>What <b>happened</b></p>]]></description></item>
<item><guid>https://site.test/two</guid><title>Second</title></item></channel></rss>`
	atomFeed = `<feed xmlns="http://www.w3.org/2005/Atom"><title>News</title><link rel="self" href="/atom"/><link href="https://site.test/"/>
<entry><title type="html">One</title><link rel="enclosure" href="/x.mp3"/><link href="/one"/><updated>2026-03-02</updated><summary>What happened</summary></entry></feed>`
	rdf     = `<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns="http://purl.org/rss/1.0/"><channel><title>News</title></channel><item><title>One</title><link>https://site.test/one</link></item></rdf:RDF>`
	sitemap = `<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"><url><loc>https://site.test/one</loc><lastmod>2026-03-02</lastmod></url><url><loc>https://site.test/two</loc></url></urlset>`
	index   = `<sitemapindex><sitemap><loc>https://site.test/a.xml</loc></sitemap></sitemapindex>`
)

func TestFeedsAndSitemaps(t *testing.T) {
	for name, test := range map[string]struct {
		contentType, body string
		format            extract.Format
		want, wantTitle   string
	}{
		"RSS as Markdown":        {"application/rss+xml", rss, extract.Markdown, "# News of votes\n\n- [First & best](https://site.test/one)\n  \n  Mon, 02 Mar 2026 10:00:00 GMT\n  \n  What happened\n- [Second](https://site.test/two)", "News of votes"},
		"RSS as text":            {"text/xml", rss, extract.Text, "News of votes\n\n- First & best\nMon, 02 Mar 2026 10:00:00 GMT\nWhat happened\n- Second", "News of votes"},
		"RSS of a file host":     {"text/plain", rss, extract.Links, "[\n  {\n    \"text\": \"First & best\",\n    \"href\": \"https://site.test/one\"\n  },\n  {\n    \"text\": \"Second\",\n    \"href\": \"https://site.test/two\"\n  }\n]", "News of votes"},
		"Atom":                   {"application/atom+xml", atomFeed, extract.Markdown, "# News\n\n- [One](https://site.test/one)\n  \n  2026-03-02\n  \n  What happened", "News"},
		"RDF":                    {"application/rdf+xml", rdf, extract.Markdown, "# News\n\n- [One](https://site.test/one)", "News"},
		"a sitemap":              {"application/xml", sitemap, extract.Links, "[\n  {\n    \"text\": \"\",\n    \"href\": \"https://site.test/one\"\n  },\n  {\n    \"text\": \"\",\n    \"href\": \"https://site.test/two\"\n  }\n]", ""},
		"RSS called HTML":        {"text/html; charset=utf-8", rss, extract.Text, "News of votes\n\n- First & best\nMon, 02 Mar 2026 10:00:00 GMT\nWhat happened\n- Second", "News of votes"},
		"Atom called HTML":       {"text/html", "\ufeff\n<!-- made by hand -->\n" + atomFeed, extract.Text, "News\n\n- One\n2026-03-02\nWhat happened", "News"},
		"RDF called HTML":        {"text/html", rdf, extract.Text, "News\n\n- One", "News"},
		"a sitemap called HTML":  {"text/html", `<?xml version="1.0"?><?xml-stylesheet href="a.xsl"?>` + index, extract.Text, "- https://site.test/a.xml", ""},
		"HTML with such a tag":   {"text/html", "text <rss><channel><title>T</title></channel></rss>", extract.Text, "text", "T"},
		"an index":               {"application/xml", index, extract.Markdown, "- [https://site.test/a.xml](https://site.test/a.xml)", ""},
		"entries without a link": {"application/rss+xml", "<rss><channel><item><title>One</title></item><item><description>Two</description><guid>2</guid></item><item/></channel></rss>", extract.Markdown, "- One\n- Two", ""},
		"links of such entries":  {"application/rss+xml", "<rss><channel><title>T</title><item><title>One</title></item></channel></rss>", extract.Links, "[]", "T"},
		"text that holds markup": {
			"application/atom+xml", `<feed><title type="xhtml"><div>Some <b>n</b>ews</div></title><entry><title type="xhtml"><div>One</div></title><link href="/one"/><summary type="xhtml"><p>What<link href="/no"/></p><p>happened</p></summary></entry></feed>`,
			extract.Markdown, "# Some news\n\n- [One](https://site.test/one)\n  \n  What happened", "Some news",
		},
		"RSS with whole texts": {
			"application/rss+xml", `<rss xmlns:content="http://purl.org/rss/1.0/modules/content/"><channel><item><title>One</title><description>What happened</description><content:encoded><![CDATA[<p>All of it</p>]]></content:encoded></item>
<item><title>Two</title><content:encoded><![CDATA[<h2>Votes</h2><p>And <b>more</b></p><script>no()</script>]]></content:encoded></item><item><content:encoded>&lt;p&gt;Three&lt;/p&gt;</content:encoded><description/></item>
<item><title>Four</title><content:encoded>Votes again</content:encoded><media:content xmlns:media="http://search.yahoo.com/mrss/" url="/x.jpg"><media:title>A picture</media:title></media:content></item></channel></rss>`,
			extract.Markdown, "- One\n  \n  What happened\n- Two\n  \n  Votes And more\n- Three\n- Four\n  \n  Votes again", "",
		},
		"Atom with whole texts": {
			"application/atom+xml", `<feed><title>News</title><entry><title>One</title><content type="xhtml"><div><p>What</p><p>happened</p></div></content></entry><entry><title>Two</title><content type="html">&lt;p&gt;too&lt;/p&gt;</content></entry></feed>`,
			extract.Markdown, "# News\n\n- One\n  \n  What happened\n- Two\n  \n  too", "News",
		},
		"extensions that say less": {
			"application/rss+xml", `<rss xmlns:media="http://search.yahoo.com/mrss/" xmlns:itunes="http://www.itunes.com/dtds/podcast-1.0.dtd"><channel>
<item><title>One</title><media:title>A photo</media:title><description>What happened</description><media:description>Ann walks</media:description></item>
<item><title>Two</title><itunes:title>2</itunes:title><description>And more</description><itunes:summary/></item>
<item><title>Three</title><media:group><media:title>A film</media:title><media:description>What is seen</media:description></media:group></item></channel></rss>`,
			extract.Markdown, "- One\n  \n  What happened\n- Two\n  \n  And more\n- Three\n  \n  What is seen", "",
		},
		"episodes": {
			"application/rss+xml", `<rss><channel><item><title>One</title><enclosure url="https://site.test/1.mp3"/></item><item><title>Two</title><enclosure url="/2.mp3"/><link>/two</link></item></channel></rss>`,
			extract.Markdown, "- [One](https://site.test/1.mp3)\n- [Two](https://site.test/two)", "",
		},
		"Atom about markup": {
			"application/atom+xml", `<feed><title>In &lt;b&gt;</title><entry><title type="text">The &lt;p&gt; element</title><summary type="html">&lt;b&gt;All&lt;/b&gt; of &amp;lt;p&amp;gt;</summary></entry><entry><title type="xhtml"><div>See &lt;i&gt; and <i>it</i></div></title></entry></feed>`,
			extract.Text, "In <b>\n\n- The <p> element\nAll of <p>\n- See <i> and it", "In <b>",
		},
		"Atom with bases": {
			"application/atom+xml", `<feed xml:base="https://blog.test/a/"><entry xml:base="b/"><title>One</title><link xml:base="c/" href="one"/></entry><entry><title>Two</title><link href="two"/></entry></feed>`,
			extract.Markdown, "- [One](https://blog.test/a/b/c/one)\n- [Two](https://blog.test/a/two)", "",
		},
		"Atom of a planet": {
			"application/atom+xml", `<feed><entry><source><title>Blog</title><link href="https://blog.test/"/></source><title>One</title><link href="https://blog.test/one"/></entry></feed>`,
			extract.Markdown, "- [One](https://blog.test/one)", "",
		},
		"characters that XML has not": {"application/rss+xml", "<rss><channel><item><title>O\x08ne\x00</title></item><item><title>Two</title></item></channel></rss>", extract.Markdown, "- One\n- Two", ""},
		"a feed that ends":            {"application/rss+xml", rss[:strings.Index(rss, "<item><guid>")+20], extract.Text, "News of votes\n\n- First & best\nMon, 02 Mar 2026 10:00:00 GMT\nWhat happened", "News of votes"},
	} {
		t.Run(name, func(t *testing.T) {
			got := read(t, test.contentType, test.body, extract.Options{Format: test.format})
			if got.Text != test.want || got.Title != test.wantTitle {
				t.Errorf("Extract() = %q, %q, want %q, %q", got.Title, got.Text, test.wantTitle, test.want)
			}
		})
	}
}

func TestASummaryThatIsCutSaysSo(t *testing.T) {
	for text, want := range map[string]string{
		strings.Repeat("字", 500):                  strings.Repeat("字", 500),
		strings.Repeat("字", 501):                  strings.Repeat("字", 499) + "…",
		strings.Repeat("a", 498) + " " + sentence: strings.Repeat("a", 498) + "…",
	} {
		for _, name := range []string{"description", "content:encoded"} {
			feed := "<rss><channel><item><title>One</title><" + name + "><![CDATA[<p>" + text + "</p>]]></" + name + "></item></channel></rss>"
			if got := read(t, "application/rss+xml", feed, extract.Options{Format: extract.Text}).Text; got != "- One\n"+want {
				t.Errorf("Extract(a feed with %.600s) = %q, want %q", text, got, want)
			}
		}
	}
}

func TestAFeedOfWhichEntriesAreMissingSaysSo(t *testing.T) {
	for name, test := range map[string]struct {
		body  string
		whole bool
	}{
		"whole":                  {rss, true},
		"whole, and space after": {rss + "\n", true},
		"cut":                    {rss[:len(rss)-40], false},
		"broken":                 {strings.Replace(rss, "<guid>", "<<guid>", 1), false},
	} {
		if got := read(t, "application/rss+xml", test.body, extract.Options{}); slices.Contains(got.Warnings, extract.WarnIncomplete) == test.whole {
			t.Errorf("%s: Extract() = %q, %v, want that it is whole: %t", name, got.Text, got.Warnings, test.whole)
		}
	}
}

func TestPDF(t *testing.T) {
	file := string(pdf(deflate("BT /F1 12 Tf 72 720 Td (A quorum is needed, see https://site.test/rules) Tj ET", "", 0)).Data)
	for _, contentType := range []string{"application/pdf", "application/octet-stream", ""} {
		got := read(t, contentType, file, extract.Options{})
		if got.Text != "A quorum is needed, see https://site.test/rules" || got.Format != extract.Text || got.Title != "A report" {
			t.Errorf("Extract(%q) = %q as %s with title %q, want the text of the page", contentType, got.Text, got.Format, got.Title)
		}
	}
	if got := read(t, "application/pdf", file, extract.Options{Format: extract.Links}); !strings.Contains(got.Text, `"https://site.test/rules"`) {
		t.Errorf("Extract(links) = %s, want the link in the text", got.Text)
	}
}

func TestAPDFOfWhichPagesAreMissingSaysSo(t *testing.T) {
	page := func(content string) []byte { return deflate(content, "", 0) }
	one, broken, three := page("BT /F1 12 Tf (One) Tj ET"), page("BT (of) (two) Tj ET"), page("BT /F1 12 Tf (Three) Tj ET")
	for name, test := range map[string]struct {
		file    extract.Source
		want    string
		missing bool
	}{
		"a page that cannot be read":  {pdfOf(3, one, broken, three), "One\n\nThree", true},
		"more pages than can be read": {pdfOf(2001, one), "One", true},
		"pages that all can be read":  {pdfOf(2, one, three), "One\n\nThree", false},
		"a page that holds no text":   {pdfOf(2, one, page("")), "One", false},
	} {
		got, err := extract.Extract(t.Context(), test.file, extract.Options{})
		if got.Text != test.want || slices.Contains(got.Warnings, extract.WarnIncomplete) != test.missing {
			t.Errorf("%s: Extract() = %q, %v, %v, want %q, and that pages are missing: %t", name, got.Text, got.Warnings, err, test.want, test.missing)
		}
	}
	if _, err := extract.Extract(t.Context(), pdfOf(1, broken), extract.Options{}); !strings.Contains(fmt.Sprint(err), "cannot be read") {
		t.Errorf("Extract() of a file without a page that can be read = %v, want that it says so", err)
	}
}

// TestAFeedShowsWhatItsReadersSee has texts for models only in summaries and titles.
func TestAFeedShowsWhatItsReadersSee(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct{ contentType, summary, want string }{
		"HTML":                     {"rss", `<p>See</p><div STYLE="display: none">no <div>no</div> no</div><p>this</p>`, "See this"},
		"an attribute":             {"rss", `<span hidden>no</span>this<img hidden> too <b aria-hidden="true">no</b>`, "this too"},
		"a word of an attribute":   {"rss", `<a title="hidden" class="style">this</a>`, "this"},
		"a paragraph without end":  {"rss", `<p style="display:none">no<br>no<p>this`, "this"},
		"an element without end":   {"rss", `this <i hidden>no <p>no`, "this"},
		"what is shown later":      {"rss", `<body style="opacity:0">this`, "this"},
		"a style that hides none":  {"rss", `<p style="display:block">this</p>`, "this"},
		"XHTML":                    {"atom", `<p>See</p><div style="display:none">no <div>no</div> no</div><p>this</p>`, "See this"},
		"XHTML with an attribute":  {"atom", `<b hidden="">no<i>no</i></b>this`, "this"},
		"XHTML at the end, hidden": {"atom", `this<b hidden="">no</b>`, "this"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			body := `<rss><channel><title>T</title><item><title>One</title><description><![CDATA[` + test.summary + `]]></description></item><item><title>Two</title></item></channel></rss>`
			if test.contentType == "atom" {
				body = `<feed><title>T</title><entry><title>One</title><summary type="xhtml">` + test.summary + `</summary></entry><entry><title>Two</title></entry></feed>`
			}
			got, err := extract.Extract(t.Context(), extract.Source{Data: []byte(body), ContentType: "application/xml"}, extract.Options{Format: extract.Text})
			if want := "T\n\n- One\n" + test.want + "\n- Two"; err != nil || got.Text != want {
				t.Errorf("Extract() = %q, %v, want %q", got.Text, err, want)
			}
		})
	}
}
