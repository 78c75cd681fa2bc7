package dynamo

import (
	"strconv"
	"testing"
)

// TestTheCacheIsBoundedHoweverSmallItsRecordsAre fills the cache with records of a few words.
func TestTheCacheIsBoundedHoweverSmallItsRecordsAre(t *testing.T) {
	t.Parallel()
	var c cache
	const words, most = 40, cacheBytes / 500
	for i := range 4 * most {
		c.put(strconv.Itoa(i), map[string]any{statusContent: nil}, words)
		if n := len(c.records); n > most {
			t.Fatalf("after %d records of %d bytes the cache holds %d, want no more than %d: each takes some hundred bytes besides", i+1, words, n, most)
		}
	}
}

// TestARecordCountsOnce puts the same record into the cache again, as those do who read it at the same time.
func TestARecordCountsOnce(t *testing.T) {
	t.Parallel()
	var c cache
	const half = cacheBytes / 2
	for range 2 {
		c.put("large", map[string]any{statusContent: nil}, half)
	}
	c.put("small", map[string]any{statusContent: nil}, 1)
	if _, ok := c.get("large", statusContent); !ok {
		t.Error("a record that was put twice has pushed itself out")
	}
}
