package extract

import (
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"unicode"

	"codeberg.org/readeck/go-readability"
	"github.com/markusmobius/go-trafilatura"
	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// articleNode returns the main content of root as found by the readability stage, or an error when it finds none. visible is the number of bytes of
// text on the page that can be content. The returned tree is plainer than root, which is not changed: attributes, images and levels of lists are
// lost.
//
// go-trafilatura compares its result with that of go-readability. It is first run alone, because most often its result is clear before the other one
// is needed.
func articleNode(root *html.Node, page *url.URL, visible int) (found *html.Node, err error) {
	defer func() {
		if p := recover(); p != nil { // both libraries index into trees that a hostile page controls
			found, err = nil, fmt.Errorf("the readability stage broke: %v", p)
		}
	}()
	base := &url.URL{Scheme: page.Scheme, Host: page.Host} // links are not taken from the result, and a long base would make each of them long
	options := trafilatura.Options{OriginalURL: base, HtmlDateMode: trafilatura.Disabled}
	if mostlyCJK(root) {
		options.Config = trafilatura.DefaultConfig()
		options.Config.MinExtractedSize /= 2 // a Chinese or Japanese article says as much in half the characters
	}
	own, err := trafilatura.ExtractDocument(reduced(root, filledHead()), options)
	if err == nil && own.ContentNode != nil && own.ContentText != nothingFound {
		return better(own.ContentNode, root, base, visible), nil
	}
	options.EnableFallback = true
	options.FallbackCandidates = &trafilatura.FallbackCandidates{
		Readability: candidate(root, base),
		Distiller:   element(atom.Div), // costs more than it yields
	}
	both, err := trafilatura.ExtractDocument(reduced(root, nil), options)
	if err != nil {
		return nil, fmt.Errorf("find the article: %w", err)
	}
	if both.ContentNode == nil {
		return nil, errNoArticle
	}
	return both.ContentNode, nil
}

var errNoArticle = errors.New("the page has no article")

// better returns own or, if it is better, the result of go-readability. The rule is go-trafilatura's: the other result must be twice as long, or own
// must have almost no paragraphs.
func better(own, root *html.Node, base *url.URL, visible int) *html.Node {
	const enough = 500 // bytes
	removeWhere(own, isAside)
	size, paragraphs := textSize(own, nil), hasParagraphs(own)
	if paragraphs && visible <= 2*size {
		return own
	}
	other := candidate(root, base)
	removeWhere(other, isAside)
	if found := textSize(other, nil); found > 2*size || !paragraphs && found > enough && 2*found >= size {
		return other
	}
	return own
}

func hasParagraphs(n *html.Node) bool {
	paragraphs, tables, text := 0, 0, false
	for d := range n.Descendants() {
		switch d.Data {
		case "p":
			paragraphs++
			text = text || textSize(d, nil) > 0
		case "table":
			tables++
		}
	}
	return text && tables <= paragraphs
}

// candidate returns the result of go-readability, or an empty element when it finds nothing.
func candidate(root *html.Node, base *url.URL) *html.Node {
	parser := readability.NewParser()
	if mostlyCJK(root) {
		parser.CharThresholds /= 2
	}
	article, err := parser.ParseAndMutate(reduced(root, nil), base)
	if err != nil || article.Node == nil {
		return element(atom.Div)
	}
	return article.Node
}

// mostlyCJK reports whether more than 30 % of the first letters are Chinese, Japanese or Korean.
func mostlyCJK(root *html.Node) bool {
	const enough = 5000
	letters, cjk := 0, 0
	for n := range root.Descendants() {
		if n.Type != html.TextNode || n.Parent.DataAtom == atom.Script {
			continue
		}
		for _, r := range n.Data {
			if !unicode.IsLetter(r) {
				continue
			}
			letters++
			if unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul) {
				cjk++
			}
		}
		if letters > enough {
			break
		}
	}
	return cjk*10 > letters*3
}

// isArticlePage reports whether a page declares itself an article.
func isArticlePage(root *html.Node, m Metadata) bool {
	return m.isArticle() || find(root, atom.Article) != nil
}

// isArticle reports whether the page says that it is an article.
func (m Metadata) isArticle() bool {
	return strings.HasPrefix(m.Type, "article") || slices.ContainsFunc(m.JSONLDTypes, func(t string) bool {
		return strings.HasSuffix(t, "Article") || strings.HasSuffix(t, "Posting")
	})
}

// Limits below which the result of the readability stage is taken for a mistake, on a page that is no article.
const (
	gateSize  = 1000 // bytes
	gateShare = 40   // percent of the text without boilerplate
)

// tooLittle reports whether found is too little of the visible text of a page to be its content. For articles it returns false.
func tooLittle(found *html.Node, visible int, article bool) bool {
	size := textSize(found, nil)
	return !article && size < gateSize && size*100 < gateShare*visible
}

// restored sets the atoms of elements that the library created; this package compares atoms.
func restored(found *html.Node) *html.Node {
	for n := range found.Descendants() {
		if n.Type == html.ElementNode {
			n.DataAtom = atom.Lookup([]byte(n.Data))
		}
	}
	return found
}
