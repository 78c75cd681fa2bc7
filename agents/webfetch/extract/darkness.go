package extract

import (
	"strings"

	"golang.org/x/net/html"
)

// darkness is the element, of HTML that is not parsed, that its readers do not see, if the scanner is in one.
type darkness struct {
	name  string
	depth int // of elements of that name; 0 outside
}

// covers reports whether readers do not see what the scanner has read, a tag or a text. An element of which the end is missing covers the rest.
func (d *darkness) covers(s *scanner) bool {
	if d.depth > 0 && d.name == "p" && !s.end && lineBreaking[s.name] && s.name != "br" {
		d.depth = 0 // such an element ends a paragraph
	}
	switch {
	case d.depth == 0 && !hidesTag(s):
		return false
	case d.depth == 0:
		d.name, d.depth = s.name, 1
	case s.name == d.name && s.end:
		d.depth--
	case s.name == d.name:
		d.depth++
	}
	return true
}

// childless are the elements without content, and those that scripts show once they run.
var childless = wordSet("area base br col embed hr img input link meta param source track wbr html body")

// hidesTag reports whether s has read the start tag of an element that its attributes hide, with what is in it.
func hidesTag(s *scanner) bool {
	if s.name == "" || s.end || childless[s.name] || s.attrs == 0 || s.attrs > maxAttributes {
		return false
	}
	tag := strings.ToLower(s.tagged)
	if !strings.Contains(tag, "hidden") && !strings.Contains(tag, "style") && !strings.Contains(tag, "popover") {
		return false
	}
	z := html.NewTokenizer(strings.NewReader(s.tagged))
	z.Next()
	return invisibleByAttribute(z.Token().Attr)
}
