package extract

import (
	"slices"
	"strings"

	"golang.org/x/net/html"
)

// Limits of a selector. A longer one counts as applying only at times.
const (
	maxCompound = 16 // names in a compound
	maxWithin   = 6  // ancestors
)

// compound is the last part of a CSS selector, which describes the element itself.
type compound struct {
	tag     string
	ids     []string
	classes []string
	within  []ancestor // what the selector demands of elements around it, innermost first
	always  bool       // the selector demands nothing else, such as a state or a sibling
}

// ancestor is what a selector demands of an element around another one.
type ancestor struct {
	compound

	parent bool // it must be the parent
}

// key returns a name that every matching element has.
func (c compound) key() string {
	switch {
	case len(c.ids) > 0:
		return "#" + c.ids[0]
	case len(c.classes) > 0:
		return "." + c.classes[len(c.classes)-1]
	}
	return c.tag
}

// keys returns the keys of all compounds that may match n.
func keys(n *html.Node, classes []string) []string {
	all := []string{n.Data}
	if id := attribute(n, "id"); id != "" {
		all = append(all, "#"+id)
	}
	for _, class := range classes {
		all = append(all, "."+class)
	}
	return all
}

func (c compound) matches(n *html.Node, classes []string) bool {
	if c.tag != "" && c.tag != n.Data {
		return false
	}
	for _, id := range c.ids {
		if attribute(n, "id") != id {
			return false
		}
	}
	for _, class := range c.classes {
		if !slices.Contains(classes, class) {
			return false
		}
	}
	return true
}

// Weights of rules; the heaviest rule counts (https://www.w3.org/TR/css-cascade-5/#cascade-sort).
const (
	tagWeight = 1 << (20 + 5*iota) // more than the order of rules
	classWeight
	idWeight
	inlineWeight
	importantWeight
	sometimesWeight // a rule that shows an element at times always counts
)

// weight returns the weight of the names in c.
func (c compound) weight() int {
	w := len(c.ids)*idWeight + len(c.classes)*classWeight
	if c.tag != "" {
		w += tagWeight
	}
	for _, o := range c.within {
		w += o.weight()
	}
	return w
}

// weigh returns the weight of what r says.
func (r rule) weigh(said styleDeclaration) int {
	if said.important {
		return r.order + r.weight() + importantWeight
	}
	return r.order + r.weight()
}

// readSelector parses the first selector of a list and returns the rest of the list. ok is false if the selector matches no element, or one that is
// not in a document, such as ::before.
func readSelector(list string) (c compound, rest string, ok bool) {
	c, ok = compound{always: true}, true
	list = strings.TrimLeft(list, cssSpace)
	at := 0
	for at < len(list) && list[at] != ',' {
		size := 1
		switch mark := list[at]; {
		case mark == '*':
		case mark == '.' || mark == '#':
			var named bool
			size, named = c.add(list[at:])
			ok = ok && named
		case mark == '[':
			size = min(stopIn(list[at:], "]")+1, len(list)-at)
			c.always = false
		case mark == ':':
			var element bool
			size, element = pseudo(list[at:])
			ok, c.always = ok && !element, false
		case strings.IndexByte(cssSpace+">+~", mark) >= 0:
			behind := strings.TrimLeft(list[at:], cssSpace+">+~")
			size = len(list) - at - len(behind)
			if behind != "" && behind[0] != ',' {
				c = c.around(strings.TrimSpace(list[at : at+size]))
			}
		default:
			c.tag, size = cssName(list[at:])
			c.tag = strings.ToLower(c.tag)
			ok = ok && size > 0
			size = max(size, 1)
		}
		at += size
	}
	return c, list[min(at+1, len(list)):], ok && c.key() != ""
}

// around returns the beginning of a compound whose elements are inside those of c, or after them, as the combinator says.
func (c compound) around(combinator string) compound {
	if combinator != "" && combinator != ">" || len(c.within) == maxWithin {
		return compound{}
	}
	within := append([]ancestor{{c, combinator == ">"}}, c.within...)
	within[0].within = nil
	return compound{within: within, always: c.always}
}

// add parses a class or an id, and returns its length including the mark.
func (c *compound) add(s string) (size int, ok bool) {
	name, size := cssName(s[1:])
	if s[0] == '.' {
		c.classes = append(c.classes, name)
	} else {
		c.ids = append(c.ids, name)
	}
	return 1 + size, name != "" && len(c.classes)+len(c.ids) <= maxCompound
}

const cssSpace = " \t\r\n\f"

// pseudo returns the length of a pseudo-class or pseudo-element, and whether it is the latter.
func pseudo(s string) (size int, element bool) {
	body := strings.TrimLeft(s, ":")
	name, size := cssName(body)
	element = strings.HasPrefix(s, "::") || name == "before" || name == "after"
	size += len(s) - len(body)
	open := 0
	for i := size; i < len(s); i++ {
		switch s[i] {
		case '(':
			open++
		case ')':
			if open--; open == 0 {
				return i + 1, element
			}
		}
		if open == 0 {
			return size, element
		}
	}
	if open > 0 {
		size = len(s)
	}
	return size, element
}

// maxEscape is how many bytes an escape has at most: the backslash, six digits and a space. Looking for one farther away would take quadratic time.
const maxEscape = 8

// cssName returns the name at the beginning of s without escapes, and its length with them.
func cssName(s string) (name string, size int) {
	for size < len(s) {
		switch c := s[size]; {
		case c == '\\':
			escape := cssEscape.FindStringIndex(s[size:min(len(s), size+maxEscape)])
			if escape == nil || escape[0] > 0 {
				return "", size // an escaped line end is no name
			}
			size += escape[1]
		case c == '-' || c == '_' || c >= 0x80 || c >= '0' && c <= '9' || letter(c):
			size++
		default:
			return plainEscapes(s[:size]), size
		}
	}
	return plainEscapes(s), size
}
