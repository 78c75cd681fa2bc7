package webfetch_test

import (
	"io/fs"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/quorate/quorate/agents/webfetch"
)

func TestTheReadmeNamesTestsThatExist(t *testing.T) {
	readme, err := os.ReadFile("README.md")
	if err != nil {
		t.Fatal(err)
	}
	known := map[string]bool{}
	err = fs.WalkDir(os.DirFS("../.."), ".", func(path string, _ fs.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(path, "_test.go") {
			return err
		}
		source, err := os.ReadFile("../../" + path)
		for _, found := range regexp.MustCompile(`(?m)^func ((?:Test|Fuzz)\w+)\(`).FindAllSubmatch(source, -1) {
			known[string(found[1])] = true
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range regexp.MustCompile("`((?:Test|Fuzz)[A-Z0-9]\\w+)`").FindAllSubmatch(readme, -1) {
		if !known[string(name[1])] {
			t.Errorf("README.md names %s, and there is no such test", name[1])
		}
	}
	rows := 0
	for _, row := range regexp.MustCompile(`(?m)^\| 00[0-3][^|]*\|([^|]*)\|([^|]*)\|$`).FindAllSubmatch(readme, -1) {
		if rows++; !regexp.MustCompile("^( `(?:Test|Fuzz)\\w+`,?)+ $").Match(row[2]) {
			t.Errorf("README.md says of%sthat%sproves it, want the names of tests", row[1], row[2])
		}
	}
	if rows < 60 {
		t.Errorf("README.md has %d lines about the four documents, want all of them", rows)
	}
	for _, code := range webfetch.Codes() {
		if !strings.Contains(string(readme), "`"+string(code)+"`") {
			t.Errorf("README.md has no line about the code %s", code)
		}
	}
}
