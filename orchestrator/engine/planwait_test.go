package engine_test

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/a2aproject/a2a-go/v2/a2apb/v1"

	"github.com/quorate/quorate/consultation"
	"github.com/quorate/quorate/orchestrator"
	"github.com/quorate/quorate/orchestrator/agentclient"
	"github.com/quorate/quorate/orchestrator/engine"
	"github.com/quorate/quorate/platform/fault"
	"github.com/quorate/quorate/registry/agentcard"
)

func TestATaskShowsWhatItsStepAsksAndTakesTheReply(t *testing.T) {
	t.Parallel()
	for _, state := range []a2apb.TaskState{a2apb.TaskState_TASK_STATE_INPUT_REQUIRED, a2apb.TaskState_TASK_STATE_AUTH_REQUIRED} {
		t.Run(state.String(), func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, asks(state, "which?"))
			task, _ := w.await(w.submit(engine.Submission{Route: toAll}).ID)
			if task.State != state || task.StatusMessage.GetParts()[0].GetText() != "which?" || task.Blocked() || !task.AwaitsCaller() {
				t.Errorf("the task is in state %s saying %v, want %s and the question", task.State, task.StatusMessage, state)
			}
			for _, test := range []struct{ words, request, want string }{
				{"that one", "1", ""}, {"that one", "1", ""}, {"another", "1", "REQUEST_ID_REUSED"},
			} {
				if got := w.reply(task.ID, test.words, test.request); got != test.want {
					t.Errorf("Reply(%q, %s) = %q, want %q", test.words, test.request, got, test.want)
				}
			}
			done, _ := w.awaitEnd(task.ID)
			if done.State != a2apb.TaskState_TASK_STATE_COMPLETED || done.Artifacts[0].GetParts()[0].GetText() != "told that one" || len(done.Turns) != 2 {
				t.Errorf("the task is in state %s with %v and %d turns, want completed with the reply, and 2", done.State, done.Artifacts, len(done.Turns))
			}
		})
	}
}

func TestTheQuestionOfAStepBehindAReviewIsHeldBack(t *testing.T) {
	t.Parallel()
	a := asks(a2apb.TaskState_TASK_STATE_INPUT_REQUIRED, "secret?")
	a.requirements = []agentcard.ConsultationRequirement{{ID: "look", TargetAgent: "reviewer", Phase: "pre-completion", Mandatory: true}}
	w := newWorld(t, a, &actor{name: "reviewer"})
	id := w.submit(engine.Submission{Route: toAll}).ID
	task, _ := w.await(id)
	if said := task.StatusMessage.GetParts()[0].GetText(); !strings.Contains(said, "held back") || !task.AwaitsCaller() {
		t.Errorf("the task is in state %s saying %q, want it to wait without the agent's words", task.State, said)
	}
	if got := w.reply(id, "that one", ""); got != "" {
		t.Errorf("Reply() = %s, want it taken", got)
	}
	blocked := w.until(id, (*orchestrator.Task).Blocked)
	if got := w.reply(id, "more", ""); got != "TASK_NOT_WAITING" || blocked.Error == nil || blocked.Error.Reason != "CONSULTATION_MISSING" || blocked.AwaitsCaller() {
		t.Errorf("Reply() = %s, the task's error is %+v, want TASK_NOT_WAITING and what its gate waits for", got, blocked.Error)
	}
	judged, err := w.engine.Subjects(t.Context(), tenant, id)
	if err != nil || len(judged) != 1 || judged[0].TaskID != blocked.Plan.Waiting().TaskID || len(judged[0].Requirements) != 1 {
		t.Errorf("Subjects() = %+v, %v, want what the step's task is judged on", judged, err)
	}
	if _, err := w.engine.Consult(t.Context(), tenant, id, "look", nil, consultation.Request{}); fault.ReasonOf(err) != "REQUIREMENT_NOT_FOUND" || !strings.Contains(err.Error(), "step") {
		t.Errorf("Consult(the plan's task) = %v, want REQUIREMENT_NOT_FOUND and word of its steps", err)
	}
}

// TestATaskIsNotJudgedByStepsThatItDidWithout has one of two agents, of which one suffices, be held by its gate.
func TestATaskIsNotJudgedByStepsThatItDidWithout(t *testing.T) {
	t.Parallel()
	begin := make(chan struct{})
	held := &actor{name: "held", skill: "work", play: delivers("a page"), requirements: requirement("pre-completion")}
	free := &actor{name: "free", skill: "work", play: func(ctx context.Context, m *a2apb.Message, say agentclient.Each) error {
		<-begin
		return delivers("the page")(ctx, m, say)
	}}
	w := newWorld(t, held, free, &actor{name: "reviewer"})
	id := w.submit(engine.Submission{Route: orchestrator.Route{Skill: "work", FanOut: &orchestrator.FanOut{Mode: orchestrator.PlanAny}}, Attributes: sensitive}).ID
	waiting := w.until(id, (*orchestrator.Task).Blocked).Plan.Waiting().TaskID
	judged := func() (ids []string) {
		list, err := w.engine.Subjects(t.Context(), tenant, id)
		if err != nil {
			t.Fatal(err)
		}
		for _, s := range list {
			ids = append(ids, s.TaskID)
		}
		return ids
	}
	if got := judged(); !slices.Contains(got, waiting) {
		t.Errorf("Subjects() = %v while the step %s waits, want it among them", got, waiting)
	}
	close(begin)
	if task, _ := w.awaitEnd(id); task.State != a2apb.TaskState_TASK_STATE_COMPLETED {
		t.Fatalf("state %s, want completed by the other agent", task.State)
	}
	if got := judged(); len(got) != 1 || slices.Contains(got, waiting) {
		t.Errorf("Subjects() = %v of the completed task, want the step that did it alone, and not %s", got, waiting)
	}
}

func TestATaskGoesOnWithTheConsultationThatItsStepWaitsFor(t *testing.T) {
	t.Parallel()
	a := asks(a2apb.TaskState_TASK_STATE_INPUT_REQUIRED, "which?")
	a.requirements = requirement("pre-execution")
	w := newWorld(t, a, &actor{name: "reviewer", play: func(ctx context.Context, _ *a2apb.Message, _ agentclient.Each) error {
		<-ctx.Done() // it thinks
		return ctx.Err()
	}})
	task, _ := w.await(w.submit(engine.Submission{Route: toAll, Attributes: sensitive}).ID)
	step := task.Plan.Waiting().TaskID
	if _, err := w.engine.Consult(t.Context(), tenant, step, "r", nil, consultation.Request{}); err != nil {
		t.Fatalf("Consult() = %v", err)
	}
	log, err := w.store.Events(t.Context(), task.Key(), task.LastEvent, 1)
	if now := w.task(task.ID); err != nil || len(log) != 1 || now.Blocked() || now.Error != nil || !strings.HasSuffix(log[0].Detail, "task "+step+" goes on") {
		t.Errorf("events after the request = %+v, %v; the task is in state %s with error %v, want that it goes on", log, err, now.State, now.Error)
	}
	if _, err := w.engine.Cancel(t.Context(), engine.Cancellation{Key: task.Key(), Caller: "tester"}); err != nil {
		t.Fatal(err)
	}
	w.awaitEnd(task.ID)
	if log, err = w.store.Events(t.Context(), task.Key(), 0, 100); err != nil {
		t.Fatal(err)
	}
	log = slices.DeleteFunc(log, func(e orchestrator.Event) bool { return !strings.HasSuffix(e.Detail, "task "+step+" goes on") })
	if len(log) != 1 {
		t.Errorf("the log says %d times that the step goes on, want once: %+v", len(log), log)
	}
}

func TestATaskThatEndsWhileItsStepWaitsAsksNoMore(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		ready := make(chan struct{})
		quick := &actor{name: "quick", skill: "work", play: func(_ context.Context, _ *a2apb.Message, say agentclient.Each) error {
			<-ready
			return say(snapshot("r1", a2apb.TaskState_TASK_STATE_COMPLETED, "", "done"))
		}}
		w := newWorld(t, asks(a2apb.TaskState_TASK_STATE_INPUT_REQUIRED, "which?"), quick)
		cancel := func(id string) {
			if _, err := w.engine.Cancel(t.Context(), engine.Cancellation{Key: orchestrator.Key{Tenant: tenant, ID: id}, Caller: "tester"}); err != nil {
				t.Error(err)
			}
		}
		for name, test := range map[string]struct {
			mode string
			time time.Duration // it has
			end  func(id string)
			want a2apb.TaskState
			step a2apb.TaskState // unspecified if either may come first: its own deadline, or that it is canceled at the task's
		}{
			"canceled":          {orchestrator.PlanAll, limit, cancel, a2apb.TaskState_TASK_STATE_CANCELED, a2apb.TaskState_TASK_STATE_CANCELED},
			"done by the other": {orchestrator.PlanAny, limit, func(string) { close(ready) }, a2apb.TaskState_TASK_STATE_COMPLETED, a2apb.TaskState_TASK_STATE_CANCELED},
			"out of time":       {orchestrator.PlanAll, time.Second, func(string) {}, a2apb.TaskState_TASK_STATE_FAILED, a2apb.TaskState_TASK_STATE_UNSPECIFIED},
		} {
			route := orchestrator.Route{Skill: "work", FanOut: &orchestrator.FanOut{Mode: test.mode}}
			task, _ := w.await(w.submit(engine.Submission{Route: route, Deadline: time.Now().Add(test.time)}).ID)
			test.end(task.ID)
			done, _ := w.awaitEnd(task.ID)
			if done.State != test.want || done.StatusMessage != nil || done.Plan.Waiting() != nil {
				t.Errorf("%s: the task is in state %s saying %v, want %s and nothing", name, done.State, done.StatusMessage, test.want)
			}
			i := task.Plan.Asking.Step - 1
			child, _ := w.awaitEnd(done.Plan.Steps[i].TaskID)
			if want := cmp.Or(test.step, child.State); child.State != want || done.Plan.Steps[i].State != want {
				t.Errorf("%s: the step that asked is %s and its task %s, want both %s", name, done.Plan.Steps[i].State, child.State, want)
			}
		}
	})
}

func TestATaskWhoseStepsWorkWorks(t *testing.T) {
	t.Parallel()
	w := newWorld(t, &actor{name: "slow", skill: "work", play: func(ctx context.Context, _ *a2apb.Message, _ agentclient.Each) error {
		<-ctx.Done()
		return ctx.Err()
	}})
	task := w.until(w.submit(engine.Submission{Route: toAll}).ID, func(t *orchestrator.Task) bool { return stepRuns(t, 0) })
	if task.State != a2apb.TaskState_TASK_STATE_WORKING {
		t.Errorf("the task is in state %s, want it to work", task.State)
	}
}

// TestAQuestionComesBeforeAGate has the tasks of two steps wait, for a reply and for a consultation, in any order.
func TestAQuestionComesBeforeAGate(t *testing.T) {
	t.Parallel()
	for name, names := range map[string][2]string{"the question first": {"a", "b"}, "the gate first": {"b", "a"}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			asker, gated := asks(a2apb.TaskState_TASK_STATE_INPUT_REQUIRED, "which?"), &actor{name: names[1], skill: "work", play: delivers("done"), requirements: requirement("pre-completion")}
			asker.name = names[0]
			w := newWorld(t, asker, gated, &actor{name: "reviewer", play: delivers("done")})
			task := w.submit(engine.Submission{Route: toAll, Attributes: sensitive})
			both := func(t *orchestrator.Task) bool {
				return !slices.ContainsFunc(t.Plan.Steps, func(s orchestrator.Step) bool { return s.State != a2apb.TaskState_TASK_STATE_INPUT_REQUIRED })
			}
			task = w.until(task.ID, func(t *orchestrator.Task) bool { return both(t) && t.Plan.Waiting() != nil })
			if waits := task.Plan.Waiting(); waits.Agent != asker.name || messageOf(task.StatusMessage) != "which?" {
				t.Errorf("the task shows that %s waits, saying %v, want the question", waits.Agent, task.StatusMessage)
			}
		})
	}
}
