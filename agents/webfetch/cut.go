package webfetch

import (
	"strings"

	"github.com/quorate/quorate/agents/webfetch/extract"
	"github.com/quorate/quorate/platform/bounded"
)

// cutPoints says where a page is cut, and what the part needs around it to be a document of its own.
type cutPoints struct {
	end     int    // byte offset in the whole
	opening string // text to put before a part that begins inside a code fence
	closing string // text to put after a part that ends inside one
}

// cutAt returns where to cut whole for the part that begins at byte start and has at most so many characters, with what it needs around it. Markdown is
// not cut inside a table row, a link or a code fence. A fence that makes up most of the part is an exception: it is cut between two lines, closed here
// and reopened in the next part.
func cutAt(whole string, start, characters int, format Format) cutPoints {
	c := cutPoints{end: start + len(bounded.Characters(whole[start:], characters))}
	if format != extract.Markdown || start >= c.end {
		return c
	}
	longest := characters / 4 // of what is put around the part; a page can make a fence of any length
	if opening := fenceAt(whole[:start]).opening(); len(opening) <= longest {
		c.opening = opening
		characters -= len(opening)
	}
	for {
		c.end = start + len(bounded.Characters(whole[start:], characters-len(c.closing)))
		if c.end == len(whole) {
			c.closing = ""
			return c
		}
		c.end = keepWhole(whole, start, c.end)
		closing := fenceAt(whole[:c.end]).closing(whole[:c.end])
		if len(closing) > longest {
			closing = ""
		}
		if len(closing) <= len(c.closing) {
			c.closing = closing
			return c
		}
		c.closing = closing // which needs room, too
	}
}

// keepWhole returns the last offset up to end that cuts nothing in two, or end when the whole part is one such thing.
func keepWhole(whole string, start, end int) int {
	line := strings.LastIndexByte(whole[:end], '\n') + 1
	text, _, _ := strings.Cut(whole[line:], "\n")
	var cut int
	switch f := fenceAt(whole[:line]); {
	case f.marker != "" && f.at > start+(end-start)/2:
		cut = f.at
	case f.marker != "", fenceOf(text).marker != "", strings.HasPrefix(strings.TrimLeft(text, " >"), "|"):
		cut = line
	default:
		cut = line + beforeLink(text, end-line)
	}
	if cut <= start {
		return end
	}
	return cut
}

// fence is an open code fence. The zero value is none.
type fence struct {
	at     int    // byte offset of its first line
	indent string // what comes before the marker, including quote marks
	marker string // three or more of ` or ~
	info   string // the language
	item   bool   // it begins a list item, so it cannot be the end of a fence
}

// fenceAt returns the fence that is open at the end of text. The last line may be incomplete.
func fenceAt(text string) fence {
	var open fence
	for at := 0; at < len(text); {
		line, _, _ := strings.Cut(text[at:], "\n")
		f := fenceOf(line)
		switch {
		case f.marker == "":
		case open.marker == "":
			open, open.at = f, at
		case f.marker[0] == open.marker[0] && len(f.marker) >= len(open.marker) && f.info == "" && !f.item:
			open = fence{}
		}
		at += len(line) + 1
	}
	return open
}

// fenceOf parses a line that opens or closes a fence, also inside quotes and lists.
func fenceOf(line string) fence {
	text := strings.TrimLeft(line, " >-*+.0123456789")
	size := len(text) - len(strings.TrimLeft(text, "`"))
	if size == 0 {
		size = len(text) - len(strings.TrimLeft(text, "~"))
	}
	info := strings.TrimSpace(text[size:])
	if size < 3 || strings.Contains(info, "`") {
		return fence{}
	}
	indent := strings.Map(func(r rune) rune { // only the first line of a list item has its marker
		if r == '>' {
			return r
		}
		return ' '
	}, line[:len(line)-len(text)])
	return fence{indent: indent, marker: text[:size], info: info, item: strings.Trim(indent, " >") != strings.Trim(line[:len(line)-len(text)], " >")}
}

func (f fence) opening() string {
	if f.marker == "" {
		return ""
	}
	return f.indent + f.marker + f.info + "\n"
}

func (f fence) closing(text string) string {
	switch {
	case f.marker == "":
		return ""
	case strings.HasSuffix(text, "\n"):
		return f.indent + f.marker
	}
	return "\n" + f.indent + f.marker
}

// beforeLink returns the start of the outermost link or image of line that a cut at end would split, or end.
func beforeLink(line string, end int) int {
	cut := end
	var open []int
	for i := 0; i < len(line); i++ {
		switch line[i] {
		case '\\':
			i++
		case '[':
			if i > end { // the link at end may be an image, whose mark comes before it
				return cut
			}
			open = append(open, i)
		case ']':
			if len(open) == 0 {
				continue
			}
			begin := open[len(open)-1]
			open = open[:len(open)-1]
			if !strings.HasPrefix(line[i+1:], "(") {
				continue
			}
			i = target(line, i+1)
			if begin > 0 && line[begin-1] == '!' {
				begin--
			}
			if begin < cut && i >= end {
				cut = begin
			}
		}
	}
	return cut
}

// target returns the offset of the end of the link target whose parenthesis opens at at.
func target(line string, at int) int {
	depth := 0
	for i := at; i < len(line); i++ {
		switch line[i] {
		case '\\':
			i++
		case '(':
			depth++
		case ')':
			if depth--; depth == 0 {
				return i
			}
		}
	}
	return len(line) - 1
}
