package admission_test

import (
	"slices"
	"testing"

	"github.com/quorate/quorate/orchestrator"
	"github.com/quorate/quorate/orchestrator/admission"
)

// line is a limiter of agents, with the names of the tasks that it has woken.
type line struct {
	*admission.FairLimiter
	woken []string
	told  int // how often somebody was told that tasks wait
}

func newLine(places int) *line {
	l := new(line)
	l.FairLimiter = admission.NewFairLimiter(places, func(k orchestrator.Key) { l.woken = append(l.woken, k.ID) }, func(orchestrator.Key, int) { l.told++ })
	return l
}

// enter is Acquire for a task of a group.
func (l *line) enter(task, agent string, group int) (leave func()) {
	return l.Acquire(&orchestrator.Task{ID: task, Shard: group * orchestrator.ShardsPerGroup}, orchestrator.Key{ID: agent})
}

// mustBeEmpty checks that nothing is kept of tasks that have left.
func (l *line) mustBeEmpty(t *testing.T) {
	t.Helper()
	in, queued := l.Counts()
	if parties := l.Parties(); in != 0 || queued != 0 || parties != 0 {
		t.Errorf("when all have left, %d tasks have places, %d wait, and something is kept of %d agents", in, queued, parties)
	}
}

// TestWhoseGroupIsLostLosesItsTurn has a replica lose the lease of one of two tasks that wait, and get it again.
func TestWhoseGroupIsLostLosesItsTurn(t *testing.T) {
	t.Parallel()
	l := newLine(2) // one for each agent
	leave := l.enter("in", "agent", 1)
	for group, task := range []string{"lost", "kept"} {
		if l.enter(task, "agent", group) != nil {
			t.Fatalf("%s got a place while another task had it", task)
		}
	}
	if l.enter("lost, too", "agent", 0) != nil {
		t.Fatal("a task got a place while another task had it")
	}
	l.DropGroup(0)
	leave()
	if want := []string{"kept"}; !slices.Equal(l.woken, want) {
		t.Fatalf("%v were woken when there was room, want %v", l.woken, want)
	}
	if l.enter("lost", "agent", 0) != nil {
		t.Fatal("the task that came again did not stand in line")
	}
	if leave = l.enter("kept", "agent", 1); leave == nil {
		t.Fatal("the task that was woken got no place")
	}
	leave()
	if want := []string{"kept", "lost"}; !slices.Equal(l.woken, want) {
		t.Errorf("%v were woken in the end, want %v", l.woken, want)
	}
	l.enter("lost", "agent", 0)()
	l.mustBeEmpty(t)
}

// TestWhoGoesElsewhereLeavesTheLine has a task go to another agent while the one that it waits for keeps what it has.
func TestWhoGoesElsewhereLeavesTheLine(t *testing.T) {
	t.Parallel()
	l := newLine(2)
	leave := l.enter("in", "before", 0)
	if l.enter("moves", "before", 0) != nil || l.enter("stays", "before", 0) != nil {
		t.Fatal("a task got a place while another had it")
	}
	if l.told != 1 {
		t.Errorf("that two tasks wait for an agent was told %d times, want once", l.told)
	}
	moved := l.enter("moves", "after", 0)
	if moved == nil {
		t.Fatal("the task got no place with its new agent while it was in line for the one before")
	}
	moved()
	leave()
	if want := []string{"stays"}; !slices.Equal(l.woken, want) {
		t.Errorf("%v were woken when there was room, want %v", l.woken, want)
	}
	l.enter("stays", "before", 0)()
	l.mustBeEmpty(t)
}

// TestNothingIsKeptOfAnAgentWithoutTasks has one agent keep the only place.
func TestNothingIsKeptOfAnAgentWithoutTasks(t *testing.T) {
	t.Parallel()
	l := newLine(1)
	leave := l.enter("in", "busy", 0)
	for what, leaves := range map[string]func() bool{
		"a task whose group is lost": func() bool { waits := l.enter("dropped", "first", 1) == nil; l.DropGroup(1); return waits },
		"a task that goes elsewhere": func() bool { return l.enter("moves", "second", 0) == nil && l.enter("moves", "busy", 0) == nil },
		"a task that gets no place":  func() bool { return !l.Reserve(&orchestrator.Task{ID: "new"}, orchestrator.Key{ID: "third"}) },
	} {
		if !leaves() {
			t.Fatalf("%s got a place while another task had it", what)
		}
		if n := l.Parties(); n != 1 {
			t.Errorf("after %s something is kept of %d agents, want the busy one", what, n)
		}
	}
	leave()
	l.enter("moves", "busy", 0)()
	l.mustBeEmpty(t)
}

func TestAPlaceIsReservedAndForfeitedOnce(t *testing.T) {
	t.Parallel()
	l, agent, task := newLine(8), orchestrator.Key{ID: "agent"}, &orchestrator.Task{ID: "new"}
	if !l.Reserve(task, agent) || l.Reserve(task, agent) {
		t.Error("Reserve() twice = false or true twice, want one place")
	}
	if leave := l.enter("other", "agent", 0); leave == nil {
		t.Error("a task got no place beside one that is reserved")
	}
	l.Forfeit(task.Key())
	l.Forfeit(task.Key())
	if in, _ := l.Counts(); in != 1 {
		t.Errorf("after a place was forfeited %d tasks have places, want the other one", in)
	}
}

// TestAPlaceWithTheAgentBeforeIsGivenBack has a task go to another agent while it waits for one.
func TestAPlaceWithTheAgentBeforeIsGivenBack(t *testing.T) {
	t.Parallel()
	l := newLine(2)
	leave := l.enter("in", "before", 0)
	if l.enter("moves", "before", 0) != nil {
		t.Fatal("a task got a place while another had it")
	}
	leave()
	if leave = l.enter("moves", "after", 0); leave == nil {
		t.Fatal("the task got no place with its new agent")
	}
	leave()
	l.mustBeEmpty(t)
}

// TestNobodyWaitsForTheLogOfAQueue has a logger take its time when it is told that tasks wait for an agent.
func TestNobodyWaitsForTheLogOfAQueue(t *testing.T) {
	t.Parallel()
	agent := orchestrator.Key{ID: "agent"}
	logged, done := make(chan struct{}), make(chan struct{})
	l := admission.NewFairLimiter(1, func(orchestrator.Key) {}, func(orchestrator.Key, int) {
		close(logged)
		<-done
	})
	leave := l.Acquire(&orchestrator.Task{ID: "in"}, agent)
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		l.Acquire(&orchestrator.Task{ID: "waits"}, agent)
	}()
	<-logged
	leave() // does not come back while the limiter is locked
	close(done)
	<-ended
}
