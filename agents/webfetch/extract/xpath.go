package extract

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/antchfx/xpath"
	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// maxXPathMoves bounds one evaluation: an expression of 30 bytes can take the square or the cube of a tree's size.
const maxXPathMoves = 3_000_000

// maxXPathText bounds the texts and attributes in the result, in bytes: nested elements repeat their text.
const maxXPathText = maxHTML

// textPerMove is how many bytes of text a function reads or copies in the time of a move.
const textPerMove = 64

var errMoves = errors.New("too many moves")

// These are functions of the library beyond XPath 1.0. Their work is not bounded by the size of their arguments, and they cannot be stopped.
var (
	unbounded    = regexp.MustCompile(`\b(matches|replace|string-join)[\s\v\x{85}\p{Z}]*\(`)
	xpathLiteral = regexp.MustCompile(`"[^"]*"|'[^']*'`)
)

// selectXPath evaluates an XPath 1.0 expression. The library cannot be stopped, so the navigator with which it moves through the tree counts the
// moves, and ends it by a panic that is recovered here. A text is paid for when it is read: each function of the expression may read or copy it.
func selectXPath(ctx context.Context, root *html.Node, expression string) (found selection, err error) {
	defer func() {
		switch p := recover(); {
		case p == nil:
		case p == any(errMoves):
			found, err = selection{}, selectorTooComplex()
			if ctx.Err() != nil {
				err = ctx.Err()
			}
		default: // the library panics on some malformed expressions
			found, err = selection{}, selectorInvalid(XPath, "cannot be evaluated: %s", line(fmt.Sprint(p), 200))
		}
	}()
	plain := xpathLiteral.ReplaceAllString(expression, "''")
	if m := unbounded.FindStringSubmatch(plain); m != nil {
		return selection{}, selectorInvalid(XPath, "has the function %s, which XPath 1.0 has not", m[1])
	}
	compiled, err := xpath.Compile(expression)
	if err != nil {
		return selection{}, selectorInvalid(XPath, "cannot be read: %s", line(err.Error(), 200))
	}
	left := maxXPathMoves
	start := &navigator{ctx: ctx, left: &left, functions: strings.Count(plain, "("), root: root, at: root, attr: -1}
	switch value := compiled.Evaluate(start).(type) {
	case *xpath.NodeIterator:
		return collect(value, root), nil
	case string:
		whole := len(value)
		value = strings.ToValidUTF8(value[:min(whole, maxXPathText)], "")
		return selection{values: []string{value}, cut: whole > maxXPathText}, nil
	case float64:
		return selection{values: []string{numeral(value)}}, nil
	default:
		return selection{values: []string{fmt.Sprint(value)}}, nil
	}
}

// numeral writes a number as XPath does, without an exponent (https://www.w3.org/TR/xpath-10/#function-string).
func numeral(n float64) string {
	switch {
	case math.IsInf(n, 0):
		return strings.TrimPrefix(strconv.FormatFloat(n, 'f', -1, 64), "+") + "inity"
	case n == 0:
		return "0" // also for -0
	}
	return strconv.FormatFloat(n, 'f', -1, 64)
}

// collect takes elements as nodes, and attributes and texts as values. If there are both, everything becomes values. They come in the order of the document,
// while the library goes backwards on some axes, and through one part of a union after the other.
func collect(iterator *xpath.NodeIterator, root *html.Node) selection {
	var s selection
	var all []navigator
	for iterator.MoveNext() && len(all) <= maxMatches {
		if n, ok := iterator.Current().(*navigator); ok {
			all = append(all, *n)
		}
	}
	places := map[*html.Node]int{root: 0}
	for n := range root.Descendants() {
		places[n] = len(places)
	}
	slices.SortStableFunc(all, func(a, b navigator) int {
		return cmp.Or(cmp.Compare(places[a.at], places[b.at]), cmp.Compare(a.attr, b.attr))
	})
	for _, n := range all {
		switch {
		case n.attr >= 0:
		case n.at.Type == html.ElementNode:
			s.nodes = append(s.nodes, n.at)
		case n.at == root:
			s.nodes = append(s.nodes, find(root, atom.Html))
		}
	}
	if len(s.nodes) == len(all) {
		s.nodes = outermost(s.nodes)
		return s
	}
	s.nodes = nil
	for size, i := 0, 0; i < len(all) && !s.cut; i++ {
		value := strings.TrimSpace(all[i].Value())
		s.values = append(s.values, value)
		size += len(value)
		s.cut = size > maxXPathText
	}
	return s
}

// navigator moves through an HTML tree for package xpath.
type navigator struct {
	ctx  context.Context //nolint:containedctx // the library passes none, and the navigator lives within one call
	left *int

	functions int // in the expression
	root      *html.Node
	at        *html.Node
	attr      int // index of an attribute of at; -1 for the node itself
}

var _ xpath.NodeNavigator = (*navigator)(nil)

// move counts a move, and ends the evaluation when there were too many.
func (n *navigator) move() { n.pay(1) }

func (n *navigator) pay(moves int) {
	before := *n.left
	*n.left -= moves
	if *n.left < 0 || before/1024 != *n.left/1024 && n.ctx.Err() != nil {
		panic(errMoves)
	}
}

// read counts a text that is read.
func (n *navigator) read(text string) string {
	n.pay(1 + len(text)/textPerMove*(1+n.functions))
	return text
}

func (n *navigator) to(next *html.Node) bool {
	n.move()
	for next != nil && next.Type == html.DoctypeNode {
		next = next.NextSibling
	}
	if next == nil || n.attr >= 0 {
		return false
	}
	n.at = next
	return true
}

func (n *navigator) NodeType() xpath.NodeType {
	switch {
	case n.attr >= 0:
		return xpath.AttributeNode
	case n.at.Type == html.TextNode:
		return xpath.TextNode
	case n.at.Type == html.CommentNode:
		return xpath.CommentNode
	case n.at.Type == html.DocumentNode:
		return xpath.RootNode
	}
	return xpath.ElementNode
}

func (n *navigator) LocalName() string {
	if n.attr >= 0 {
		return n.at.Attr[n.attr].Key
	}
	return n.at.Data
}

func (*navigator) Prefix() string { return "" }

func (n *navigator) Value() string {
	switch {
	case n.attr >= 0:
		return n.read(n.at.Attr[n.attr].Val)
	case n.at.Type == html.TextNode, n.at.Type == html.CommentNode:
		return n.read(n.at.Data)
	}
	n.move()
	var out strings.Builder
	for d := range n.at.Descendants() {
		n.move()
		if d.Type == html.TextNode {
			out.WriteString(n.read(d.Data))
		}
	}
	return out.String()
}

func (n *navigator) Copy() xpath.NodeNavigator {
	n.move()
	c := *n
	return &c
}

func (n *navigator) MoveToRoot() { n.at, n.attr = n.root, -1 }

func (n *navigator) MoveToParent() bool {
	n.move()
	if n.attr >= 0 {
		n.attr = -1
		return true
	}
	if n.at == n.root || n.at.Parent == nil {
		return false
	}
	n.at = n.at.Parent
	return true
}

func (n *navigator) MoveToNextAttribute() bool {
	n.move()
	if n.attr+1 >= len(n.at.Attr) {
		return false
	}
	n.attr++
	return true
}

func (n *navigator) MoveToChild() bool { return n.to(n.at.FirstChild) }

func (n *navigator) MoveToFirst() bool {
	n.move()
	if n.attr >= 0 || n.at.PrevSibling == nil {
		return false
	}
	for n.at.PrevSibling != nil {
		n.move()
		n.at = n.at.PrevSibling
	}
	return true
}

func (n *navigator) MoveToNext() bool {
	if n.at == n.root {
		return false
	}
	return n.to(n.at.NextSibling)
}

func (n *navigator) MoveToPrevious() bool {
	n.move()
	if n.attr >= 0 || n.at == n.root || n.at.PrevSibling == nil {
		return false
	}
	n.at = n.at.PrevSibling
	return true
}

func (n *navigator) MoveTo(other xpath.NodeNavigator) bool {
	o, ok := other.(*navigator)
	if !ok || o.root != n.root {
		return false
	}
	n.at, n.attr = o.at, o.attr
	return true
}
