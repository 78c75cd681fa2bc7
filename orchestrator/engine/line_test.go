package engine_test

import (
	"slices"
	"testing"

	"github.com/quorate/quorate/orchestrator/engine"
)

// TestWhoseGroupIsLostLosesItsTurn has a replica lose the lease of one of two tasks that wait, and get it again.
func TestWhoseGroupIsLostLosesItsTurn(t *testing.T) {
	t.Parallel()
	line := engine.NewLine(2) // one for each agent
	leave := line.Enter("in", "agent", 1)
	for group, task := range []string{"lost", "kept"} {
		if line.Enter(task, "agent", group) != nil {
			t.Fatalf("%s got a place while another task had it", task)
		}
	}
	line.Drop(0)
	leave()
	if want := []string{"kept"}; !slices.Equal(line.Woken, want) {
		t.Fatalf("%v were woken when there was room, want %v", line.Woken, want)
	}
	if line.Enter("lost", "agent", 0) != nil {
		t.Fatal("the task that came again did not stand in line")
	}
	if leave = line.Enter("kept", "agent", 1); leave == nil {
		t.Fatal("the task that was woken got no place")
	}
	leave()
	if want := []string{"kept", "lost"}; !slices.Equal(line.Woken, want) {
		t.Errorf("%v were woken in the end, want %v", line.Woken, want)
	}
	line.Enter("lost", "agent", 0)()
	if tasks, agents := line.Kept(); tasks != 0 || agents != 0 {
		t.Errorf("when all have left, something is kept for %d tasks and %d agents", tasks, agents)
	}
}

// TestWhoGoesElsewhereLeavesTheLine has a task go to another agent while the one that it waits for keeps what it has.
func TestWhoGoesElsewhereLeavesTheLine(t *testing.T) {
	t.Parallel()
	line := engine.NewLine(2)
	leave := line.Enter("in", "before", 0)
	if line.Enter("moves", "before", 0) != nil || line.Enter("stays", "before", 0) != nil {
		t.Fatal("a task got a place while another had it")
	}
	moved := line.Enter("moves", "after", 0)
	if moved == nil {
		t.Fatal("the task got no place with its new agent while it was in line for the one before")
	}
	moved()
	leave()
	if want := []string{"stays"}; !slices.Equal(line.Woken, want) {
		t.Errorf("%v were woken when there was room, want %v", line.Woken, want)
	}
	line.Enter("stays", "before", 0)()
	if tasks, agents := line.Kept(); tasks != 0 || agents != 0 {
		t.Errorf("when all have left, something is kept for %d tasks and %d agents", tasks, agents)
	}
}

// TestAPlaceWithTheAgentBeforeIsGivenBack has a task go to another agent while it waits for one.
func TestAPlaceWithTheAgentBeforeIsGivenBack(t *testing.T) {
	t.Parallel()
	line := engine.NewLine(2)
	leave := line.Enter("in", "before", 0)
	if line.Enter("moves", "before", 0) != nil {
		t.Fatal("a task got a place while another had it")
	}
	leave()
	if leave = line.Enter("moves", "after", 0); leave == nil {
		t.Fatal("the task got no place with its new agent")
	}
	leave()
	if tasks, agents := line.Kept(); tasks != 0 || agents != 0 {
		t.Errorf("when all have left, something is kept for %d tasks and %d agents", tasks, agents)
	}
}
