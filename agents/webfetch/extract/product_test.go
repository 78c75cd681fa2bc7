package extract_test

import (
	"strings"
	"testing"

	"github.com/quorate/quorate/agents/webfetch/extract"
)

func TestAProductHasItsPrice(t *testing.T) {
	t.Parallel()
	const facts = `<div class="info"><div><h1>Pine crate</h1></div><div class="price"><span>$49.00</span></div><p>In stock</p><div><a href="/size">Sizes</a></div><button>Add to cart</button></div>`
	text := `<div class="description">` + strings.Repeat("<p>"+sentence+"</p>", 6) + "</div>"
	for name, test := range map[string]struct {
		head, body string
		kept       bool
	}{
		"that OpenGraph says":  {`<meta property="og:type" content="product">`, facts + text, true},
		"that JSON-LD says":    {`<script type="application/ld+json">{"@type":"Product","name":"Pine crate"}</script>`, facts + text, true},
		"that its markup says": {"", `<div itemscope itemtype="https://schema.org/Product">` + facts + text + "</div>", true},
		"but no category":      {"", facts + text + `<div itemscope itemtype="https://schema.org/Product"><h2>Oak crate</h2></div>`, false},
		"but no other page":    {"", facts + text, false},
		"nor a review of one":  {`<meta property="og:type" content="product"><script type="application/ld+json">{"@type":"NewsArticle"}</script>`, facts + text, false},
	} {
		page := "<html><head>" + test.head + "</head><body><main>" + test.body + "</main></body></html>"
		got := read(t, "text/html", page, extract.Options{}).Text
		for _, fact := range []string{"$49.00", "In stock"} {
			if strings.Contains(got, fact) != test.kept {
				t.Errorf("%s: Extract() = %s\nwant that %q is in it: %t", name, got, fact, test.kept)
			}
		}
		if strings.Contains(got, "Add to cart") || test.kept && strings.Contains(got, "Sizes") || !strings.Contains(got, strings.TrimSpace(sentence)) {
			t.Errorf("%s: Extract() = %s\nwant the text without controls and links", name, got)
		}
	}
}
