package extract

import (
	"html"
	"strings"
)

// scanner reads the tags and texts of HTML in one pass without allocating, whatever a hostile page contains: a tag with ten million attributes is one
// token. It serves for estimates and for plain text; only the parser decides what a document means.
type scanner struct {
	rest string
	raw  string // the element with raw content that the scanner is in, if any

	name   string // of the tag, in lower case, at most maxTagName bytes; "" for text
	end    bool   // the tag is an end tag
	attrs  int    // upper bound of the number of attributes
	tagged string // the tag as written
	text   string // the text, if it is one
}

const maxTagName = 16

// rawText are the elements whose content is not markup.
var rawText = wordSet("script style textarea title xmp iframe noembed noframes noscript")

// next moves to the next tag or text, and reports whether there is one. It skips comments and declarations.
func (s *scanner) next() bool {
	s.name, s.text, s.tagged, s.end, s.attrs = "", "", "", false, 0
	for s.rest != "" {
		if s.raw != "" {
			s.text, s.rest = cutRaw(s.rest, s.raw)
			s.raw = ""
			if s.text != "" {
				return true
			}
			continue
		}
		at := strings.IndexByte(s.rest, '<')
		if at < 0 {
			at = len(s.rest)
		}
		if at == 0 && !s.tag() {
			if s.text != "" {
				return true
			}
			continue
		}
		if at > 0 {
			s.text, s.rest = s.rest[:at], s.rest[at:]
		}
		return true
	}
	return false
}

// tag reads what begins with "<", and reports whether it is a tag. Otherwise it is a comment, or text.
func (s *scanner) tag() bool {
	body := s.rest[1:]
	switch {
	case strings.HasPrefix(body, "!--"):
		_, s.rest, _ = strings.Cut(body[3:], "-->")
		return false
	case strings.HasPrefix(body, "!"), strings.HasPrefix(body, "?"):
		_, s.rest, _ = strings.Cut(body, ">")
		return false
	}
	s.end = strings.HasPrefix(body, "/")
	body = strings.TrimPrefix(body, "/")
	if body == "" || !letter(body[0]) {
		s.text, s.rest = "<", s.rest[1:]
		return false
	}
	size := strings.IndexAny(body[:min(len(body), maxTagName+1)], " \t\r\n\f/>")
	if size < 0 {
		size = min(len(body), maxTagName)
	}
	s.name = strings.ToLower(body[:size])
	whole := s.rest
	s.rest = s.skipAttributes(body[size:])
	s.tagged = whole[:len(whole)-len(s.rest)]
	if !s.end && rawText[s.name] {
		s.raw = s.name
	}
	return true
}

// skipAttributes returns what follows the tag, and counts what may be attributes.
func (s *scanner) skipAttributes(rest string) string {
	var quote byte
	gap := true
	for i := range len(rest) {
		switch c := rest[i]; {
		case quote != 0:
			if c == quote {
				quote, gap = 0, true
			}
		case c == '>':
			return rest[i+1:]
		case (c == '"' || c == '\'') && i > 0 && rest[i-1] == '=':
			quote = c
		case c <= ' ' || c == '/':
			gap = true
		case gap:
			s.attrs++
			gap = false
		}
	}
	return ""
}

func letter(c byte) bool { return c|0x20 >= 'a' && c|0x20 <= 'z' }

// cutRaw splits rest at the end tag of the element.
func cutRaw(rest, element string) (text, after string) {
	for from := 0; ; {
		at := strings.Index(rest[from:], "</")
		if at < 0 {
			return rest, ""
		}
		at += from
		if end := at + 2 + len(element); end <= len(rest) && strings.EqualFold(rest[at+2:end], element) {
			return rest[:at], rest[at:]
		}
		from = at + 2
	}
}

// unread are the elements whose text readers do not see.
var unread = wordSet("script style textarea title iframe noembed noframes noscript")

// lineBreaking are the elements that start a line.
var lineBreaking = wordSet("p div br li tr h1 h2 h3 h4 h5 h6 ul ol table section article blockquote pre header footer main nav dt dd")

// tokenText returns the text of HTML that is not parsed, with one line for each block and without what its readers do not see, as far as tags say it.
func tokenText(source string) string {
	var w textWriter
	var dark darkness
	s := scanner{rest: source}
	skip := false
	for s.next() {
		switch {
		case dark.covers(&s):
		case s.name == "" && !skip:
			w.text(html.UnescapeString(s.text), false)
		case s.name == "":
		case lineBreaking[s.name]:
			w.breaks = 1
			skip = false
		default:
			skip = !s.end && unread[s.name]
			w.space = w.space || s.name == "td" || s.name == "th"
		}
	}
	return w.out.String()
}

// tokenTitle returns the text of the first title element.
func tokenTitle(source string) string {
	s := scanner{rest: source[:min(len(source), metaWindow)]}
	for s.next() {
		if s.name == "title" && !s.end && s.next() && s.name == "" {
			return line(html.UnescapeString(s.text[:min(len(s.text), 8*maxTitle)]), maxTitle)
		}
	}
	return ""
}
