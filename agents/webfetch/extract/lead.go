package extract

import (
	"strings"
	"unicode/utf8"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// Limits of a lead.
const (
	minLead     = 60 // bytes without spaces: a shorter line is a date, a byline or a section
	maxLeadRuns = 3  // paragraphs
	maxLeadGap  = 20 // runs before the text, if the title is farther away
)

// addLead keeps the lead of an article: the sentences between its title and the text that was found. Many pages have them outside of the element with
// the text, and both libraries then miss them: this was a quarter of all that was missed on 983 pages of trafilatura's evaluation, where addLead
// raises F1 from 0.912 to 0.925. The Article Extraction Benchmark does not count leads as content, and loses 0.002.
func addLead(runs []run, kept map[*html.Node]bool, text, description string) {
	title, begin := opening(runs, kept)
	said := firstOf(description)
	for i, found := begin-1, 0; i > max(title, begin-1-maxLeadGap) && found < maxLeadRuns; i-- {
		r := runs[i]
		is := said != "" && strings.HasPrefix(r.text, said) || title >= 0 && len(r.text) >= minLead && sentence(r.text)
		if is && ownText(r) && !strings.Contains(text, r.text) {
			found++
			keepRun(r, kept)
		}
	}
}

// opening returns the indexes in runs of the page's title and of the beginning of the text after it; -1 for none.
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

// firstOf returns the beginning of a description in the form of runs, or nothing when it is too short to identify.
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

// sentence reports whether text ends like a sentence.
func sentence(text string) bool {
	last, _ := utf8.DecodeLastRuneInString(text)
	return strings.ContainsRune(`.!?…。！？"“”»`, last)
}

// ownText reports whether r is text in its own right: no caption, no link, nothing beside the content.
func ownText(r run) bool {
	if mostlyLinks(r) {
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
		if isAroundContent(p) || named(p, captionWords) {
			return false
		}
	}
	return true
}

// captionWords are words in classes.
var captionWords = wordSet("caption captions credit credits gallery quote slideshow highlights")
