package engine_test

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/a2aproject/a2a-go/v2/a2apb/v1"

	"github.com/quorate/quorate/orchestrator"
	"github.com/quorate/quorate/orchestrator/agentclient"
	"github.com/quorate/quorate/orchestrator/engine"
	"github.com/quorate/quorate/orchestrator/storetest"
	"github.com/quorate/quorate/platform/fault"
)

// ending is how the end of a task comes from outside.
type ending string

const (
	canceled ending = "it is canceled"
	overdue  ending = "its deadline passes"
)

// TestATaskAndItsStepsEndTogetherWheneverTheEndComes has a task of one agent, a chain and a fan-out be canceled, or run out of time, once right after
// each call to the store; and once more with the process dying at that. Whoever watches sees all of it once, and no agent gets anything afterwards.
func TestATaskAndItsStepsEndTogetherWheneverTheEndComes(t *testing.T) {
	t.Parallel()
	for name, submission := range map[string]func() engine.Submission{
		"one agent": func() engine.Submission { return engine.Submission{Route: orchestrator.Route{Agent: "first"}} },
		"a chain":   chained,
		"a fan-out": func() engine.Submission { return engine.Submission{Route: toAll} },
	} {
		for _, how := range []ending{canceled, overdue} {
			for _, dies := range []bool{false, true} {
				t.Run(fmt.Sprintf("%s, %s, and the process dies: %t", name, how, dies), func(t *testing.T) {
					t.Parallel()
					atEveryCall(t, 7, func(t *testing.T, call int) bool {
						t.Helper()
						return endAt(t, call, submission(), how, dies)
					})
				})
			}
		}
	}
}

// endAt has a task end from outside right after a call to the store, and reports whether there was such a call.
func endAt(t *testing.T, call int, submission engine.Submission, how ending, dies bool) (reached bool) {
	t.Helper()
	when := fmt.Sprintf("at call %d", call)
	w := &closing{worker: newWorker()}
	m := &moment{at: int64(call)}
	var ahead atomic.Int64 // of the clock
	s := &simulation{
		t: t, store: &storetest.Memory{Written: w.note}, worker: w.worker, client: w, moment: m,
		now:    func() time.Time { return time.Now().Add(time.Duration(ahead.Load())) },
		actors: map[string]*actor{"first": {name: "first", skill: "work"}, "second": {name: "second", skill: "work"}},
	}
	if submission.Route.Contract != nil {
		s.actors["first"], s.actors["second"] = turns("first", "idea", "comment", "plan", "reference"), turns("second", "plan", "reference", "site", "collection")
	}
	submission.Tenant, submission.Caller, submission.Message, submission.RequestID = tenant, "tester", text("do it"), "r"
	submission.Deadline = time.Now().Add(2 * time.Hour)
	k := orchestrator.Key{Tenant: tenant, ID: orchestrator.TaskID(tenant, "tester", "r")}
	m.act = func() {
		if how == overdue {
			ahead.Store(int64(3 * time.Hour))
		} else if _, err := s.engine.Cancel(t.Context(), engine.Cancellation{Key: k, Caller: "tester"}); fault.ReasonOf(err) != "TASK_ENDED" && fault.KindOf(err) != fault.NotFound && err != nil {
			t.Errorf("%s: Cancel() = %v", when, err)
		}
		if dies {
			s.kill()
		}
	}
	s.start()
	var task orchestrator.Task
	task, err := s.engine.Submit(t.Context(), submission)
	for try := 0; err != nil && try < 3; try++ {
		s.restartIfDead()
		task, err = s.engine.Submit(t.Context(), submission)
	}
	if fault.ReasonOf(err) == "DEADLINE_OUT_OF_RANGE" { // it was never accepted
		s.stop()
		return true
	}
	if err != nil {
		t.Fatalf("%s: Submit() = %v", when, err)
	}
	watch := look(t.Context(), task.Key(), s.use)
	s.minutes(10)
	s.stop()
	watch.check(t, when, s.store, k)
	w.check(t, when, k, how)
	checkNothingLeft(t, when, s.store)
	return m.met()
}

// use is the engine, unless it is dead.
func (s *simulation) use() *engine.Engine {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.life.dead.Load() {
		return nil
	}
	return s.engine
}

// checkNothingLeft looks for tasks that somebody still has to work on.
func checkNothingLeft(t *testing.T, when string, store *storetest.Memory) {
	t.Helper()
	for shard := range orchestrator.Shards {
		if left, err := store.Unfinished(t.Context(), shard, orchestrator.Key{}, 10); err != nil || len(left) > 0 {
			t.Errorf("%s: Unfinished(%d) = %v, %v, want that nobody works on anything", when, shard, left, err)
		}
	}
}

// closing is a worker that notes what it gets after the end of the task that it all is for, and how all tasks end.
type closing struct {
	*worker

	state sync.Mutex
	tasks map[orchestrator.Key]orchestrator.Task // guarded by state; as they were last written
	ends  map[orchestrator.Key]int               // guarded by state
	ended time.Time                              // guarded by state; when the task without a parent did; zero before
	late  []string                               // guarded by state; ids of messages that came later
}

// note notes a task that is written.
func (c *closing) note(t orchestrator.Task) {
	c.state.Lock()
	defer c.state.Unlock()
	if c.tasks == nil {
		c.tasks, c.ends = make(map[orchestrator.Key]orchestrator.Task), make(map[orchestrator.Key]int)
	}
	k := t.Key()
	if before := c.tasks[k]; t.Ended() && !before.Ended() {
		c.ends[k]++
		if t.Parent == nil {
			c.ended = time.Now()
		}
	} else if before.Ended() && before.State != t.State {
		c.ends[k]++
	}
	c.tasks[k] = t
}

func (c *closing) Send(ctx context.Context, m *a2apb.Message, stream bool, each agentclient.Each) error {
	c.state.Lock()
	if !c.ended.IsZero() && time.Since(c.ended) > 0 { // what was on its way at that moment may arrive
		c.late = append(c.late, m.GetMessageId())
	}
	c.state.Unlock()
	return c.worker.Send(ctx, m, stream, each)
}

// check looks at how the task and those of its steps have ended.
func (c *closing) check(t *testing.T, when string, k orchestrator.Key, how ending) {
	t.Helper()
	task := c.tasks[k]
	reason := map[ending]string{canceled: "CANCELED", overdue: "DEADLINE_EXCEEDED"}[how]
	if task.State != a2apb.TaskState_TASK_STATE_COMPLETED && (task.Error == nil || task.Error.Reason != reason) {
		t.Errorf("%s: the task is in state %s (%+v), want completed or %s", when, task.State, task.Error, reason)
	}
	for k, one := range c.tasks {
		if c.ends[k] != 1 {
			t.Errorf("%s: task %s of %q is in state %s after %d ends, want one", when, k.ID, one.Agent, one.State, c.ends[k])
		}
		for _, a := range one.Attempts {
			if n, done := c.count(a.MessageID), c.done[a.MessageID]; n > a.Sends || done > 1 {
				t.Errorf("%s: message %s was sent %d times and worked on %d times, and %d sends are on record", when, a.MessageID, n, done, a.Sends)
			}
		}
	}
	for i, step := range planSteps(&task) {
		child, begun := c.tasks[orchestrator.Key{Tenant: k.Tenant, ID: step.TaskID}]
		if begun != (step.TaskID != "") || begun && child.State != step.State {
			t.Errorf("%s: step %d is %+v, and its task in state %s, want the same", when, i+1, step, child.State)
		}
	}
	if len(c.late) > 0 {
		t.Errorf("%s: an agent got messages %v after the end", when, c.late)
	}
}

// count returns how often a message came.
func (c *closing) count(id string) (n int) {
	for _, got := range c.sent() {
		if got == id {
			n++
		}
	}
	return n
}

func planSteps(t *orchestrator.Task) []orchestrator.Step {
	if t.Plan == nil {
		return nil
	}
	return t.Plan.Steps
}
