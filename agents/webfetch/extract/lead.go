package extract

import (
	"strings"
	"unicode/utf8"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// Bounds of a lead.
const (
	minLead     = 60 // bytes without spaces: a shorter line is a date, a byline, a section
	maxLeadRuns = 3  // paragraphs
	maxLeadGap  = 20 // runs before the text, when the title is farther away
)

// addLead keeps the lead of an article, too: the sentences between its title and the text that was found. Many pages put them outside
// of the element that holds the text, and both libraries then leave them out: a quarter of all that was missed on 983 pages of
// trafilatura's evaluation, where this takes F1 from 0.912 to 0.925. The Article Extraction Benchmark does not count leads as content, and
// loses 0.002 by them.
func addLead(runs []run, kept map[*html.Node]bool, text, description string) {
	title, begin := opening(runs, kept)
	said := firstOf(description)
	for i, found := begin-1, 0; i > max(title, begin-1-maxLeadGap) && found < maxLeadRuns; i-- {
		r := runs[i]
		is := said != "" && strings.HasPrefix(r.text, said) || title >= 0 && len(r.text) >= minLead && sentence(r.text)
		if is && ownText(r) && !strings.Contains(text, r.text) {
			found++
			for _, n := range r.nodes {
				kept[n] = true
			}
		}
	}
}

// opening returns where the title of the page is and where the text behind it begins, as indexes of runs, -1 for what is not there.
func opening(runs []run, kept map[*html.Node]bool) (title, begin int) {
	title, first := -1, -1
	for i, r := range runs {
		if r.within(atom.H1) {
			title = i
		}
		if len(r.text) < minLead || !r.kept(kept) {
			continue
		}
		if title >= 0 && i > title {
			return title, i
		}
		if first < 0 {
			first = i
		}
	}
	return -1, first
}

// firstOf returns the beginning of a description as runs have it, or nothing when it is too short to tell.
func firstOf(description string) string {
	const enough = 40 // bytes
	text := strings.Join(strings.Fields(description), "")
	for end := enough; end < len(text); end++ {
		if utf8.RuneStart(text[end]) {
			return text[:end]
		}
	}
	return ""
}

// sentence tells whether text ends as sentences do.
func sentence(text string) bool {
	last, _ := utf8.DecodeLastRuneInString(text)
	return strings.ContainsRune(`.!?…。！？"“”»`, last)
}

// ownText tells whether r is text for itself: no caption, no link, nothing that stands beside the content.
func ownText(r run) bool {
	if linked := r.linked(func(*html.Node) bool { return true }); linked*2 > len(r.text) {
		return false
	}
	for p := r.nodes[0].Parent; p != nil; p = p.Parent {
		switch p.DataAtom {
		case atom.Article, atom.Main, atom.Body:
			return true
		case atom.Figure, atom.Form, atom.Address, atom.Table, atom.Li:
			return false
		default:
		}
		if around(p) || named(p, captionWords) {
			return false
		}
	}
	return true
}

// captionWords are words of classes.
var captionWords = wordSet("caption captions credit credits gallery quote slideshow highlights")
