package terminal_test

import (
	"os"
	"strings"
	"testing"

	"github.com/quorate/quorate/platform/terminal"
)

func TestIs(t *testing.T) {
	t.Parallel()
	open := func(name string) *os.File {
		file, err := os.OpenFile(name, os.O_RDWR, 0)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = file.Close() })
		return file
	}
	for name, test := range map[string]struct {
		stream any
		want   bool
	}{
		"a terminal":            {open("/dev/ptmx"), true},
		"a device that is none": {open(os.DevNull), false},
		"a stream with no file": {&strings.Builder{}, false},
		"no stream":             {nil, false},
	} {
		if got := terminal.Is(test.stream); got != test.want {
			t.Errorf("Is() of %s = %v, want %v", name, got, test.want)
		}
	}
}

func TestEscape(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		text string
		many bool
		want string
	}{
		"separators of lines":                   {"a\u2028b\u2029c", true, `a\u2028b\u2029c`},
		"plain text stays":                      {"grüße, 世界 🙂 a\u00a0b", false, "grüße, 世界 🙂 a\u00a0b"},
		"escape is shown":                       {"\x1b[31m", false, `\x1b[31m`},
		"delete and C1 are shown":               {"\x7f\u009b", true, `\x7f\u009b`},
		"a line break is shown in one line":     {"a\nb\tc", false, `a\nb\tc`},
		"a line break stays in many lines":      {"a\r\nb\tc", true, "a\nb\tc"},
		"a return alone is shown":               {"safe\revil", true, `safe\revil`},
		"a turned direction is shown":           {"a\u202eb", true, `a\u202eb`},
		"bytes that are no UTF-8 are shown":     {"a\xffb", false, `a\xffb`},
		"the replacement character is a letter": {"\ufffd", false, "\ufffd"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got := terminal.Escape(test.text, test.many); got != test.want {
				t.Errorf("Escape(%q, %v) = %q, want %q", test.text, test.many, got, test.want)
			}
		})
	}
}
