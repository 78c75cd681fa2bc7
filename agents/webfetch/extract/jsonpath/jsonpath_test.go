package jsonpath_test

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/quorate/quorate/agents/webfetch/extract/jsonpath"
)

// compliant is one test of the suite.
type compliant struct {
	Name, Selector  string
	Document        any
	Result          []any
	Results         [][]any
	InvalidSelector bool `json:"invalid_selector"`
}

func suite(tb testing.TB) []compliant {
	tb.Helper()
	data, err := os.ReadFile(filepath.Join("testdata", "cts.json"))
	if err != nil {
		tb.Fatal(err)
	}
	var file struct{ Tests []compliant }
	if err := json.Unmarshal(data, &file); err != nil {
		tb.Fatal(err)
	}
	if len(file.Tests) < 700 {
		tb.Fatalf("the suite has %d tests, want at least 700", len(file.Tests))
	}
	return file.Tests
}

// TestCompliance runs the whole suite of https://github.com/jsonpath-standard/jsonpath-compliance-test-suite at 7be7c1f
// (BSD-2-Clause, see testdata/LICENSE).
func TestCompliance(t *testing.T) {
	for _, test := range suite(t) {
		t.Run(test.Name, func(t *testing.T) {
			q, err := jsonpath.Parse(test.Selector)
			if test.InvalidSelector {
				if err == nil {
					t.Errorf("Parse(%q) = nil, want an error", test.Selector)
				}
				return
			}
			if err != nil {
				t.Fatalf("Parse(%q) = %v, want nil", test.Selector, err)
			}
			got, err := q.Select(t.Context(), test.Document)
			if err != nil {
				t.Fatalf("Select(%q) = %v, want nil", test.Selector, err)
			}
			if test.Results == nil {
				test.Results = [][]any{test.Result}
			}
			for _, want := range test.Results {
				if len(want) == 0 && len(got) == 0 || cmp.Equal(want, got) {
					return
				}
			}
			t.Errorf("Select(%q) = %v, want one of %v", test.Selector, got, test.Results)
		})
	}
}

func TestQueriesAreBounded(t *testing.T) {
	var document any
	if err := json.Unmarshal([]byte("["+strings.Repeat("[1,2,3],", 2000)+"0]"), &document); err != nil {
		t.Fatal(err)
	}
	for name, query := range map[string]string{
		"the square of the document":   "$..[?$..[?@ == 5]]",
		"the cube of the document":     "$[?$[?$[?@ == 5]]]",
		"branches that multiply":       "$" + strings.Repeat("[*,*,*,*]", 3) + strings.Repeat("..*", 3),
		"wildcards of all descendants": "$..*..*..*..*",
		"many names for each value":    "$..[" + strings.Repeat("0,", 1000) + "0]..[" + strings.Repeat("0,", 1000) + "0]",
	} {
		t.Run(name, func(t *testing.T) {
			q, err := jsonpath.Parse(query)
			if err != nil {
				t.Fatal(err)
			}
			if got, err := q.Select(t.Context(), document); err != nil && !errors.Is(err, jsonpath.ErrTooMuch) || err == nil && len(got) > 100_000 {
				t.Errorf("Select(%.40q) = %d values, %v, want at most 100,000 or ErrTooMuch", query, len(got), err)
			}
		})
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	q, err := jsonpath.Parse("$..[?$..[?@ == 5]]")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := q.Select(ended, document); !errors.Is(err, context.Canceled) {
		t.Errorf("Select(cancelled) = %v, want context.Canceled", err)
	}
}

func TestPatternsArePaidForBeforeTheyAreMatched(t *testing.T) {
	document := []any{strings.Repeat("a", 1<<19), "([ab]*a){300}c", "b"}
	for query, want := range map[string]error{
		"$[?search(@, 'b')]": nil, "$[?match(@, '[a-c]*')]": nil, "$[?search(@, $[2])]": nil,
		"$[?search(@, '([ab]*a){300}c')]": jsonpath.ErrTooMuch, "$[?search(@, $[1])]": jsonpath.ErrTooMuch,
	} {
		q, err := jsonpath.Parse(query)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := q.Select(t.Context(), document); !errors.Is(err, want) {
			t.Errorf("Select(%s) = %v, want %v", query, err, want)
		}
	}
}

func TestParseRefuses(t *testing.T) {
	for name, query := range map[string]string{
		"a query that is too long":   "$" + strings.Repeat(".a", 3000),
		"filters nested too deeply":  "$" + strings.Repeat("[?@", 100) + strings.Repeat("]", 100),
		"parentheses nested deeply":  "$[?" + strings.Repeat("(", 100) + "@" + strings.Repeat(")", 100) + "]",
		"bytes that are no UTF-8":    "$.\xff",
		"an unknown function":        "$[?size(@)>1]",
		"a query without its dollar": "a.b",
	} {
		if _, err := jsonpath.Parse(query); err == nil {
			t.Errorf("Parse(%s) = nil, want an error", name)
		}
	}
}

func FuzzParse(f *testing.F) {
	for _, test := range suite(f) {
		f.Add(test.Selector)
	}
	for _, query := range []string{"$", "$.a[0]['b'][?@.c>1 && match(@.d,'x.*')]", "$..*[1:2:-1]", `$["\u263a"]`, "$[?count(@..*)==2||!@]"} {
		f.Add(query)
	}
	var document any
	if err := json.Unmarshal([]byte(`{"a":[1,{"b":"x","c":[true,null,2.5]}],"d":{"e":"f"}}`), &document); err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, query string) {
		q, err := jsonpath.Parse(query)
		if err != nil {
			return
		}
		if _, err := q.Select(t.Context(), document); err != nil && !errors.Is(err, jsonpath.ErrTooMuch) {
			t.Errorf("Select(%q) = %v, want values or ErrTooMuch", query, err)
		}
	})
}
