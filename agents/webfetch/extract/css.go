package extract

import (
	"regexp"
	"strings"

	"github.com/PuerkitoBio/goquery"
	"github.com/andybalholm/cascadia"
	"golang.org/x/net/html"
)

// Limits of CSS selectors. The matcher walks backwards from each element and cannot be stopped: each ~ multiplies the work by the number of siblings,
// each descendant combinator by the depth, and :has() by the size of the subtree.
const (
	maxCSSWork       = 200_000_000
	maxWideSiblings  = 3000 // number of siblings above which :nth-…() takes too long
	maxCSSCombinator = 12   // in total
)

// selectCSS returns the matching elements, without those inside another one.
func selectCSS(root *html.Node, expression string) ([]*html.Node, error) {
	parsed, err := cascadia.ParseGroup(expression)
	if err != nil {
		return nil, selectorInvalid(CSS, "cannot be read: %s", line(err.Error(), 200))
	}
	if err := affordableCSS(root, expression, parsed.String()); err != nil {
		return nil, err
	}
	return outermost(goquery.NewDocumentFromNode(root).FindMatcher(cascadia.Selector(parsed.Match)).Nodes), nil
}

// patterns finds extensions of the library that CSS does not have. They match regular expressions, once for each level of nesting.
var patterns = regexp.MustCompile(`:matches(own)?\(|#=`)

// affordableCSS returns a fault if the selector may be too much work on this tree. It looks at parsed, the form that the library has read, since any
// letter of expression may be written as an escape.
func affordableCSS(root *html.Node, expression, parsed string) error {
	parsed = strings.ToLower(parsed)
	if patterns.MatchString(parsed) {
		return selectorInvalid(CSS, "asks for a pattern, which CSS has not")
	}
	c := combinatorsOf(expression, parsed)
	if c.descendants+c.siblings > maxCSSCombinator || c.has > 1 {
		return selectorInvalid(CSS, "is too long; use at most %d combinators and one :has()", maxCSSCombinator)
	}
	nodes, widest, deepest := shapeOf(root)
	work := float64(nodes)
	// Elements that match a part of the selector are few on ordinary pages: one level of backtracking is the worst case there.
	for range min(c.siblings, 2) {
		work *= float64(widest)
	}
	if c.siblings > 2 && widest > maxWideSiblings/10 {
		return selectorTooComplex()
	}
	if c.descendants > 0 {
		work *= float64(deepest)
	}
	if c.descendants > 3 && deepest > 100 {
		return selectorTooComplex()
	}
	if c.has > 0 {
		work *= float64(deepest)
	}
	if work > maxCSSWork || c.counts && widest > maxWideSiblings {
		return selectorTooComplex()
	}
	return nil
}

// combining matches a combinator and the space around it.
var combining = regexp.MustCompile(`\s*([>+~,])\s*`)

type combinators struct {
	descendants, siblings, has int
	counts                     bool // :nth-child() and its relatives
}

// quotedPart matches strings and attributes, which do not matter for the structure of a selector.
var quotedPart = regexp.MustCompile(`"[^"]*"|'[^']*'|\[(?:"[^"]*"|'[^']*'|[^\]"'])*\]`)

// escapedRune matches an escape, which may be a quote that ends no string.
var escapedRune = regexp.MustCompile(`(?s)\\.`)

var space = regexp.MustCompile(`[ \t\r\n\f]+`)

// combinatorsOf counts combinators, including those in parentheses, where matching starts anew for each element.
func combinatorsOf(expression, parsed string) combinators {
	bare := quotedPart.ReplaceAllString(escapedRune.ReplaceAllString(expression, "x"), "")
	bare = combining.ReplaceAllString(strings.TrimSpace(bare), "$1")
	var c combinators
	c.siblings = strings.Count(bare, "~")
	c.descendants = len(space.FindAllString(bare, -1))
	for _, inside := range []string{":has", ":contains"} {
		c.has += strings.Count(parsed, inside)
	}
	for _, counted := range []string{":nth-", ":last-", ":only-", ":first-of"} {
		c.counts = c.counts || strings.Contains(parsed, counted)
	}
	return c
}

// shapeOf returns the number of elements below root, the maximum number of siblings, and the depth.
func shapeOf(root *html.Node) (nodes, widest, deepest int) {
	var walk func(*html.Node, int)
	walk = func(n *html.Node, level int) {
		deepest = max(deepest, level)
		here := 0
		for child := range n.ChildNodes() {
			here++
			nodes++
			walk(child, level+1)
		}
		widest = max(widest, here)
	}
	walk(root, 1)
	return nodes, widest, deepest
}
