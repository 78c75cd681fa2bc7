package extract

import (
	"strings"

	"golang.org/x/net/html/atom"
)

// xhtmlType is the media type of HTML that is written in XML.
const xhtmlType = "application/xhtml+xml"

// withEndTags returns XHTML as HTML: in XML an element that ends in "/>" is empty, while HTML takes that for an element that begins there, so
// that one <script/> swallows the rest of the document.
func withEndTags(text string) string {
	var out strings.Builder
	copied := 0
	for s := (scanner{rest: text}); s.next(); {
		if s.name == "" || s.end || !strings.HasSuffix(s.tagged, "/>") || neverClosed[atom.Lookup([]byte(s.name))] {
			continue
		}
		s.raw = ""
		size := strings.IndexAny(s.tagged, " \t\r\n\f/>")
		at := len(text) - len(s.rest)
		out.WriteString(text[copied:at])
		out.WriteString("</" + s.tagged[1:size] + ">")
		copied = at
	}
	out.WriteString(text[copied:])
	return out.String()
}

// neverClosed are the elements that are empty in HTML, too.
var neverClosed = map[atom.Atom]bool{
	atom.Area: true, atom.Base: true, atom.Br: true, atom.Col: true, atom.Embed: true, atom.Hr: true, atom.Img: true, atom.Input: true, atom.Link: true,
	atom.Meta: true, atom.Param: true, atom.Source: true, atom.Track: true, atom.Wbr: true,
}
