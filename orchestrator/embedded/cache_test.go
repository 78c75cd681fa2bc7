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
