package terminal

import (
	"io"
	"strings"

	"github.com/rivo/uniseg"
)

const gap = 2 // blanks between columns

// Table writes rows in aligned columns, each after indent, as Escape makes them; a row may be shorter than others. Columns are as wide as a terminal shows
// them: it gives most characters of Chinese, Japanese and Korean two places, and combining ones none. A row's last cell widens no column.
func Table(to io.Writer, indent string, rows [][]string) error {
	var widths []int
	escaped := make([][]string, len(rows))
	for r, row := range rows {
		for i, cell := range row {
			cell = Escape(cell, false)
			escaped[r] = append(escaped[r], cell)
			if i == len(row)-1 {
				break
			}
			if i == len(widths) {
				widths = append(widths, 0)
			}
			widths[i] = max(widths[i], uniseg.StringWidth(cell))
		}
	}
	var b strings.Builder
	for _, cells := range escaped {
		for i, cell := range cells[:max(0, len(cells)-1)] {
			cells[i] += strings.Repeat(" ", widths[i]-uniseg.StringWidth(cell)+gap)
		}
		b.WriteString(strings.TrimRight(indent+strings.Join(cells, ""), " ") + "\n")
	}
	_, err := io.WriteString(to, b.String())
	return err
}

// Cut escapes text for one line, and shortens it to so many places of a terminal.
func Cut(text string, places int) string {
	text = Escape(text, false)
	if uniseg.StringWidth(text) <= places {
		return text
	}
	end, left := 0, places-1
	for g := uniseg.NewGraphemes(text); g.Next(); _, end = g.Positions() {
		if left -= g.Width(); left < 0 {
			break
		}
	}
	return text[:end] + "…"
}
