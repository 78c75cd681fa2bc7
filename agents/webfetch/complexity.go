package webfetch

import (
	"bytes"
	"context"
	"errors"
	"io"
	"time"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// Bounds of the HTML that is converted. Of 1,120 ordinary pages the largest has 27,755 nodes and is 42 deep.
const (
	maxHTML     = 4 << 20     // bytes
	maxElements = 500_000     // elements and attributes that parsing may create
	maxNodes    = 150_000     // nodes of the parsed tree
	maxWork     = 6_000_000   // nodes, lines and text, each weighted with its depth
	parseTime   = time.Second // for what no count foresees; an ordinary page takes milliseconds
)

var errTooComplex = errors.New("document too complex")

// parse returns the tree of an HTML document, or errTooComplex when it is, or could become, too large.
func parse(ctx context.Context, text []byte) (*html.Node, error) {
	if len(text) > maxHTML || !plausible(text) {
		return nil, errTooComplex
	}
	ctx, cancel := context.WithTimeout(ctx, parseTime)
	defer cancel()
	doc, err := html.Parse(&stoppable{ctx: ctx, r: bytes.NewReader(text)})
	if err != nil {
		return nil, errors.Join(errTooComplex, err) // from memory, only depth beyond 512 and the time can fail
	}
	if !affordable(doc) {
		return nil, errTooComplex
	}
	return doc, nil
}

// stoppable ends the input when the context does: that is the only way to stop the parser.
type stoppable struct {
	ctx context.Context //nolint:containedctx // io.Reader has no other way to see it, and the reader lives within one call
	r   io.Reader
}

func (s *stoppable) Read(p []byte) (int, error) {
	if err := s.ctx.Err(); err != nil {
		return 0, err
	}
	return s.r.Read(p)
}

// plausible estimates from the tokens how many nodes parsing makes. An unclosed formatting element is made again in each
// later paragraph, so that 170 KB can become millions of nodes
// (https://html.spec.whatwg.org/#reconstruct-the-active-formatting-elements).
func plausible(text []byte) bool {
	z := html.NewTokenizer(bytes.NewReader(text))
	total, open := 0, 0
	for total <= maxElements {
		switch z.Next() {
		case html.ErrorToken:
			return true // the end; in memory nothing else can fail
		case html.StartTagToken, html.SelfClosingTagToken:
			name, more := z.TagName()
			total += 1 + open
			for more && total <= maxElements {
				_, _, more = z.TagAttr()
				total++
			}
			if formatting[atom.Lookup(name)] {
				open++
			}
		case html.EndTagToken:
			if name, _ := z.TagName(); formatting[atom.Lookup(name)] && open > 0 {
				open--
			}
			total++
		case html.TextToken, html.CommentToken, html.DoctypeToken:
			total++
		}
	}
	return false
}

// formatting are the elements that the standard makes again.
var formatting = map[atom.Atom]bool{
	atom.A: true, atom.B: true, atom.Big: true, atom.Code: true, atom.Em: true, atom.Font: true, atom.I: true, atom.Nobr: true,
	atom.S: true, atom.Small: true, atom.Strike: true, atom.Strong: true, atom.Tt: true, atom.U: true,
}

// affordable tells whether converting the tree stays cheap. Nested lists and quotes indent each line, so a line costs its depth.
func affordable(doc *html.Node) bool {
	const textUnit = 64 // bytes that cost as much as a node
	nodes, work, level := 0, 0, 0
	for n := doc; n != nil; {
		nodes++
		work += 1 + level
		if n.Type == html.TextNode {
			work += level * (len(n.Data)/textUnit + bytes.Count([]byte(n.Data), []byte("\n")))
		}
		if nodes > maxNodes || work > maxWork {
			return false
		}
		if n.FirstChild != nil {
			n, level = n.FirstChild, level+1
			continue
		}
		for n != nil && n.NextSibling == nil {
			n, level = n.Parent, level-1
		}
		if n != nil {
			n = n.NextSibling
		}
	}
	return true
}
