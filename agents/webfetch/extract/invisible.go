package extract

import (
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// maxReplaced is the maximum length of text that stands where a browser shows something else, in bytes: brackets of readings, the value of a bar.
// Longer text there is not meant for readers.
const maxReplaced = 16

// invisible reports whether readers of the page never see n. Such text must not reach a prompt either.
func invisible(n *html.Node) bool {
	if n.Type == html.CommentNode {
		return true
	}
	if n.Type != html.ElementNode {
		return false
	}
	switch n.DataAtom {
	case atom.Script:
		return !strings.HasPrefix(strings.TrimSpace(attribute(n, "type")), "application/ld+json") // some pages have their text there
	case atom.Rp, atom.Progress, atom.Meter:
		said, plain := ownTextOf(n, maxReplaced)
		return !plain || len(said) > maxReplaced
	case atom.Style, atom.Noscript, atom.Noembed, atom.Noframes, atom.Template, atom.Datalist:
		return true
	default:
	}
	return n.Namespace == "math" && unshown(n) || invisibleByAttribute(n.Attr)
}

func invisibleByAttribute(attributes []html.Attribute) bool {
	for _, a := range attributes {
		switch a.Key {
		case "hidden":
			if !strings.EqualFold(a.Val, "until-found") {
				return true
			}
		case "popover":
			return true // until a script or a button shows it
		case "aria-hidden":
			if strings.EqualFold(strings.TrimSpace(a.Val), "true") {
				return true
			}
		case "style":
			if hiddenByStyle(a.Val) {
				return true
			}
		}
	}
	return false
}

// isControl reports whether n is a control, which readers operate rather than read.
func isControl(n *html.Node) bool { return n.Type == html.ElementNode && machines[n.DataAtom] }

var machines = map[atom.Atom]bool{
	atom.Iframe: true, atom.Frame: true, atom.Object: true, atom.Embed: true, atom.Canvas: true, atom.Svg: true, atom.Audio: true, atom.Video: true,
	atom.Button: true, atom.Input: true, atom.Select: true, atom.Textarea: true, atom.Dialog: true, atom.Map: true, atom.Script: true, atom.Head: true,
}
