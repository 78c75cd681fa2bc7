package extract

import (
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// plainDocumentation undoes what generators of documentation do to text: they put code into tables and figures, notes into asides, and a link to
// itself into each heading. The check boxes of task lists become signs, and the labels of tabs and the buttons in headings become text, because
// controls are not read.
func plainDocumentation(root *html.Node) {
	bareCode(root)
	labelTabs(root)
	var boxes []*html.Node
	for n := range root.Descendants() {
		switch {
		case n.DataAtom == atom.Aside && named(n, noteWords):
			rename(n, atom.Div)
		case n.DataAtom == atom.Button && opens(n):
			rename(n, atom.Span)
		case n.DataAtom == atom.Input && attribute(n, "type") == "checkbox" && ofTask(n):
			boxes = append(boxes, n)
		}
	}
	for _, box := range boxes {
		sign := "☐ "
		if hasAttribute(box, "checked") {
			sign = "☑ "
		}
		replace(box, text(sign))
	}
	removeWhere(root, linksToItself)
}

// opens reports whether a button makes up a heading or a term and opens what is below it, as in lists of questions and answers
// (https://www.w3.org/WAI/ARIA/apg/patterns/accordion/).
func opens(button *html.Node) bool {
	around := button.Parent
	return (isHeading(around) || around.DataAtom == atom.Dt || around.DataAtom == atom.Summary) && textSize(button, nil) == textSize(around, nil)
}

// ofTask reports whether a check box says whether a task is done, rather than asks for input: it is the first thing in a list item, and it cannot be
// changed or its class says so.
func ofTask(box *html.Node) bool {
	item := closest(box, atom.Li)
	return item != nil && (hasAttribute(box, "disabled") || named(item, taskWords))
}

// taskWords are words in the classes of items of task lists.
var taskWords = wordSet("task")

// noteWords are words in the classes of asides that belong to the text, as Starlight and Docutils write them.
var noteWords = wordSet("admonition callout note tip hint important warning caution danger alert")

// linksToItself reports whether n is the mark beside a heading, a term or a caption that links to it.
func linksToItself(n *html.Node) bool {
	if n.DataAtom != atom.A || !strings.HasPrefix(attribute(n, "href"), "#") {
		return false
	}
	around := n.Parent.DataAtom
	marks := isHeading(n.Parent) || around == atom.Dt || around == atom.Caption || around == atom.Figcaption
	if !marks && !hasClass(n, "headerlink") { // of Sphinx
		return false
	}
	switch strings.TrimSpace(textOf(n)) {
	case "¶", "#", "§", "🔗", "\u200b": // the last one of Docusaurus, which draws the mark itself
		return true
	}
	return false
}
