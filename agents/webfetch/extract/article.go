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

// articleNode returns the main content of root as the readability stage sees it, or an error when it sees none. Of the text on the page
// visible bytes can be content. The node is plainer than root, which stays as it is: attributes, images and levels of lists are
// lost.
//
// go-trafilatura compares what it finds with what go-readability finds. It is asked first without, because most often the answer is
// clear before the second has worked.
func articleNode(root *html.Node, page *url.URL, visible int) (found *html.Node, err error) {
	defer func() {
		if p := recover(); p != nil { // both libraries index into trees that a hostile page chose
			found, err = nil, fmt.Errorf("the readability stage broke: %v", p)
		}
	}()
	base := &url.URL{Scheme: page.Scheme, Host: page.Host} // links are not read from here, and a long base makes each of them long
	options := trafilatura.Options{OriginalURL: base, HtmlDateMode: trafilatura.Disabled}
	own, err := trafilatura.ExtractDocument(lean(root, told()), options)
	if err == nil && own.ContentNode != nil && own.ContentText != nothingFound {
		return better(own.ContentNode, root, base, visible), nil
	}
	options.EnableFallback = true
	options.FallbackCandidates = &trafilatura.FallbackCandidates{
		Readability: candidate(root, base),
		Distiller:   empty(), // costs more than it finds
	}
	both, err := trafilatura.ExtractDocument(lean(root, nil), options)
	if err != nil {
		return nil, fmt.Errorf("find the article: %w", err)
	}
	if both.ContentNode == nil {
		return nil, errNoArticle
	}
	return both.ContentNode, nil
}

var errNoArticle = errors.New("the page has no article")

// better returns own or, when it is better, what go-readability finds, by the rule of go-trafilatura: the other one has to be twice as
// long, or own has next to no paragraphs.
func better(own, root *html.Node, base *url.URL, visible int) *html.Node {
	const enough = 500 // bytes
	removeWhere(own, aside)
	size, paragraphs := textSize(own, nil), hasParagraphs(own)
	if paragraphs && visible <= 2*size {
		return own
	}
	other := candidate(root, base)
	removeWhere(other, aside)
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

// candidate returns what go-readability finds, which may be nothing.
func candidate(root *html.Node, base *url.URL) *html.Node {
	parser := readability.NewParser()
	if mostlyCJK(root) {
		parser.CharThresholds /= 2 // a Chinese or Japanese article has as much to say in half the characters
	}
	article, err := parser.ParseAndMutate(lean(root, nil), base)
	if err != nil || article.Node == nil {
		return empty()
	}
	return article.Node
}

func empty() *html.Node { return &html.Node{Type: html.ElementNode, DataAtom: atom.Div, Data: "div"} }

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
