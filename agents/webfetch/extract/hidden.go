package extract

import (
	"regexp"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// Text that style sheets hide is assumed to be content that a script reveals if it is more than is needed to talk to a language model behind the
// reader's back, and also a large part of the page.
const (
	maxHiddenText  = 1000 // bytes
	maxHiddenShare = 25   // percent of all text
)

// hiddenFrom returns a function that reports which nodes of root readers do not see, because of the nodes themselves or of the page's style sheets.
// It does not compute positions or states: what a rule shows at times counts as seen.
func hiddenFrom(content *Content, root *html.Node) func(*html.Node) bool {
	s := sheetOf(root)
	if s == nil {
		return invisible
	}
	hidden := map[*html.Node]bool{}
	size := s.collect(root, hidden)
	whole := textSize(root, withheld)
	if size == whole || size > maxHiddenText && size*100 > whole*maxHiddenShare {
		if size > 0 {
			content.warn(WarnHidden)
		}
		return invisible
	}
	return func(n *html.Node) bool { return hidden[n] || invisible(n) }
}

// collect adds the elements below n that the sheet hides to hidden, and returns how many bytes of text they hold.
func (s *sheet) collect(n *html.Node, hidden map[*html.Node]bool) (size int) {
	for child := range n.ChildNodes() {
		switch {
		case child.Type != html.ElementNode || withheld(child):
		case s.hidesNode(child):
			if held := textSize(child, withheld); held > 0 { // images are not hidden text, but wait for a script
				hidden[child] = true
				size += held
			}
		default:
			size += s.collect(child, hidden)
		}
	}
	return size
}

// withheld reports whether the page itself hides n from its readers.
func withheld(n *html.Node) bool { return machinery(n) || invisible(n) }

// outcome is the resulting value of one property of an element.
type outcome struct {
	weight int
	hides  bool
}

// hidesNode reports whether the sheet hides n with everything in it.
func (s *sheet) hidesNode(n *html.Node) bool {
	if n.DataAtom == atom.Html || n.DataAtom == atom.Body {
		return false // until a script has checked whether it is in view
	}
	for property, o := range s.outcomes(n) {
		if !o.hides {
			continue
		}
		switch property {
		case "opacity":
			if !stirred(n) {
				return true
			}
		case "visibility":
			if !stirred(n) && !s.showsBelow(n, property) {
				return true
			}
		case "font-size", "color", "text-indent":
			if !s.showsBelow(n, property) {
				return true
			}
		default:
			return true
		}
	}
	return false
}

// showsBelow reports whether an element in n overrides the property that it would inherit.
func (s *sheet) showsBelow(n *html.Node, property string) bool {
	for d := range n.Descendants() {
		if o, told := s.outcomes(d)[property]; told && !o.hides {
			return true
		}
	}
	return false
}

// outcomes returns, by property, what rules and the style attribute of n result in.
func (s *sheet) outcomes(n *html.Node) map[string]outcome {
	if n.Type != html.ElementNode || s.work > maxSheetWork {
		return nil
	}
	var all map[string]outcome
	tell := func(said saying, weight int) {
		if before, told := all[said.property]; told && before.weight > weight {
			return
		}
		if all == nil {
			all = map[string]outcome{}
		}
		all[said.property] = outcome{weight, said.hides}
	}
	class, style := attribute(n, "class"), attribute(n, "style")
	classes := strings.Fields(class)
	s.work += 8 + (len(class)+len(style))/4
	for _, key := range keys(n, classes) {
		for _, r := range s.by[key] {
			if s.work += 1 + len(r.classes)*len(classes); s.work > maxSheetWork {
				return nil
			}
			if !r.matches(n, classes) {
				continue
			}
			for _, said := range r.says {
				if r.always || !said.hides {
					tell(said, r.weigh(said))
				}
			}
		}
	}
	if all != nil {
		for _, said := range sayings(style) {
			tell(said, inlineWeight)
		}
	}
	return all
}

// stirring matches words in the classes of elements that scripts fade in.
var stirring = regexp.MustCompile(`(?i)anim|fade|reveal|wow|aos|load|lazy`)

// stirred reports whether a script shows n when the reader scrolls to it.
func stirred(n *html.Node) bool {
	for _, a := range n.Attr {
		if strings.HasPrefix(a.Key, "data-") || a.Key == "class" && stirring.MatchString(a.Val) {
			return true
		}
	}
	return false
}
