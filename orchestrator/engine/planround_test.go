package engine_test

import (
	"context"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/a2aproject/a2a-go/v2/a2apb/v1"

	"github.com/quorate/quorate/orchestrator"
	"github.com/quorate/quorate/orchestrator/agentclient"
	"github.com/quorate/quorate/orchestrator/engine"
	"github.com/quorate/quorate/orchestrator/storetest"
	"github.com/quorate/quorate/registry"
)

// TestAPlanEndsThoughAStepWaitsToBeTriedAgain has one of two agents, of which one suffices, be away by the time that its step begins: when the other one
// is done, the task ends at once, however long it is until the step is tried again.
func TestAPlanEndsThoughAStepWaitsToBeTriedAgain(t *testing.T) {
	t.Parallel()
	for _, takes := range []time.Duration{10 * time.Second, 20 * time.Second, 40 * time.Second} { // the pauses grow, and vary
		t.Run(takes.String(), func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) { anyOfTwo(t, takes) })
		})
	}
}

func anyOfTwo(t *testing.T, takes time.Duration) {
	t.Helper()
	w := newWorker()
	w.takes = takes
	gone := &actor{name: "gone", skill: "work"}
	s := &simulation{t: t, store: &storetest.Memory{}, worker: w, client: w, actors: map[string]*actor{"gone": gone, "here": {name: "here", skill: "work"}}}
	work := s.boot()
	task, err := s.engine.Submit(t.Context(), engine.Submission{
		Tenant: tenant, Caller: "tester", Message: text("do it"), Route: orchestrator.Route{Skill: "work", FanOut: &orchestrator.FanOut{Mode: orchestrator.PlanAny}},
	})
	if err != nil {
		t.Fatal(err)
	}
	gone.mu.Lock()
	gone.status = registry.StatusUnavailable
	gone.mu.Unlock()
	work()
	s.minutes(2)
	s.stop()
	got, err := s.store.Task(t.Context(), orchestrator.Key{Tenant: tenant, ID: task.ID})
	if err != nil || got.State != a2apb.TaskState_TASK_STATE_COMPLETED {
		t.Fatalf("the task is in state %s (%+v), %v, want completed", got.State, got.Error, err)
	}
	for _, step := range got.Plan.Steps {
		if step.TaskID == "" {
			continue
		}
		done, err := s.store.Task(t.Context(), orchestrator.Key{Tenant: tenant, ID: step.TaskID})
		if late := got.UpdateTime.Sub(done.UpdateTime); err != nil || late > time.Second {
			t.Errorf("the task ended %s after its step (%v), want at once", late, err)
		}
	}
}

// swapped is a store in which, once it is armed, a step is completed by another agent right after it was read.
type swapped struct {
	orchestrator.Store
	armed atomic.Bool
}

func (s *swapped) Task(ctx context.Context, k orchestrator.Key) (orchestrator.Task, error) {
	t, err := s.Store.Task(ctx, k)
	if err != nil || !t.IsStep() || !s.armed.CompareAndSwap(true, false) {
		return t, err
	}
	_, err = s.Update(ctx, k, func(t *orchestrator.Task) ([]orchestrator.Event, error) {
		t.Agent, t.Phase, t.State = "spare", orchestrator.PhaseDone, a2apb.TaskState_TASK_STATE_COMPLETED
		t.Artifacts = remoteTask("", t.State, "", "done").GetArtifacts()
		return nil, nil
	})
	return t, err
}

// TestWhatAStepMadeInTheLastMomentIsThatOfItsAgent has another agent take over and complete a step while its task is being canceled.
func TestWhatAStepMadeInTheLastMomentIsThatOfItsAgent(t *testing.T) {
	t.Parallel()
	list, begun := withASpare(), make(chan struct{})
	begin := sync.OnceFunc(func() { close(begun) })
	list[0].play = func(ctx context.Context, _ *a2apb.Message, _ agentclient.Each) error {
		begin()
		<-ctx.Done()
		return ctx.Err()
	}
	s := &swapped{}
	w := newWorldWith(t, func(w *world) {
		w.before = func(o orchestrator.Store) orchestrator.Store {
			s.Store = o
			return s
		}
	}, list...)
	id := w.submit(chained()).ID
	<-begun
	w.until(id, func(t *orchestrator.Task) bool { return stepRuns(t, 0) }) // the step may begin before the task says so
	s.armed.Store(true)
	if _, err := w.engine.Cancel(t.Context(), engine.Cancellation{Key: orchestrator.Key{Tenant: tenant, ID: id}, Caller: "tester"}); err != nil {
		t.Fatal(err)
	}
	task, log := w.awaitEnd(id)
	if len(task.Artifacts) != 1 || task.Artifacts[0].GetArtifactId() != "spare/a" || task.Plan.Steps[0].Agent != "spare" {
		t.Errorf("the task has %v, and its first step was done by %s, want the artifact of the spare agent; log %v", task.Artifacts, task.Plan.Steps[0].Agent, log)
	}
}

// firstQuick is a worker that has done the work of the first message when it answers, and takes its time for others.
type firstQuick struct {
	*worker
	answered atomic.Bool
}

func (q *firstQuick) Send(ctx context.Context, m *a2apb.Message, stream bool, each agentclient.Each) error {
	if q.answered.CompareAndSwap(false, true) {
		return prompt{q.worker}.Send(ctx, m, stream, each)
	}
	return q.worker.Send(ctx, m, stream, each)
}

// TestAPlanEndsThoughItsStepsAreNoLongerKept has no replica run for so long that the retention of a completed step is over, which begins with the deadline.
func TestAPlanEndsThoughItsStepsAreNoLongerKept(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := newWorker()
		w.takes = 24 * time.Hour
		s := &simulation{t: t, store: &storetest.Memory{}, worker: w, client: &firstQuick{worker: w}, actors: map[string]*actor{
			"one": {name: "one", skill: "work"}, "two": {name: "two", skill: "work"},
		}}
		s.start()
		task, err := s.engine.Submit(t.Context(), engine.Submission{
			Tenant: tenant, Caller: "tester", Message: text("do it"), Route: toAll, Deadline: time.Now().Add(time.Hour),
		})
		if err != nil {
			t.Fatal(err)
		}
		s.minutes(1)
		s.stop()
		k := task.Key()
		half, err := s.store.Task(t.Context(), k)
		if err != nil || half.Plan.Completed() != 1 {
			t.Fatalf("the plan is %+v, %v, want one step completed", half.Plan, err)
		}
		for i := range half.Plan.Steps {
			if step := &half.Plan.Steps[i]; step.State == a2apb.TaskState_TASK_STATE_COMPLETED {
				s.store.Forget(orchestrator.Key{Tenant: tenant, ID: step.TaskID})
			}
		}
		<-time.After(2 * time.Hour)
		s.start()
		s.minutes(5)
		s.stop()
		got, err := s.store.Task(t.Context(), k)
		if err != nil || got.State != a2apb.TaskState_TASK_STATE_FAILED || got.Error.Reason != "DEADLINE_EXCEEDED" {
			t.Errorf("the task is in state %s (%+v), %v, want failed by its deadline", got.State, got.Error, err)
		}
	})
}

// pieces are so many that a task holds them once and not twice.
const pieces = 10

// much is the play of an agent that delivers them.
func much(_ context.Context, _ *a2apb.Message, say agentclient.Each) error {
	contents := slices.Repeat([]string{strings.Repeat("x", orchestrator.MaxTaskBytes*3/4/pieces)}, pieces)
	return say(snapshot("r1", a2apb.TaskState_TASK_STATE_COMPLETED, "", contents...))
}

func fansOut(mode string) engine.Submission {
	return engine.Submission{Route: orchestrator.Route{Skill: "work", FanOut: &orchestrator.FanOut{Mode: mode}}}
}

func TestMoreThanIsNeededDoesNotMakeATaskTooLarge(t *testing.T) {
	finish := make(chan struct{})
	w := newWorld(t, &actor{name: "quick", skill: "work", play: much}, &actor{name: "slow", skill: "work", play: after(finish, much)})
	w.before = func(s orchestrator.Store) orchestrator.Store {
		return &overtakenCancel{Store: s, overtake: sync.OnceFunc(func() { close(finish) })}
	}
	w.restart()
	task, _ := w.awaitEnd(w.submit(fansOut(orchestrator.PlanAny)).ID)
	if task.State != a2apb.TaskState_TASK_STATE_COMPLETED || len(task.Artifacts) != pieces || task.Plan.Completed() != 2 {
		t.Errorf("state %s (%v), %d artifacts of %d completed steps, want completed with what one of two steps made", task.State, task.Error, len(task.Artifacts), task.Plan.Completed())
	}
}

func TestWhatIsKeptOfALostPlanIsWhatThereIsRoomFor(t *testing.T) {
	fail := make(chan struct{})
	w := newWorld(t, &actor{name: "one", skill: "work", play: much}, &actor{name: "two", skill: "work", play: much},
		&actor{name: "bad", skill: "work", play: after(fail, fails("cannot"))})
	id := w.submit(fansOut(orchestrator.PlanAll)).ID
	w.awaitCompleted(id, 2)
	close(fail)
	task, _ := w.awaitEnd(id)
	if task.State != a2apb.TaskState_TASK_STATE_FAILED || task.Error.Reason != "STEPS_FAILED" || len(task.Artifacts) != pieces {
		t.Errorf("state %s, %d artifacts, %s, want failed by its step, with what one made", task.State, len(task.Artifacts), task.Error.Reason)
	}
}

func TestAPlanWhoseResultsAreTooLargeSaysSo(t *testing.T) {
	w := newWorld(t, &actor{name: "one", skill: "work", play: much}, &actor{name: "two", skill: "work", play: much})
	task, _ := w.awaitEnd(w.submit(fansOut(orchestrator.PlanAll)).ID)
	if task.State != a2apb.TaskState_TASK_STATE_FAILED || task.Error.Reason != "RESULTS_TOO_LARGE" || len(task.Artifacts) != 0 {
		t.Errorf("state %s, %d artifacts, %v, want failed since they are too large", task.State, len(task.Artifacts), task.Error)
	}
}
