package embedded

import (
	"strconv"
	"strings"
	"testing"

	"github.com/a2aproject/a2a-go/v2/a2apb/v1"

	"github.com/quorate/quorate/orchestrator"
)

func large(id, bytes int) *record {
	text := &a2apb.Part{Content: &a2apb.Part_Text{Text: strings.Repeat("x", bytes)}}
	return &record{Task: orchestrator.Task{Tenant: "t", ID: strconv.Itoa(id), Artifacts: []*a2apb.Artifact{{Parts: []*a2apb.Part{text}}}}}
}

// TestTheCacheHoldsNoMoreContentThanItMay fills the cache with few large tasks, over and over.
func TestTheCacheHoldsNoMoreContentThanItMay(t *testing.T) {
	t.Parallel()
	var c cache
	const size = 1 << 20
	for i := range 200 {
		for range 2 { // once more is not twice
			r := large(i, size)
			c.keep(r, contentSize(&r.Task))
		}
		sum := 0
		for _, r := range c.tasks {
			sum += contentSize(&r.Task)
		}
		if sum != c.bytes || sum > cacheBytes {
			t.Fatalf("after %d tasks the cache counts %d bytes and holds %d, want no more than %d", i+1, c.bytes, sum, cacheBytes)
		}
	}
	if most := cacheBytes / size; len(c.tasks) == 0 || len(c.tasks) > most {
		t.Errorf("the cache holds %d tasks, want some and no more than %d", len(c.tasks), most)
	}
	c.drop(orchestrator.Key{Tenant: "t", ID: "199"})
	if _, ok := c.tasks[orchestrator.Key{Tenant: "t", ID: "199"}]; ok {
		t.Error("what was dropped is still there")
	}
}

// TestNothingOlderIsFilledInThanWhatSomebodyRead has somebody read a task from the file, take his time, and fill it in after another read a later version there.
func TestNothingOlderIsFilledInThanWhatSomebodyRead(t *testing.T) {
	t.Parallel()
	version := func(n uint64) *record {
		return &record{Task: orchestrator.Task{Tenant: "t", ID: "1", Version: n}}
	}
	for name, later := range map[string]func(c *cache){
		"and saw it":                        func(c *cache) { c.seen(orchestrator.Key{Tenant: "t", ID: "1"}, 2) },
		"and filled it in":                  func(c *cache) { c.fill(version(2), c.noted()) },
		"and could not fill it in any more": func(c *cache) { c.fill(version(2), c.noted()-1) },
	} {
		var c cache
		c.notes = 7
		notes := c.noted()
		later(&c)
		c.fill(version(1), notes)
		if r := c.get(orchestrator.Key{Tenant: "t", ID: "1"}); r != nil && r.Version < 2 {
			t.Errorf("another read version 2 %s, and the cache has version %d, want 2 or nothing", name, r.Version)
		}
	}
}
