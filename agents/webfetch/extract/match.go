package extract

import (
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// Limits of matching.
const (
	longRun    = 24       // bytes: a run this long is recognized anywhere, a shorter one only next to another
	searchWork = 64 << 20 // bytes that may be searched for long runs
)

// matcher finds the runs of a page in the text that was extracted from it.
type matcher struct {
	text string // the extracted text without spaces
	at   int    // offset after the last match
	work int
	kept map[*html.Node]bool // kept text nodes
	size int                 // total bytes of the matches
	from map[int]taken       // by offset in text: the match there
}

// taken is a match.
type taken struct {
	nodes []*html.Node
	size  int
}

// match returns which text nodes of runs the text of found consists of, that text without spaces, and which percentage of it they cover.
func match(runs []run, found *html.Node) (kept map[*html.Node]bool, text string, percent int) {
	var whole strings.Builder
	seen, repeated := map[string]bool{}, 0 // the libraries return some texts twice that the page has once
	for n := range found.Descendants() {
		if n.Type != html.TextNode {
			continue
		}
		text := squeeze([]*html.Node{n})
		whole.WriteString(text)
		if len(text) < longRun {
			continue
		}
		if seen[text] {
			repeated += len(text)
		}
		seen[text] = true
	}
	m := matcher{text: whole.String(), work: searchWork, kept: map[*html.Node]bool{}, from: map[int]taken{}}
	if m.text == "" {
		return nil, "", 0
	}
	begins := make([]int, len(runs)) // the offset of each run, or -1
	for i, r := range runs {
		begins[i] = m.forward(r)
		if begins[i] < 0 && len(r.text) >= longRun && len(r.nodes) > 1 {
			m.parts(r)
		}
	}
	m.backward(runs, begins)
	for _, r := range runs {
		m.complete(r)
	}
	return m.kept, m.text, m.size * 100 / (len(m.text) - repeated)
}

// forward returns the offset at which a run was found, or -1, and keeps its text nodes. If a text occurs twice in the page and once in the
// extraction, such as a teaser, the occurrence that continues the previous match is kept.
func (m *matcher) forward(r run) int {
	begin := -1
	switch {
	case (m.at > 0 || len(r.text) >= longRun) && strings.HasPrefix(m.text[m.at:], r.text):
		begin = m.at
		m.release(begin)
	case len(r.text) >= longRun && m.work > 0:
		m.work -= len(m.text)
		if begin = strings.Index(m.text[m.at:], r.text); begin >= 0 {
			begin += m.at
		} else { // the previous match may have been a part of it, such as the title that the lead repeats
			begin = strings.Index(m.text[:min(len(m.text), m.at+len(r.text)-1)], r.text)
		}
		if begin < 0 || m.from[begin].size >= len(r.text) {
			return -1
		}
		m.release(begin)
	}
	if begin >= 0 {
		m.at = begin + len(r.text)
		m.keep(begin, r)
	}
	return begin
}

// release gives up the match at begin.
func (m *matcher) release(begin int) {
	for _, n := range m.from[begin].nodes {
		delete(m.kept, n)
	}
	m.size -= m.from[begin].size
	delete(m.from, begin)
}

func (m *matcher) keep(begin int, r run) {
	m.from[begin] = taken{nodes: r.nodes, size: len(r.text)}
	for _, n := range r.nodes {
		m.kept[n] = true
	}
	m.size += len(r.text)
}

// parts searches for single text nodes of a run if the extraction left something of the run out.
func (m *matcher) parts(r run) {
	for i := range r.nodes {
		if node := r.nodes[i : i+1]; squeeze(node) != "" {
			m.forward(run{nodes: node, text: squeeze(node)})
		}
	}
}

// complete keeps the whole run if most of it was found, and a whole paragraph if any of it was: libraries lose words around links and other marks,
// and half a sentence says something else.
func (m *matcher) complete(r run) {
	size := 0
	for _, n := range r.nodes {
		if m.kept[n] {
			size += squeezedSize(n.Data)
		}
	}
	if size == 0 || size*2 < len(r.text) && !r.within(atom.P) {
		return
	}
	keepRun(r, m.kept)
}

// backward finds the short runs directly before one that was found.
func (m *matcher) backward(runs []run, begins []int) {
	for i := len(runs) - 2; i >= 0; i-- {
		if begins[i] >= 0 || begins[i+1] < 0 || len(runs[i].text) >= longRun {
			continue
		}
		if text := runs[i].text; strings.HasSuffix(m.text[:begins[i+1]], text) {
			begins[i] = begins[i+1] - len(text)
			m.keep(begins[i], runs[i])
		}
	}
}
