package extract

import (
	"context"
	"errors"
	"io"
	"strings"
	"time"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// Bounds of the HTML that is parsed and converted. Of 1,120 ordinary pages the largest has 27,755 nodes, is 42 deep and sums
// 397,256 levels. What is beyond is read in a plainer way.
const (
	maxHTML         = 4 << 20     // bytes
	maxElements     = 400_000     // elements and attributes that parsing may create
	maxNodes        = 100_000     // nodes of the parsed tree that are converted
	maxWork         = 6_000_000   // nodes, lines and text, each weighted with its depth
	maxAttributes   = 2_000       // of one element
	maxMerged       = 128 << 20   // bytes that are copied when texts with ignored tags between them become one
	maxArticleNodes = 30_000      // nodes of the parsed tree that the readability stage reads
	maxArticleText  = 400 << 10   // bytes of their text
	maxArticleJoin  = 400 << 20   // paragraphs times bytes of text: the library joins them one by one
	maxArticleLevel = 3_000_000   // their levels, summed
	maxArticleDepth = 12_000_000  // bytes of their text times its levels; of 1,296 ordinary pages the most is 8,225,425
	parseTime       = time.Second // of CPU, for what no count foresees; an ordinary page takes milliseconds
)

var errTooComplex = errors.New("document too complex")

// parse returns the tree of an HTML document and its cost, or errTooComplex when it is, or could become, too large.
func parse(ctx context.Context, text string) (*html.Node, cost, error) {
	if len(text) > maxHTML || !plausible(text) {
		return nil, cost{}, errTooComplex
	}
	limit, done := newBudget(ctx, parseTime)
	defer done()
	doc, err := html.Parse(&stoppable{limit: limit, r: strings.NewReader(text)})
	switch {
	case ctx.Err() != nil:
		return nil, cost{}, ctx.Err()
	case err != nil:
		return nil, cost{}, errors.Join(errTooComplex, err) // from memory, only depth beyond 512 and the time can fail
	}
	c := costOf(doc)
	if c.nodes > maxNodes || c.work > maxWork {
		return nil, c, errTooComplex
	}
	return doc, c, nil
}

// stoppable ends the input when the time is over: that is the only way to stop the parser.
type stoppable struct {
	limit budget
	r     io.Reader
}

func (s *stoppable) Read(p []byte) (int, error) {
	if err := s.limit.spent(); err != nil {
		return 0, err
	}
	return s.r.Read(p)
}

// plausible estimates from the tags how many nodes parsing makes. An unclosed formatting element is made again in each later
// paragraph, so that 170 KB can become millions of nodes
// (https://html.spec.whatwg.org/#reconstruct-the-active-formatting-elements).
func plausible(text string) bool {
	total, open := 0, 0
	var texts merging
	s := scanner{rest: text}
	for total <= maxElements && texts.copied <= maxMerged && s.next() {
		texts.see(&s)
		switch {
		case s.name == "":
			total++
		case s.end:
			total++
			if formatting[s.name] && open > 0 {
				open--
			}
		default:
			if total += 1 + open + s.attrs; s.attrs > maxAttributes {
				return false
			}
			if formatting[s.name] {
				open++
			}
		}
	}
	return total <= maxElements && texts.copied <= maxMerged
}

// merging estimates what it costs that the parser adds a text to the one before it when it ignores the tag between them: it
// copies both, so many short texts take the square of their number.
type merging struct {
	size   int // of the text so far
	copied int // bytes
	tables int // open
	choice bool
}

func (m *merging) see(s *scanner) {
	switch {
	case s.name == "":
		m.copied += m.size
		m.size += len(s.text)
	case s.name == "select":
		m.choice = !s.end // most tags are ignored in there
	case s.name == "table" && s.end:
		m.tables = max(m.tables-1, 0)
	case s.end:
	case s.name == "table":
		m.tables++
		m.size = 0
	case !m.choice && (m.tables > 0 || !ignorable[s.name]):
		m.size = 0
	}
}

// ignorable are the elements that the parser makes nothing of where they do not belong.
var ignorable = map[string]bool{
	"html": true, "head": true, "body": true, "frameset": true, "frame": true, "form": true,
	"caption": true, "colgroup": true, "col": true, "thead": true, "tbody": true, "tfoot": true, "tr": true, "th": true, "td": true,
}

// formatting are the elements that the standard makes again.
var formatting = map[string]bool{
	"a": true, "b": true, "big": true, "code": true, "em": true, "font": true, "i": true, "nobr": true,
	"s": true, "small": true, "strike": true, "strong": true, "tt": true, "u": true,
}

// cost is what reading a tree takes.
type cost struct {
	nodes  int
	levels int // summed over all nodes
	text   int // bytes
	nested int // bytes of text times the levels they are deep: the library reads the text of an element again for those around it
	blocks int // paragraphs
	work   int // of converting: nested lists and quotes indent each line, so a line costs its depth
}

// forArticle tells whether the readability stage can afford the tree: it reads it several times, some parts with the square of
// their depth.
func (c cost) forArticle() bool {
	return c.nodes <= maxArticleNodes && c.levels <= maxArticleLevel && c.text <= maxArticleText && c.nested <= maxArticleDepth && c.blocks*c.text <= maxArticleJoin
}

func costOf(doc *html.Node) cost {
	const textUnit = 64 // bytes that cost as much as a node
	var c cost
	level := 0
	for n := doc; n != nil; {
		c.nodes++
		c.levels += level
		c.work += 1 + level
		if n.DataAtom == atom.P {
			c.blocks++
		}
		if n.Type == html.TextNode {
			if !unread[n.Parent.Data] {
				c.text += len(n.Data)
				c.nested += len(n.Data) * level
			}
			c.work += level * (len(n.Data)/textUnit + strings.Count(n.Data, "\n"))
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
	return c
}
