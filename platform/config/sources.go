package config

import (
	"fmt"
	"io"
	"reflect"

	"github.com/quorate/quorate/platform/terminal"
)

// Sources says where each value of one Load came from.
type Sources struct {
	rows     []row
	warnings []string
}

type row struct{ path, value, source, env, doc string }

func newSources(l *loader) *Sources {
	s := &Sources{warnings: l.warnings}
	for _, f := range l.fields {
		s.rows = append(s.rows, row{f.path, display(f.value), f.source, f.env + separated(f.value, ", separated by commas"), f.doc})
	}
	return s
}

// Warnings returns a sentence for each QUORATE_ variable that is not a setting, with a suggestion if there is a similar one.
func (s *Sources) Warnings() []string { return s.warnings }

// Explain writes one line for each setting: its path, its value and its source, one of flag --NAME, env NAME, FILE:LINE and default.
func (s *Sources) Explain(w io.Writer) error {
	var rows [][]string
	for _, r := range s.rows {
		rows = append(rows, []string{r.path, r.value, r.source})
	}
	return terminal.Table(w, "", rows)
}

// Describe writes what Explain writes and, below each setting, what it is for and which variable sets it.
func (s *Sources) Describe(w io.Writer) error {
	for _, r := range s.rows {
		if _, err := fmt.Fprintf(w, "%s  %s  %s\n    %s\n    env %s\n\n", r.path, r.value, r.source, r.doc, r.env); err != nil {
			return err
		}
	}
	return nil
}

func display(v reflect.Value) string {
	text := fmt.Sprint(v.Interface())
	if text == "" {
		return `""`
	}
	return text
}
