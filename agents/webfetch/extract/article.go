package extract

import (
	"errors"
	"fmt"
	"net/url"
	"strings"
	"unicode"

	"codeberg.org/readeck/go-readability"
	"github.com/markusmobius/go-trafilatura"
	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// articleNode returns the main content of root as the readability stage sees it, or an error when it sees none. The node is plainer
// than root, which stays as it is: attributes, images and levels of lists are lost.
func articleNode(root *html.Node, page *url.URL) (found *html.Node, err error) {
	defer func() {
		if p := recover(); p != nil { // both libraries index into trees that a hostile page chose
			found, err = nil, fmt.Errorf("the readability stage broke: %v", p)
		}
	}()
	base := &url.URL{Scheme: page.Scheme, Host: page.Host} // links are not read from here, and a long base makes each of them long
	parser := readability.NewParser()
	if mostlyCJK(root) {
		parser.CharThresholds /= 2 // a Chinese or Japanese article has as much to say in half the characters
	}
	candidate := &html.Node{Type: html.ElementNode, DataAtom: atom.Div, Data: "div"}
	if article, err := parser.ParseDocument(root, base); err == nil && article.Node != nil {
		candidate = article.Node
	}
	result, err := trafilatura.ExtractDocument(root, trafilatura.Options{
		OriginalURL:    base,
		EnableFallback: true,

		// Another candidate than readability's costs more than it finds.
		FallbackCandidates: &trafilatura.FallbackCandidates{Readability: candidate, Distiller: &html.Node{Type: html.ElementNode, DataAtom: atom.Div, Data: "div"}},
		HtmlDateMode:       trafilatura.Disabled,
	})
	if err != nil {
		return nil, fmt.Errorf("find the article: %w", err)
	}
	if result.ContentNode == nil {
		return nil, errNoArticle
	}
	return result.ContentNode, nil
}

var errNoArticle = errors.New("the page has no article")

// mostlyCJK tells whether more than 30 % of the first letters are Chinese, Japanese or Korean.
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

// isArticlePage tells whether a page calls itself an article.
func isArticlePage(root *html.Node, m Metadata) bool {
	if strings.HasPrefix(m.Type, "article") || find(root, atom.Article) != nil {
		return true
	}
	for _, t := range m.JSONLDTypes {
		if strings.HasSuffix(t, "Article") || strings.HasSuffix(t, "Posting") {
			return true
		}
	}
	return false
}

// Bounds of the gate: below both, what the readability stage found on a page that is no article is taken as a mistake.
const (
	gateSize  = 1000 // bytes
	gateShare = 40   // percent of the text without boilerplate
)

// tooLittle tells whether found is too little of the visible text of a page to be its content, unless the page is an article.
func tooLittle(found *html.Node, visible int, article bool) bool {
	size := textSize(found, nil)
	return !article && size < gateSize && size*100 < gateShare*visible
}

// restored gives the elements that the library made their atoms, by which they are told apart here.
func restored(found *html.Node) *html.Node {
	for n := range found.Descendants() {
		if n.Type == html.ElementNode {
			n.DataAtom = atom.Lookup([]byte(n.Data))
		}
	}
	return found
}
