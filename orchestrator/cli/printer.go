package cli

import (
	"fmt"
	"io"
	"strings"

	"github.com/quorate/quorate/platform/terminal"
)

// printer writes to one stream and keeps the first error, which Main checks. All methods but Write escape what they print.
type printer struct {
	w   io.Writer
	err error
}

// Write writes p unchanged.
func (p *printer) Write(b []byte) (int, error) {
	if p.err != nil {
		return 0, p.err
	}
	n, err := p.w.Write(b)
	p.err = err
	return n, err
}

func (p *printer) terminal() bool { return terminal.Is(p.w) }

// line prints one line; a line break in it is escaped.
func (p *printer) line(format string, args ...any) {
	_, _ = io.WriteString(p, terminal.Escape(fmt.Sprintf(format, args...), false)+"\n") // Write keeps the error
}

// text prints text of any number of lines, each after indent.
func (p *printer) text(indent, text string) {
	for line := range strings.SplitSeq(strings.TrimRight(terminal.Escape(text, true), "\n"), "\n") {
		_, _ = io.WriteString(p, strings.TrimRight(indent+line, " ")+"\n") // Write keeps the error
	}
}

// table prints rows in aligned columns after indent; the first row may be a header.
func (p *printer) table(indent string, rows [][]string) {
	_ = terminal.Table(p, indent, rows) // Write keeps the error
}

const maxCell = 60 // places of a terminal

// cut shortens text to fit a column.
func cut(text string) string { return terminal.Cut(text, maxCell) }
