package orchestrator_test

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/quorate/quorate/orchestrator"
)

// Tasks of one time lie together in a store that sorts by id.
func TestTaskIDsWithoutARequestSortByTime(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		seen := make(map[string]bool)
		var last string
		for range 100 {
			id := orchestrator.TaskID("default", "somebody", "")
			if len(id) != 26 || seen[id] || id <= last {
				t.Fatalf("TaskID() = %q after %q, want 26 characters that nobody had before and that sort behind", id, last)
			}
			seen[id], last = true, id
			if !orchestrator.IsTaskID(id) || orchestrator.IsTaskID(id[1:]) || orchestrator.IsTaskID("A"+id[1:]) {
				t.Fatalf("IsTaskID() is wrong about %q, or about what is shorter or has a capital letter", id)
			}
			if other := orchestrator.TaskID("default", "somebody", ""); other == id {
				t.Fatalf("TaskID() = %q twice in one millisecond", id)
			}
			<-time.After(time.Millisecond)
		}
	})
}
