package extract

import (
	"context"
	"errors"
	"io"
	"strings"
	"time"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"github.com/quorate/quorate/agents/webfetch/extract/cputime"
)

// Limits of HTML that is parsed and converted. Of 1,120 ordinary pages, the largest has 27,755 nodes, is 42 levels deep, and has 397,256 levels in
// total. Pages beyond the limits are converted in a plainer way.
const (
	maxHTML         = 4 << 20     // bytes
	maxElements     = 400_000     // elements and attributes that parsing may create
	maxNodes        = 100_000     // nodes of the parsed tree that are converted
	maxWork         = 6_000_000   // nodes, lines and text, weighted by depth
	maxLevels       = 512         // of the tree; the parser has the same limit, but trees can be put into another
	maxAttributes   = 2_000       // of one element
	maxMerged       = 128 << 20   // bytes that are copied when texts are merged because tags between them are ignored
	maxArticleNodes = 30_000      // nodes of the parsed tree for the readability stage
	maxArticleText  = 400 << 10   // bytes of their text
	maxArticleNames = 16 << 10    // bytes of the classes or the id of an element, which the libraries read again for what is in it
	maxArticleJoin  = 400 << 20   // paragraphs times bytes of text: the library joins paragraphs one by one
	maxArticleLevel = 3_000_000   // sum of their levels
	maxArticleDepth = 12_000_000  // bytes of text times level; the maximum of 1,296 ordinary pages is 8,225,425
	maxArticleLists = 2_000_000   // nodes times the square of the lists around them; the maximum of 181 ordinary pages is 19,906
	parseTime       = time.Second // of CPU, for whatever the counts miss; an ordinary page takes milliseconds
)

var errTooComplex = errors.New("document too complex")

// parse returns the tree of an HTML document and its cost. If the tree is too large, or could become so, it returns errTooComplex.
func parse(ctx context.Context, text string) (*html.Node, cost, error) {
	if len(text) > maxHTML || !plausible(text) {
		return nil, cost{}, errTooComplex
	}
	limit, done := cputime.NewBudget(ctx, parseTime)
	defer done()
	doc, err := html.Parse(&stoppableReader{limit: limit, r: strings.NewReader(text)})
	switch {
	case ctx.Err() != nil:
		return nil, cost{}, ctx.Err()
	case err != nil:
		return nil, cost{}, errors.Join(errTooComplex, err) // reading from memory fails only because of a depth beyond 512 or the time
	}
	showShadows(doc)
	c := costOf(doc)
	if c.nodes > maxNodes || c.work > maxWork || c.deepest > maxLevels {
		return nil, c, errTooComplex
	}
	return doc, c, nil
}

// stoppableReader ends the input when the time is used up, which is the only way to stop the parser.
type stoppableReader struct {
	limit cputime.Budget
	r     io.Reader
}

func (s *stoppableReader) Read(p []byte) (int, error) {
	if err := s.limit.Spent(); err != nil {
		return 0, err
	}
	return s.r.Read(p)
}

// plausible estimates from the tags whether parsing creates a bearable number of nodes. An unclosed formatting element is recreated in each later
// paragraph, so that 170 KB can become millions of nodes (https://html.spec.whatwg.org/#reconstruct-the-active-formatting-elements).
func plausible(text string) bool {
	total, open := 0, 0
	var texts mergeCost
	s := scanner{rest: text}
	for total <= maxElements && texts.copied <= maxMerged && s.next() {
		texts.add(&s)
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

// mergeCost estimates the cost of merging texts: when the parser ignores a tag, it copies the texts before and after it into one, which is quadratic
// for many short texts.
type mergeCost struct {
	size   int // bytes of the text so far
	copied int // bytes
	tables int // number of open ones
	choice bool
}

func (m *mergeCost) add(s *scanner) {
	switch {
	case s.name == "":
		m.copied += m.size
		m.size += len(s.text)
	case s.name == "select":
		m.choice = !s.end // most tags are ignored inside it
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

// ignorable are the elements that the parser ignores where they do not belong.
var ignorable = wordSet("html head body frameset frame form caption colgroup col thead tbody tfoot tr th td")

// formatting are the elements that the standard recreates.
var formatting = wordSet("a b big code em font i nobr s small strike strong tt u")

// cost measures the work that a tree causes.
type cost struct {
	nodes   int
	deepest int // level
	levels  int // summed over all nodes
	text    int // bytes
	nested  int // bytes of text times level: the library reads the text of an element again for each ancestor
	listed  int // nodes times the square of the lists around them: the library reads what is in a list again for each pair of these
	blocks  int // paragraphs
	names   int // bytes of the longest classes or id
	work    int // of converting: nested lists and quotes indent each line, so a line costs as much as its depth
}

// forArticle reports whether the tree is small enough for the readability stage, which reads it several times, and some parts with the square of
// their depth.
func (c cost) forArticle() bool {
	return c.nodes <= maxArticleNodes && c.levels <= maxArticleLevel && c.text <= maxArticleText && c.nested <= maxArticleDepth &&
		c.blocks*c.text <= maxArticleJoin && c.names <= maxArticleNames && c.listed <= maxArticleLists
}

func costOf(doc *html.Node) cost {
	const textUnit = 64 // bytes that cost as much as a node
	var c cost
	level, lists := 0, 0
	for n := doc; n != nil; {
		c.nodes++
		c.listed += lists * lists
		c.deepest = max(c.deepest, level)
		c.levels += level
		c.work += 1 + level
		c.names = max(c.names, len(attribute(n, "class")), len(attribute(n, "id")))
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
			if isList(n) {
				lists++
			}
			n, level = n.FirstChild, level+1
			continue
		}
		for n != nil && n.NextSibling == nil {
			if n, level = n.Parent, level-1; n != nil && isList(n) {
				lists--
			}
		}
		if n != nil {
			n = n.NextSibling
		}
	}
	return c
}
