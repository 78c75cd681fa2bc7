package boltdb_test

import (
	"bytes"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/quorate/quorate/platform/boltdb"
	"github.com/quorate/quorate/platform/fault"
)

func TestKeysSortAsTheirParts(t *testing.T) {
	t.Parallel()
	sorted := [][]string{
		{""},
		{"", ""},
		{"", "z"},
		{"\x00"},
		{"\x00", "a"},
		{"\x01"},
		{"\x01\x01"},
		{"\x01\x02"},
		{"\x02"},
		{"a"},
		{"a", ""},
		{"a", "\xff"},
		{"a\x00"},
		{"a\x00", "b"},
		{"a\x01"},
		{"aa"},
		{"b"},
	}
	for i := 1; i < len(sorted); i++ {
		before, after := boltdb.Key(sorted[i-1]...), boltdb.Key(sorted[i]...)
		if bytes.Compare(before, after) >= 0 {
			t.Errorf("Key(%q) = %q is not before Key(%q) = %q", sorted[i-1], before, sorted[i], after)
		}
	}
}

func FuzzSplitUndoesKey(f *testing.F) {
	f.Add("a", "\x00", "\x01\x02")
	f.Add("", "", "")
	f.Fuzz(func(t *testing.T, a, b, c string) {
		want := []string{a, b, c}
		key := boltdb.Key(want...)
		if got := boltdb.Split(key); !slices.Equal(got, want) {
			t.Errorf("Split(Key(%q)) = %q", want, got)
		}
		if prefix := boltdb.Prefix(a, b); !bytes.HasPrefix(key, prefix) {
			t.Errorf("Key(%q) = %q does not begin with Prefix = %q", want, key, prefix)
		}
		if other := boltdb.Prefix(a + "x"); bytes.HasPrefix(key, other) {
			t.Errorf("Key(%q) = %q begins with the prefix %q of another part", want, key, other)
		}
	})
}

func TestPrefixOfNothingIsEmpty(t *testing.T) {
	t.Parallel()
	if diff := cmp.Diff([]byte(nil), boltdb.Prefix()); diff != "" {
		t.Errorf("Prefix() differs (-want +got):\n%s", diff)
	}
}

func TestCheckItemNamesTheLimit(t *testing.T) {
	t.Parallel()
	if err := boltdb.CheckItem("card", boltdb.MaxItemBytes); err != nil {
		t.Errorf("CheckItem(limit) = %v, want nil", err)
	}
	err := boltdb.CheckItem("card", boltdb.MaxItemBytes+1)
	if want := "card has 358401 bytes; the limit is 358400: shorten it"; fault.ReasonOf(err) != "ITEM_TOO_LARGE" || err.Error() != want {
		t.Errorf("CheckItem(limit+1) = %v, want ITEM_TOO_LARGE: %s", err, want)
	}
}
