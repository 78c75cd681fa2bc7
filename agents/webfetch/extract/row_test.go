package extract_test

import (
	"strings"
	"testing"

	"github.com/quorate/quorate/agents/webfetch/extract"
)

func TestTablesInCellsStay(t *testing.T) {
	t.Parallel()
	const inner = `<table><tr><td>in May</td><td>40</td></tr><tr><td>in June</td><td>44</td></tr></table>`
	rows := func(last string) string {
		return "<table><tr><td>Members who were there</td><td>" + sentence + "</td></tr><tr><td>By month</td><td>" + last + "</td></tr></table>"
	}
	for name, test := range map[string]struct {
		table string
		kept  bool
	}{
		"of figures": {rows(inner), true},
		"of links":   {rows(strings.NewReplacer("<td>", `<td><a href="/x">`, "</td>", "</a></td>").Replace(inner)), false},
	} {
		text := "<p>" + sentence + sentence + "</p>"
		got := read(t, "text/html", story("", text+test.table+text), extract.Options{}).Text
		if strings.Contains(got, "in June") != test.kept || !strings.Contains(got, "By month") {
			t.Errorf("a table %s: Extract() = %s\nwant that it is kept: %t", name, got, test.kept)
		}
	}
}
