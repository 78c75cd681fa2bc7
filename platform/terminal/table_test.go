package terminal_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/quorate/quorate/platform/terminal"
)

func TestColumnsAreAsWideAsATerminalShowsThem(t *testing.T) {
	t.Parallel()
	rows := [][]string{
		{"SKILL", "AGENT", "DESCRIPTION"},
		{"翻訳", "a", "東京"},
		{"cafe\u0301", "b", ""},
		{"👩‍💻", "c\td", "x"},
		{"a path that is a last cell widens no column"},
		{},
	}
	want := strings.Join([]string{
		"  SKILL  AGENT  DESCRIPTION",
		"  翻訳   a      東京",
		"  cafe\u0301   b",
		`  👩‍💻     c\td   x`,
		"  a path that is a last cell widens no column",
		"", "",
	}, "\n")
	var got strings.Builder
	if err := terminal.Table(&got, "  ", rows); err != nil || got.String() != want {
		t.Errorf("Table() = %v,\n%s\nwant\n%s", err, got.String(), want)
	}
}

func TestCut(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"0123456789": "0123456789", "0123456789a": "012345678…", "": "",
		"東京都千代田": "東京都千…", "東京都千代": "東京都千代",
		"e\u0301e\u0301e\u0301e\u0301e\u0301e\u0301e\u0301": "e\u0301e\u0301e\u0301e\u0301e\u0301e\u0301e\u0301",
		"a\nb": `a\nb`, "\x1b\x1b\x1b": `\x1b\x1b\…`,
	} {
		if got := terminal.Cut(text, 10); got != want {
			t.Errorf("Cut(%q, 10) = %q, want %q", text, got, want)
		}
	}
}

type fullDisk struct{}

func (fullDisk) Write([]byte) (int, error) { return 0, errors.New("no space left") }

func TestATableThatIsLostIsAnError(t *testing.T) {
	t.Parallel()
	if err := terminal.Table(fullDisk{}, "", [][]string{{"a", "b"}}); err == nil {
		t.Error("Table() on a full disk = nil, want an error")
	}
}
