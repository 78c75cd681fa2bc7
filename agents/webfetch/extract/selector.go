package extract

import (
	"cmp"
	"context"
	"fmt"
	"net/url"
	"slices"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"github.com/quorate/quorate/platform/bounded"
	"github.com/quorate/quorate/platform/fault"
)

// SelectorKind is a language for selecting parts of documents.
type SelectorKind string

// Languages of selectors.
const (
	CSS      SelectorKind = "css"      // for HTML: selects elements
	XPath    SelectorKind = "xpath"    // XPath 1.0 for HTML: selects elements, attributes or texts, or computes a value
	JSONPath SelectorKind = "jsonpath" // RFC 9535 for JSON: selects values
)

// Selector selects a part of a document. The zero value selects nothing in particular: the whole.
type Selector struct {
	Kind       SelectorKind // empty means CSS
	Expression string       // at most 4,096 bytes
}

// Limits of selecting.
const (
	maxExpression    = 4096   // bytes
	maxSelectedNodes = 50_000 // nodes of a tree that selectors may search
	maxMatches       = 10_000
	maxJSONValues    = 1_000_000 // values of a document that JSONPath may search, each of which takes a hundred bytes
)

func selectorInvalid(kind SelectorKind, format string, args ...any) error {
	return fault.Invalid("selector", ReasonSelector, "the %s selector "+format, append([]any{cmp.Or(kind, CSS)}, args...)...)
}

func selectorTooComplex() error {
	return fault.New(fault.FailedPrecondition, ReasonTooComplex, "the document is too large or too deeply nested to select from; leave the selector out")
}

func noMatch(s Selector) error {
	return fault.New(fault.NotFound, ReasonNoMatch, "the selector matches nothing; look at the document without it first").With("selector", bounded.Characters(s.Expression, 200))
}

// selection is the result of a selector: elements, or else values.
type selection struct {
	nodes  []*html.Node
	values []string
	cut    bool // there are more values
}

// renderSelected fills content with what the selector matches in an HTML document.
func renderSelected(ctx context.Context, content *Content, root *html.Node, size cost, base *url.URL, o Options) error {
	if size.nodes > maxSelectedNodes || size.levels > maxArticleLevel {
		return selectorTooComplex()
	}
	if len(o.Selector.Expression) > maxExpression {
		return selectorInvalid(o.Selector.Kind, "is longer than %d bytes", maxExpression)
	}
	hidden := either(hiddenFrom(content, root)) // as long as the elements are in their places
	var found selection
	var err error
	switch o.Selector.Kind {
	case "", CSS:
		found.nodes, err = selectCSS(root, o.Selector.Expression)
	case XPath:
		found, err = selectXPath(ctx, root, o.Selector.Expression)
	default:
		err = fault.Invalid("selector", ReasonSelector, "the document is HTML, and %s selectors do not read it; use css or xpath", o.Selector.Kind)
	}
	if err != nil {
		return err
	}
	if len(found.nodes)+len(found.values) == 0 {
		return noMatch(o.Selector)
	}
	if len(found.values) == 0 {
		if o.Format != Raw { // which stays as it is
			open(content, root, hidden)
		}
		if found.nodes = seen(found.nodes, hidden); len(found.nodes) == 0 {
			return fault.New(fault.NotFound, ReasonNoMatch, "the selector matches only what readers of the page do not see; look at the document without it first").
				With("selector", bounded.Characters(o.Selector.Expression, 200))
		}
	}
	if len(found.nodes) > maxMatches || len(found.values) > maxMatches || found.cut {
		content.warn(WarnIncomplete)
	}
	content.Extractor = BySelector
	return writeSelection(ctx, content, found, base, hidden, o)
}

// open shows what a script or a control would show.
func open(content *Content, root *html.Node, hidden func(*html.Node) bool) {
	reveal(content, root)
	if disclose(root, hidden) {
		content.warn(WarnHidden)
	}
}

// seen returns the nodes that readers of the page see. It looks at each element once, whatever is around how many nodes: what an element says about
// that may be as long as the page.
func seen(nodes []*html.Node, hidden func(*html.Node) bool) []*html.Node {
	known := make(map[*html.Node]bool) // whether readers see an element and all that it is in
	var sees func(n *html.Node) bool
	sees = func(n *html.Node) bool { // not deeper than a tree may be
		if n == nil {
			return true
		}
		shown, ok := known[n]
		if !ok {
			shown = sees(n.Parent) && !hidden(n)
			known[n] = shown
		}
		return shown
	}
	return slices.DeleteFunc(nodes, func(n *html.Node) bool { return !sees(n) })
}

// outermost drops nodes that are inside another one.
func outermost(nodes []*html.Node) []*html.Node {
	in := make(map[*html.Node]bool, len(nodes))
	for _, n := range nodes {
		in[n] = true
	}
	kept := nodes[:0]
next:
	for _, n := range nodes {
		for p := n.Parent; p != nil; p = p.Parent {
			if in[p] {
				continue next
			}
		}
		kept = append(kept, n)
	}
	return kept
}

// writeSelection fills content with the selected parts, one after the other.
func writeSelection(ctx context.Context, content *Content, found selection, base *url.URL, hidden func(*html.Node) bool, o Options) error {
	if len(found.nodes) == 0 {
		return writeValues(content, found.values[:min(len(found.values), maxMatches)], o)
	}
	holder := element(atom.Div)
	for _, n := range found.nodes[:min(len(found.nodes), maxMatches)] {
		if n.Parent != nil {
			n.Parent.RemoveChild(n)
		}
		holder.AppendChild(n)
	}
	removeWhere(holder, hidden)
	if o.Format != Raw {
		titlesAsText(holder)
	}
	switch o.Format {
	case Links:
		return writeLinks(content, linksOf(holder, base, hidden))
	case Raw:
		content.cleanTree(holder)
		return writeInner(content, holder)
	case HTML:
		content.prepare(holder, base)
		return writeInner(content, holder)
	case JSON:
		content.prepare(holder, base)
		var values []string
		for n := range holder.ChildNodes() {
			values = append(values, strings.TrimPrefix(plainText(n), "- "))
		}
		return writeValues(content, values, o)
	default:
		standAlone(holder)
		return write(ctx, content, holder, base, o)
	}
}

// titlesAsText has titles written, which otherwise are no part of the text.
func titlesAsText(holder *html.Node) {
	for n := range holder.ChildNodes() {
		if n.DataAtom == atom.Title {
			rename(n, atom.Div)
		}
	}
}

// standAlone makes each child of holder a block of its own: list items are put into a list, table rows and cells lose their table.
func standAlone(holder *html.Node) {
	var list *html.Node // the last list that was made
	for _, n := range slices.Collect(holder.ChildNodes()) {
		around := element(atom.Div)
		switch n.DataAtom {
		case atom.Li:
			if list != nil && n.PrevSibling == list {
				holder.RemoveChild(n)
				list.AppendChild(n)
				continue
			}
			around = element(atom.Ul)
			list = around
		case atom.Td, atom.Th, atom.Tr, atom.Tbody, atom.Thead, atom.Tfoot, atom.Caption:
			n.DataAtom, n.Data = atom.Div, "div"
			for cell := range n.Descendants() {
				if cell.DataAtom == atom.Td || cell.DataAtom == atom.Th || cell.DataAtom == atom.Tr {
					cell.DataAtom, cell.Data = atom.Div, "div"
				}
			}
		default:
		}
		replace(n, around)
		around.AppendChild(n)
	}
}

func writeInner(content *Content, holder *html.Node) error {
	var out strings.Builder
	for n := range holder.ChildNodes() {
		if err := html.Render(&out, n); err != nil {
			return fmt.Errorf("write the selected elements: %w", err)
		}
		out.WriteByte('\n')
	}
	content.Text = out.String()
	return nil
}

// writeValues fills content with values: as an array in JSON, otherwise one on each line.
func writeValues(content *Content, values []string, o Options) error {
	if o.Format != JSON {
		content.Text, content.Format = strings.Join(values, "\n"), Text
		return nil
	}
	text, err := marshal(values)
	content.Text, content.Format = text, JSON
	return err
}
