package extract

import (
	"regexp"
	"strings"

	"golang.org/x/net/html"
)

// Bounds of CSS selectors. The matcher walks back from each element and cannot be stopped: each ~ multiplies the work with the
// number of siblings, each descendant with the depth, :has() with the size of what it looks into.
const (
	maxCSSWork       = 200_000_000
	maxWideSiblings  = 3000 // siblings beyond which :nth-…() counts for too long
	maxCSSCombinator = 12   // in all
)

// affordableCSS returns a fault when the selector may be too much work on this tree.
func affordableCSS(root *html.Node, expression string) error {
	c := combinatorsOf(expression)
	if c.descendants+c.siblings > maxCSSCombinator || c.has > 1 {
		return selectorInvalid(CSS, "is too long; use at most %d combinators and one :has()", maxCSSCombinator)
	}
	nodes, widest, deepest := shapeOf(root)
	work := float64(nodes)
	// Elements that match a part of the selector are few: one level of backtracking is the worst on pages that people write.
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

// combining is a combinator with the space around it.
var combining = regexp.MustCompile(`\s*([>+~,])\s*`)

type combinators struct {
	descendants, siblings, has int
	counts                     bool // :nth-child() and its relatives
}

// combinatorsOf counts generously: also inside of parentheses, where matching is done again for each element.
func combinatorsOf(expression string) combinators {
	var c combinators
	var quote rune
	bracket := false
	lower := strings.ToLower(expression)
	gap := false
	for _, r := range combining.ReplaceAllString(strings.TrimSpace(lower), "$1") {
		switch {
		case quote != 0:
			if r == quote {
				quote = 0
			}
		case r == '"' || r == '\'':
			quote = r
		case bracket:
			bracket = r != ']'
		case r == '[':
			bracket, gap = true, false
		case r == '~':
			c.siblings++
			gap = false
		case r == '>' || r == '+' || r == ',':
			gap = false
		case r == ' ' || r == '\t' || r == '\n' || r == '\r' || r == '\f':
			if !gap {
				c.descendants++
			}
			gap = true
		default:
			gap = false
		}
	}
	c.has = strings.Count(lower, ":has") + strings.Count(lower, ":haschild") + strings.Count(lower, ":contains") + strings.Count(lower, ":matches")
	c.counts = strings.Contains(lower, ":nth-") || strings.Contains(lower, ":last-") || strings.Contains(lower, ":only-") || strings.Contains(lower, ":first-of")
	return c
}

// shapeOf returns how many elements are below root, how many of them stand side by side, and how deep.
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
