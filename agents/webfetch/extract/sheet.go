package extract

import (
	"regexp"
	"slices"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// Limits of the style sheets in a page. What is beyond them hides nothing.
const (
	maxSheet      = 1 << 20   // bytes in total
	maxSheetRules = 20_000    // rules about visibility
	maxSheetDepth = 4         // nesting of rules
	maxSheetWork  = 4_000_000 // comparisons of rules with elements
)

// sheet holds what the style sheets inside a page say about visibility. Linked style sheets are not read.
type sheet struct {
	rules int
	by    map[string][]rule // by a name that the element must have: its tag, ".class" or "#id"
	hides bool              // some rule hides elements on every screen
	work  int               // comparisons so far

	anyPlace bool // some rule hides elements in others on every screen
	places   bool // whether such rules count
}

// rule is a selector with what it says about visibility.
type rule struct {
	compound

	order int
	says  []styleDeclaration
	hides bool // some of what it says
}

// styleDeclaration is what a declaration says about visibility.
type styleDeclaration struct {
	property         string
	hides, important bool
}

// sheetOf returns the style sheets in root, or nil when they hide nothing.
func sheetOf(root *html.Node) *sheet {
	s := &sheet{by: map[string][]rule{}}
	left := maxSheet
	for n := range root.Descendants() {
		if n.DataAtom != atom.Style || n.Namespace != "" {
			continue
		}
		css := textOf(n)
		if left -= len(css); left < 0 {
			break
		}
		css = cssComment.ReplaceAllString(oldBrackets.Replace(css), "")
		s.nested("@media "+attribute(n, "media"), css, true, 0)
	}
	if !s.hides {
		return nil
	}
	return s
}

// oldBrackets once hid style sheets from browsers that did not know them.
var oldBrackets = strings.NewReplacer("<!--", "", "-->", "")

// read reads rules. always means that they apply on every screen.
func (s *sheet) read(css string, always bool, depth int) {
	for css != "" && s.rules < maxSheetRules {
		end := stopIn(css, "{;}")
		prelude := strings.TrimSpace(css[:end])
		if end == len(css) || css[end] != '{' {
			css = css[min(end+1, len(css)):]
			continue
		}
		var block string
		block, css = cutBlock(css[end+1:])
		if strings.HasPrefix(prelude, "@") {
			s.nested(prelude, block, always, depth+1)
		} else if says := styleDeclarations(block); len(says) > 0 {
			s.add(prelude, says, always)
		}
	}
}

// everyScreen matches lists of media queries of which one applies to all screens, or that are empty, and noScreen those for paper.
var (
	everyScreen = regexp.MustCompile(`(?s)^@media(\s(.*,)?\s*(only\s+)?(all|screen)\s*(,|$)|$)`)
	noScreen    = regexp.MustCompile(`^@media\s+(print|speech)$`)
)

// nested reads the rules inside an at-rule, unless they are for print or no rules at all.
func (s *sheet) nested(prelude, block string, always bool, depth int) {
	prelude = strings.ToLower(strings.TrimSpace(prelude))
	name := prelude[:1+len(prelude[1:])-len(strings.TrimLeft(prelude[1:], "abcdefghijklmnopqrstuvwxyz-"))]
	switch {
	case depth > maxSheetDepth, noScreen.MatchString(prelude):
	case name == "@media", name == "@supports", name == "@layer", name == "@container", name == "@scope":
		s.read(block, always && everyScreen.MatchString(prelude), depth)
	}
}

// add adds rules for a list of selectors.
func (s *sheet) add(selectors string, says []styleDeclaration, always bool) {
	for selectors != "" && s.rules < maxSheetRules {
		var c compound
		var ok bool
		if c, selectors, ok = readSelector(selectors); !ok {
			continue
		}
		c.always = c.always && always
		s.rules++
		hides := slices.ContainsFunc(says, func(said styleDeclaration) bool { return said.hides })
		s.by[c.key()] = append(s.by[c.key()], rule{compound: c, order: s.rules, says: says, hides: hides})
		s.hides = s.hides || hides && c.always
		s.anyPlace = s.anyPlace || hides && c.always && len(c.within) > 0
	}
}

// stopIn returns the offset of the first of the stops outside of strings, or the length of css.
func stopIn(css, stops string) int {
	var quote byte
	for i := 0; i < len(css); i++ {
		switch c := css[i]; {
		case c == '\\':
			i++
		case quote != 0:
			if c == quote || c == '\n' {
				quote = 0
			}
		case c == '"' || c == '\'':
			quote = c
		case strings.IndexByte(stops, c) >= 0:
			return i
		}
	}
	return len(css)
}

// cutBlock returns the content of a block, and what follows it.
func cutBlock(css string) (block, rest string) {
	open := 1
	for at := stopIn(css, "{}"); at < len(css); at += 1 + stopIn(css[at+1:], "{}") {
		if css[at] == '{' {
			open++
		} else if open--; open == 0 {
			return css[:at], css[at+1:]
		}
	}
	return css, ""
}

// tellsSeen matches every block that says something about visibility. An escape may stand for any letter.
var tellsSeen = regexp.MustCompile(`(?i)display|visib|opac|size|color|indent|left|right|top|bottom|\\`)

// styleDeclarations returns what the declarations of a block say about visibility.
func styleDeclarations(block string) []styleDeclaration {
	if !tellsSeen.MatchString(block) {
		return nil
	}
	style := plainStyle(block[:stopIn(block, "{")])
	placed := strings.Contains(style, "position:absolute") || strings.Contains(style, "position:fixed")
	var says []styleDeclaration
	for declaration := range strings.SplitSeq(style, ";") {
		declaration, important := strings.CutSuffix(declaration, "!important")
		name, value, _ := strings.Cut(declaration, ":")
		hidden := hides(name, value)
		switch name {
		case "display", "visibility", "opacity", "font-size", "text-indent":
		case "left", "right", "top", "bottom":
			hidden = hidden && placed
		case "color":
			hidden = faint.MatchString(value) && !strings.Contains(style, "background-clip:text")
		default:
			continue
		}
		says = append(says, styleDeclaration{name, hidden, important})
	}
	return says
}
