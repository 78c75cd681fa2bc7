package aeb_test

import (
	"bytes"
	"compress/gzip"
	"maps"
	"math"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/quorate/quorate/agents/webfetch/extract/aeb"
)

func TestScoreIsTheBenchmarks(t *testing.T) {
	for name, test := range map[string]struct {
		truth, extracted      string
		precision, recall, f1 float64
	}{
		"the same text":                {"a b c d e", "a b c d e", 1, 1, 1},
		"other space and signs":        {"a b, c d.", "a\nb c d", 1, 1, 1},
		"another case is another word": {"a b c d", "A b c d", 0, 0, 0},
		"twice as much":                {"a b c d e", "a b c d e f g", 0.5, 1, 2.0 / 3},
		"half of it":                   {"a b c d e f g", "a b c d e", 1, 0.5, 2.0 / 3},
		"said twice":                   {"a b c d", "a b c d a b c d", 0.2, 1, 1.0 / 3},
		"fewer words than a shingle":   {"a b", "a b", 1, 1, 1},
		"letters of any script":        {"定足数 とは 会議 の", "定足数。とは、会議 の", 1, 1, 1},
		"nothing was found":            {"a b c d", "", 0, 0, 0},
	} {
		t.Run(name, func(t *testing.T) {
			got := aeb.ScoreOf([]aeb.Match{aeb.Compare(test.truth, test.extracted)})
			if math.Abs(got.Precision-test.precision) > 1e-9 || math.Abs(got.Recall-test.recall) > 1e-9 || math.Abs(got.F1-test.f1) > 1e-9 {
				t.Errorf("Compare(%q, %q) = %+v, want precision %f, recall %f, F1 %f", test.truth, test.extracted, got, test.precision, test.recall, test.f1)
			}
		})
	}
}

func TestPagesCountTheSame(t *testing.T) {
	long := strings.Repeat("one two three four five ", 1000)
	got := aeb.Bootstrap([]aeb.Match{aeb.Compare(long, long), aeb.Compare("a b c d", "e f g h"), aeb.Compare("a b c d", "")})
	if got.Precision != 0.5 || math.Abs(got.Recall-1.0/3) > 1e-9 {
		t.Errorf("Bootstrap() = %+v, want precision 0.5 of the two pages with an extract, and recall 1/3 of all", got)
	}
	if got.F1Error <= 0 || got.F1Error > 0.5 {
		t.Errorf("Bootstrap() has an error of %f, want some", got.F1Error)
	}
}

func TestLoad(t *testing.T) {
	var zipped bytes.Buffer
	z := gzip.NewWriter(&zipped)
	if _, err := z.Write([]byte("<p>b")); err != nil {
		t.Fatal(err)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	folder := fstest.MapFS{
		"ground-truth.json": {Data: []byte(`{"two":{"articleBody":"b"},"one":{"articleBody":"a","url":"https://a.test/"}}`)},
		"html/one.html":     {Data: []byte("<p>a")},
		"html/two.html.gz":  {Data: zipped.Bytes()},
	}
	pages, err := aeb.Load(folder)
	if err != nil || len(pages) != 2 || string(pages[0].HTML) != "<p>a" || pages[0].URL != "https://a.test/" || string(pages[1].HTML) != "<p>b" || pages[1].Truth != "b" {
		t.Errorf("Load() = %+v, %v, want both pages", pages, err)
	}
	for name, damage := range map[string]func(fstest.MapFS){
		"no ground truth":   func(f fstest.MapFS) { delete(f, "ground-truth.json") },
		"a missing page":    func(f fstest.MapFS) { delete(f, "html/one.html") },
		"gzip that is none": func(f fstest.MapFS) { f["html/two.html.gz"] = &fstest.MapFile{Data: []byte("plain")} },
	} {
		broken := maps.Clone(folder)
		damage(broken)
		if _, err := aeb.Load(broken); err == nil {
			t.Errorf("Load(%s) = nil, want an error", name)
		}
	}
}
