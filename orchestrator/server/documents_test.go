package server_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

var (
	link       = regexp.MustCompile(`\]\(([^)\s]+)\)`)
	heading    = regexp.MustCompile(`(?m)^#+ (.+)$`)
	notInSlug  = regexp.MustCompile(`[^\p{L}\p{N}_ -]`)
	codeFence  = regexp.MustCompile("(?ms)^```.*?^```")
	metricName = regexp.MustCompile(`(?m)^\s*(?:const )?metric[A-Z]\w*\s*= "([a-z._]+)"`)
)

// TestLinksInDocumentsLeadSomewhere follows the links between documents, also to the headings in them.
func TestLinksInDocumentsLeadSomewhere(t *testing.T) {
	t.Parallel()
	followed := 0
	for path, text := range filesOf(t, ".md") {
		for _, found := range link.FindAllStringSubmatch(codeFence.ReplaceAllString(text, ""), -1) {
			to, anchor, _ := strings.Cut(found[1], "#")
			if strings.Contains(to, "://") {
				continue
			}
			followed++
			target := path
			if to != "" {
				target = filepath.Join(filepath.Dir(path), to)
			}
			if info, err := os.Stat(target); err != nil {
				t.Errorf("%s: there is nothing at %s", path, found[1])
				continue
			} else if info.IsDir() {
				target = filepath.Join(target, "README.md")
			}
			if anchor != "" && !hasHeading(t, target, anchor) {
				t.Errorf("%s: %s has no heading for #%s", path, target, anchor)
			}
		}
	}
	if followed < 50 {
		t.Errorf("the documents have %d links, want all of them", followed)
	}
}

// TestEveryMetricIsDocumented is for operators, who know metrics from this page alone.
func TestEveryMetricIsDocumented(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile(filepath.Join(repository, "docs/operating.md"))
	if err != nil {
		t.Fatal(err)
	}
	metrics := 0
	for path, text := range filesOf(t, ".go") {
		for _, found := range metricName.FindAllStringSubmatch(text, -1) {
			metrics++
			if name := strings.ReplaceAll(found[1], ".", "_"); !strings.Contains(string(page), "`"+name) {
				t.Errorf("%s: docs/operating.md does not name %s", path, name)
			}
		}
	}
	if metrics < 10 {
		t.Errorf("the source names %d metrics, want all of them", metrics)
	}
}

// hasHeading reports whether a document has a heading that an anchor leads to.
func hasHeading(t *testing.T, path, anchor string) bool {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for _, h := range heading.FindAllStringSubmatch(string(text), -1) {
		if strings.ReplaceAll(notInSlug.ReplaceAllString(strings.ToLower(h[1]), ""), " ", "-") == anchor {
			return true
		}
	}
	return false
}

// filesOf returns the files of the repository with an extension, by path, without tests and what was not written here.
func filesOf(t *testing.T, extension string) map[string]string {
	t.Helper()
	files := make(map[string]string)
	err := filepath.WalkDir(repository, func(path string, entry fs.DirEntry, err error) error {
		switch name := entry.Name(); {
		case err != nil:
			return err
		case entry.IsDir() && path != repository && (strings.HasPrefix(name, ".") || name == "testdata" || name == "gen" || name == "third_party" || name == "node_modules"):
			return filepath.SkipDir
		case filepath.Ext(name) == extension && !strings.HasSuffix(name, "_test.go"):
			text, err := os.ReadFile(path)
			files[path] = string(text)
			return err
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}
