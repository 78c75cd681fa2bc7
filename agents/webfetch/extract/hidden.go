package extract

import (
	"regexp"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// Text that style sheets hide is taken for content that a script shows when it is both: more than anybody needs to talk to a
// language model behind the reader's back, and a large part of the page.
const (
	maxHiddenText  = 1000 // bytes
	maxHiddenShare = 25   // percent of all text
)

// hiddenFrom returns what tells which nodes of root no reader sees: those that say so, and those that the style sheets in the page hide.
// Where something stands and what happens to it is not looked into: what a rule shows at times is seen.
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

// collect adds the elements below n that the sheet hides, and returns how many bytes of text they hold.
func (s *sheet) collect(n *html.Node, hidden map[*html.Node]bool) (size int) {
	for child := range n.ChildNodes() {
		switch {
		case child.Type != html.ElementNode || withheld(child):
		case s.hidesNode(child):
			if held := textSize(child, withheld); held > 0 { // images are not hidden, but wait for a script
				hidden[child] = true
				size += held
			}
		default:
			size += s.collect(child, hidden)
		}
	}
	return size
}

// withheld tells whether the page itself keeps n from its readers.
func withheld(n *html.Node) bool { return machinery(n) || invisible(n) }

// outcome is what all that is said about one property of an element comes to.
type outcome struct {
	weight int
	hides  bool
}

// hidesNode tells whether the sheet hides n and all that it holds.
func (s *sheet) hidesNode(n *html.Node) bool {
	if n.DataAtom == atom.Html || n.DataAtom == atom.Body {
		return false // until a script has looked at where it is
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

// showsBelow tells whether an element in n takes back what it would inherit.
func (s *sheet) showsBelow(n *html.Node, property string) bool {
	for d := range n.Descendants() {
		if o, told := s.outcomes(d)[property]; told && !o.hides {
			return true
		}
	}
	return false
}

// outcomes returns what rules and the style of n itself say, by property.
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

// stirring are words of classes by which scripts find what they make fade in.
var stirring = regexp.MustCompile(`(?i)anim|fade|reveal|wow|aos|load|lazy`)

// stirred tells whether a script shows n when the reader comes to it.
func stirred(n *html.Node) bool {
	for _, a := range n.Attr {
		if strings.HasPrefix(a.Key, "data-") || a.Key == "class" && stirring.MatchString(a.Val) {
			return true
		}
	}
	return false
}
