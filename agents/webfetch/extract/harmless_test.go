package extract_test

import (
	"slices"
	"strings"
	"testing"

	"golang.org/x/net/html"

	"github.com/quorate/quorate/agents/webfetch/extract"
	"github.com/quorate/quorate/platform/fault"
)

// hostileMarkup are pages that run a script for whoever shows what careless code wrote from their trees.
var hostileMarkup = []string{
	"<body onload=run()>text",
	"<xmp></xm\x01p><img src=x onerror=run()></xmp>",
	"<plaintext></plain\x01text><img src=x onerror=run()>",
	"<x\x01mp><p title=\"</xmp><img src=x onerror=run()>\">text</x\x01mp>",
	"<text\x01area><p title=\"</textarea><img src=x onerror=run()>\">text</text\x01area>",
	"<sty\x01le><!--</sty\x01le><img title=\"--></style><img src=x onerror=run()>\">",
	"<svg\x01><style><a title=\"</style><img src=x onerror=run()>\">",
	"<ma\x01th><mi><style><a title=\"</style><img src=x onerror=run()>\">",
	"<math><mtext><table><mglyph><style><!--</style><img title=\"--&gt;&lt;img src=x onerror=run()&gt;\"></table></mtext></math>",
	"<form><math><mtext></form><form><mglyph><style></math><img src onerror=run()>",
	"<math><annotation-xml encoding=text/html><xmp><!--</xmp><img title=\"--></xmp><img src=x onerror=run()>\">",
	"<math><mglyph><svg><mtext><textarea><path id=\"</textarea><img src=x onerror=run()>\">",
	"<math><xmp>&lt;/math&gt;&lt;img src=x onerror=run()&gt;</xmp></math>",
	"<math href=javascript:run()><mi xlink:href=javascript:run()>text</mi><a href=javascript:run()>text</a></math>",
	"<select><template><img src=x onerror=run()></template><style></select><b><img src=x onerror=run()></style>",
	"<p \x01onclick=run() on\x01click=run() style=x:y>text<details open ontoggle=run()>text</details>",
	"<a href=\"java\x01script:run()\">text</a><a href=&#x6A;avascript:run()>text</a><q cite=javascript:run()>text</q>",
	"<base href=javascript:run()//><a href=x>text</a><meta http-equiv=refresh content='0;url=javascript:run()'><link rel=import href=x>",
	"<form action=javascript:run()><button formaction=javascript:run()>text</button><input type=image src=x formaction=javascript:run()>text</form>",
	"<iframe srcdoc='<script>run()</script>'></iframe><object data=javascript:run()></object><embed src=javascript:run()><applet code=run>text</applet>",
	"<frameset onload=run()><frame src=javascript:run()></frameset>",
	"<x-card onclick=run()>text</x-card><marquee onstart=run()>text</marquee><div is=x-card background=javascript:run()>text</div>",
}

// harmless checks that HTML made of page runs nothing, also when it is read and written again.
func harmless(t *testing.T, page, text string) {
	t.Helper()
	for again := range 2 {
		root, err := html.Parse(strings.NewReader(text))
		if err != nil {
			return // deeper than the parser goes
		}
		for n := range root.Descendants() {
			if n.Type != html.ElementNode {
				continue
			}
			if n.Namespace != "" && n.Namespace != "math" || slices.Contains(notContent, n.Data) {
				t.Errorf("Extract(%q) = %q, read %d times, want no element %s", page, text, again+1, n.Data)
			}
			for _, a := range n.Attr {
				if a.Namespace != "" || !slices.Contains(telling, a.Key) || (a.Key == "href" || a.Key == "src") && !followed(a.Val) {
					t.Errorf("Extract(%q) = %q, read %d times, want no attribute %s=%q", page, text, again+1, a.Key, a.Val)
				}
			}
		}
		var out strings.Builder
		if err := html.Render(&out, root); err != nil {
			t.Errorf("Extract(%q) = %q cannot be written again: %v", page, text, err)
		}
		text = out.String()
	}
}

// notContent are elements that load, run, ask or are read in a way of their own.
var notContent = strings.Fields(`script style link meta base title svg mglyph malignmark annotation-xml template noscript noembed noframes xmp plaintext listing
iframe frame frameset object embed applet param audio video source track canvas form fieldset input button select option textarea keygen portal marquee x-card`)

// telling are the attributes that say something about content.
var telling = strings.Fields("alt title lang dir colspan rowspan start reversed datetime class href src")

func followed(link string) bool {
	scheme, _, _ := strings.Cut(link, ":")
	return slices.Contains([]string{"http", "https", "mailto", "tel"}, scheme)
}

func TestHTMLRunsNothing(t *testing.T) {
	for _, markup := range hostileMarkup {
		for _, page := range []string{markup, "<h1>A title</h1><article onclick=run()>" + filler + markup + filler} {
			for _, selector := range []string{"", "*", "body", "p", "math *", "xmp", "mtext", "img", "a", "form"} {
				got, err := extract.Extract(t.Context(), source("text/html; charset=utf-8", page), extract.Options{Format: extract.HTML, Selector: extract.Selector{Expression: selector}})
				if fault.ReasonOf(err) == extract.ReasonNoMatch {
					continue
				}
				if err != nil {
					t.Errorf("Extract(%q, selector %q) = %v, want content", page, selector, err)
				}
				harmless(t, page, got.Text)
			}
		}
	}
}

func TestAttributesAreNoPlaceForLongText(t *testing.T) {
	long := strings.Repeat("word ", 1000)
	page := "<p><img src=/a alt='" + long + "' title='" + long + "'><a href=/b title='" + long + "'>c</a><time datetime='" + long + "'>d</time>"
	for _, format := range []extract.Format{extract.Markdown, extract.HTML} {
		if got := read(t, "text/html", page, extract.Options{Format: format}); len(got.Text) > 3500 || !strings.Contains(got.Text, long[:900]) {
			t.Errorf("Extract(%s) has %d bytes, want the first 1,000 of each attribute", format, len(got.Text))
		}
	}
}

func TestFormulasStay(t *testing.T) {
	const formula = "<math><msup><mi>x</mi><mn>2</mn></msup><mo>=</mo><mfrac><mn>1</mn><mi>y</mi></mfrac></math>"
	got := read(t, "text/html", "<p>The sum is "+formula+" for all.</p>", extract.Options{Format: extract.HTML})
	if !strings.Contains(got.Text, formula) {
		t.Errorf("Extract() = %s, want it to contain %s", got.Text, formula)
	}
}
