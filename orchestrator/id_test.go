package orchestrator_test

import (
	"fmt"
	"strconv"
	"strings"
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

func TestIDsThatAreDerivedDifferWithEachOfTheirParts(t *testing.T) {
	t.Parallel()
	zeros := strings.Repeat("\x00", 8)
	seen := make(map[string]string)
	once := func(what, id string) {
		t.Helper()
		if other, dup := seen[id]; dup || len(id) != 26 {
			t.Errorf("the id of %s is %q, want 26 characters and not that of %s", what, id, other)
		}
		seen[id] = what
	}
	if id := orchestrator.TaskID("a", "b", "c"); id != orchestrator.TaskID("a", "b", "c") {
		t.Errorf("TaskID() = %q and another one for the same request, want one: a retry finds its task by it", id)
	}
	for _, of := range [][3]string{{"a", "b", "c"}, {"ab", "", "c"}, {"", "ab", "c"}, {"a", "", "bc"}, {"a", "bc", "d"}, {"b", "a", "c"}, {"a" + zeros + "b", "c", "d"}, {"a", "b" + zeros + "c", "d"}} {
		once(strings.Join(of[:], "/"), orchestrator.TaskID(of[0], of[1], of[2]))
	}
	first := &orchestrator.Task{ID: "t", CreateTime: time.UnixMicro(1)}
	another, later := *first, *first
	another.ID, later.CreateTime = "u", time.UnixMicro(2)
	for what, task := range map[string]*orchestrator.Task{"a task": first, "another task": &another, "a later task under its id": &later} {
		for n := 1; n <= 2; n++ {
			once(fmt.Sprintf("attempt %d of %s", n, what), task.MessageID(n))
			once(fmt.Sprintf("turn %d of %s", n, what), task.TurnID(n))
			once(fmt.Sprintf("step %d of %s", n, what), orchestrator.TaskID("a", "b", task.StepRequestID(n)))
		}
	}
}

func TestTasksSpreadOverTheShards(t *testing.T) {
	t.Parallel()
	shards := make(map[int]bool)
	for i := range orchestrator.Shards {
		shards[orchestrator.ShardOf(orchestrator.TaskID("a", "b", strconv.Itoa(i)))] = true
	}
	if len(shards) < orchestrator.Shards/2 || len(shards) == orchestrator.Shards { // by chance, two in three
		t.Errorf("as many tasks as there are shards go to %d of %d", len(shards), orchestrator.Shards)
	}
}
