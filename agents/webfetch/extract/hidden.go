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
// It does not compute positions or states: what a rule shows at times counts as seen. placed reports those that only rules about elements within others
// hide; they look like content to the readability stage, and go after it.
func hiddenFrom(content *Content, root *html.Node) (hidden, placed func(*html.Node) bool) {
	nowhere := func(*html.Node) bool { return false }
	s := sheetOf(root)
	if s == nil {
		return invisible, nowhere
	}
	whole := textSize(root, isHidden)
	s.places = s.anyPlace
	some, size := s.hiddenNodes(root)
	everywhere, placed := some, nowhere
	if s.places {
		if !waits(size, whole) {
			placed = func(n *html.Node) bool { return some[n] }
		}
		s.places = false
		everywhere, size = s.hiddenNodes(root)
	}
	if waits(size, whole) {
		if size > 0 {
			content.warn(WarnHidden)
		}
		return invisible, nowhere
	}
	return func(n *html.Node) bool { return everywhere[n] || invisible(n) }, placed
}

// either returns a function that reports what one of two does.
func either(a, b func(*html.Node) bool) func(*html.Node) bool {
	return func(n *html.Node) bool { return a(n) || b(n) }
}

// waits reports whether so much of the text is hidden that it is content which waits for a script.
func waits(size, whole int) bool {
	return size == whole || size > maxHiddenText && size*100 > whole*maxHiddenShare
}

// hiddenNodes returns the elements below root that the sheet hides, and how many bytes of text they hold.
func (s *sheet) hiddenNodes(root *html.Node) (hidden map[*html.Node]bool, size int) {
	hidden = map[*html.Node]bool{}
	size = s.collect(root, hidden)
	return hidden, size
}

// collect adds the elements below n that the sheet hides to hidden, and returns how many bytes of text they hold.
func (s *sheet) collect(n *html.Node, hidden map[*html.Node]bool) (size int) {
	for child := range n.ChildNodes() {
		switch {
		case child.Type != html.ElementNode || isHidden(child):
		case s.hidesNode(child):
			if textSize(child, invisible) > 0 { // images are not hidden text, but wait for a script
				hidden[child] = true
				size += textSize(child, isHidden)
			}
		default:
			size += s.collect(child, hidden)
		}
	}
	return size
}

// isHidden reports whether the page itself hides n from its readers.
func isHidden(n *html.Node) bool { return isControl(n) || invisible(n) }

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

// outcomes are the resulting values by property.
type outcomes map[string]outcome

// note records a declaration, unless a heavier one was recorded before.
func (o outcomes) note(said styleDeclaration, weight int) {
	if before, told := o[said.property]; !told || before.weight <= weight {
		o[said.property] = outcome{weight, said.hides}
	}
}

// outcomes returns what rules and the style attribute of n result in.
func (s *sheet) outcomes(n *html.Node) outcomes {
	if n.Type != html.ElementNode || s.work > maxSheetWork {
		return nil
	}
	var all outcomes
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
			if all == nil {
				all = outcomes{}
			}
			s.apply(r, n, all)
		}
	}
	if len(all) > 0 {
		for _, said := range styleDeclarations(style) {
			all.note(said, inlineWeight)
		}
	}
	return all
}

// apply records what r says about n, which it matches.
func (s *sheet) apply(r rule, n *html.Node, all outcomes) {
	applies := r.always && (len(r.within) == 0 || s.places && r.hides && s.isWithin(n, r.within))
	for _, said := range r.says {
		switch {
		case applies:
			all.note(said, r.weigh(said))
		case !said.hides:
			all.note(said, sometimesWeight)
		}
	}
}

// isWithin reports whether n has the ancestors that a selector demands. Classes of html and body do not count, because scripts change them.
func (s *sheet) isWithin(n *html.Node, within []ancestor) bool {
	if len(within) == 0 {
		return true
	}
	for p := n.Parent; p != nil && p.Type == html.ElementNode && s.work <= maxSheetWork; p = p.Parent {
		class := attribute(p, "class")
		s.work += 2 + len(class)/4
		changes := len(within[0].classes) > 0 && (p.DataAtom == atom.Html || p.DataAtom == atom.Body)
		if !changes && within[0].matches(p, strings.Fields(class)) && s.isWithin(p, within[1:]) {
			return true
		}
		if within[0].parent {
			break
		}
	}
	return false
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
