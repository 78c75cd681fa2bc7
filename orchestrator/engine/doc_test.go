package engine_test

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// TestTheMapIsComplete looks in the package comment for each file of the package, and for files that there are no more.
func TestTheMapIsComplete(t *testing.T) {
	comment, err := os.ReadFile("doc.go")
	if err != nil {
		t.Fatal(err)
	}
	files, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	files = slices.DeleteFunc(files, func(f string) bool { return strings.HasSuffix(f, "_test.go") || f == "doc.go" || f == "config.go" })
	named := slices.DeleteFunc(regexp.MustCompile(`\w+\.go`).FindAllString(string(comment), -1), func(f string) bool { return strings.HasSuffix(f, "_test.go") })
	slices.Sort(named)
	if named = slices.Compact(named); !slices.Equal(named, files) {
		t.Errorf("doc.go names %v, want all files: %v", named, files)
	}
}
