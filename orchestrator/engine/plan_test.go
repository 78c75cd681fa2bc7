package engine_test

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/a2aproject/a2a-go/v2/a2apb/v1"

	"github.com/quorate/quorate/orchestrator"
	"github.com/quorate/quorate/orchestrator/agentclient"
	"github.com/quorate/quorate/orchestrator/engine"
	"github.com/quorate/quorate/platform/fault"
	"github.com/quorate/quorate/registry"
	"github.com/quorate/quorate/registry/agentcard"
)

// turns plays an agent of a chain: what it delivers says what it was given.
func turns(name, in, inType, out, outType string) *actor {
	a := &actor{name: name, skill: "work"}
	a.inputs = []agentcard.InputSchema{{Name: in, SemanticType: inType, Required: true}}
	a.outputs = []agentcard.OutputSchema{{Name: out, SemanticType: outType, Guaranteed: true}}
	a.play = func(_ context.Context, m *a2apb.Message, say agentclient.Each) error {
		return say(snapshot("r", a2apb.TaskState_TASK_STATE_COMPLETED, "", fmt.Sprintf("%s(%s)", name, input(m, in))))
	}
	return a
}

// input is what a message brings as an input.
func input(m *a2apb.Message, name string) string {
	var texts []string
	for _, p := range m.GetParts() {
		if p.GetMetadata().GetFields()["input"].GetStringValue() == name {
			texts = append(texts, p.GetText())
		}
	}
	return strings.Join(texts, "+")
}

func chained() engine.Submission {
	return engine.Submission{
		Route: orchestrator.Route{Contract: &orchestrator.Contract{
			Inputs: []orchestrator.Typed{{SemanticType: "comment"}}, Output: orchestrator.Typed{SemanticType: "collection"},
		}},
		Inputs: []orchestrator.Input{{Name: "wish", SemanticType: "comment", Parts: text("a shop").GetParts()}},
	}
}

func threeInAChain() []*actor {
	return []*actor{
		turns("analyst", "idea", "comment", "stories", "reference"), turns("coder", "stories", "reference", "code", "artifact"),
		turns("builder", "code", "artifact", "site", "collection"),
	}
}

// TestAStepThatCannotBeginYetIsTriedAgain has the second agent of a chain, in whose place there is nobody, be away when the first is done.
func TestAStepThatCannotBeginYetIsTriedAgain(t *testing.T) {
	for name, comesBack := range map[string]bool{"and begins when its agent is back": true, "and ends when it stays away": false} {
		t.Run(name, func(t *testing.T) {
			list := threeInAChain()
			be := func(status string) {
				list[1].mu.Lock()
				defer list[1].mu.Unlock()
				list[1].status = status
			}
			play := list[0].play
			list[0].play = func(ctx context.Context, m *a2apb.Message, say agentclient.Each) error {
				be(registry.StatusUnavailable)
				return play(ctx, m, say)
			}
			w := newWorld(t, list...)
			id := w.submit(chained()).ID
			tried := 0
			task, err := w.engine.Watch(t.Context(), orchestrator.Key{Tenant: tenant, ID: id}, 0, true, func(e orchestrator.Event) error {
				if strings.Contains(e.Detail, "trying again") {
					if tried++; comesBack {
						be(registry.StatusAvailable)
					}
				}
				return nil
			})
			if completed := task.State == a2apb.TaskState_TASK_STATE_COMPLETED; err != nil || completed != comesBack || tried == 0 {
				t.Errorf("state %s (%+v) after %d tries, %v, want it completed: %t", task.State, task.Error, tried, err, comesBack)
			}
			if !comesBack && (task.Error.Reason != "STEPS_FAILED" || !strings.Contains(task.Error.Message, "NO_AGENT_AVAILABLE") || len(list[2].sends()) != 0) {
				t.Errorf("error %+v, and the third agent got %d messages, want the second one's absence and none", task.Error, len(list[2].sends()))
			}
		})
	}
}

func TestAChainRunsAsOneTask(t *testing.T) {
	w := newWorld(t, threeInAChain()...)
	task, log := w.awaitEnd(w.submit(chained()).ID)
	if task.State != a2apb.TaskState_TASK_STATE_COMPLETED || len(task.Artifacts) != 1 {
		t.Fatalf("state %s (%v) with %d artifacts, want completed with one; log %v", task.State, task.Error, len(task.Artifacts), log)
	}
	if got, want := task.Artifacts[0].GetParts()[0].GetText(), "builder(coder(analyst(a shop)))"; got != want {
		t.Errorf("delivered %q, want %q", got, want)
	}
	for i, s := range task.Plan.Steps {
		child := w.task(s.TaskID)
		if child.State != a2apb.TaskState_TASK_STATE_COMPLETED || child.Parent.TaskID != task.ID || child.Owner != task.Owner || child.TraceID != task.TraceID || child.Traced != task.Traced || !child.Deadline.Equal(task.Deadline) {
			t.Errorf("step %d is task %+v, want it completed, a child of %s, with its owner, trace and deadline", i+1, child, task.ID)
		}
	}
}

func TestAChainPassesOnWhatIsLarge(t *testing.T) {
	list := threeInAChain()
	large := strings.Repeat("x", 1<<20)
	list[0].play = func(_ context.Context, _ *a2apb.Message, say agentclient.Each) error {
		return say(snapshot("r", a2apb.TaskState_TASK_STATE_COMPLETED, "", large))
	}
	w := newWorld(t, list...)
	task, log := w.awaitEnd(w.submit(chained()).ID)
	if task.State != a2apb.TaskState_TASK_STATE_COMPLETED || task.Artifacts[0].GetParts()[0].GetText() != "builder(coder("+large+"))" {
		t.Errorf("state %s (%.300v), want completed with what the first one made, whole; log %.3000v", task.State, task.Error, log)
	}
}

// TestOnlyTheLastOfAChainMakesWhatTheCallerTakes has what stands beside the message of a chain's task: all agents get it, but only one makes what the
// caller gets.
func TestOnlyTheLastOfAChainMakesWhatTheCallerTakes(t *testing.T) {
	list := threeInAChain()
	w, s := newWorld(t, list...), chained()
	var err error
	if s.Message, err = orchestrator.EmbedRequest(&a2apb.SendMessageRequest{
		Message: text("do it"), Metadata: beside("note", "one"), Configuration: &a2apb.SendMessageConfiguration{AcceptedOutputModes: []string{"text/html"}},
	}); err != nil {
		t.Fatal(err)
	}
	w.awaitEnd(w.submit(s).ID)
	for i, a := range list {
		for _, m := range a.sends() {
			req := orchestrator.ExtractRequest(m)
			if got, want := req.GetConfiguration().GetAcceptedOutputModes(), i == len(list)-1; req.GetMetadata().AsMap()["note"] != "one" || (len(got) > 0) != want {
				t.Errorf("%s got the metadata %v and the output modes %v, want the note, and modes: %t", a.name, req.GetMetadata(), got, want)
			}
		}
	}
}

func TestAChainThatBreaksKeepsWhatWasMade(t *testing.T) {
	list := threeInAChain()
	list[1].play = fails("no compiler")
	w := newWorld(t, list...)
	task, _ := w.awaitEnd(w.submit(chained()).ID)
	if task.State != a2apb.TaskState_TASK_STATE_FAILED || task.Error.Reason != "STEPS_FAILED" || !strings.Contains(task.Error.Message, "step 2 (coder): AGENT_FAILED") {
		t.Errorf("state, error = %s, %+v, want failed with the step, its agent and why", task.State, task.Error)
	}
	if len(task.Artifacts) != 1 || task.Artifacts[0].GetArtifactId() != "analyst/a" || !task.Released {
		t.Errorf("artifacts %v, want what the analyst made", task.Artifacts)
	}
	if n := len(list[2].sends()); n != 0 {
		t.Errorf("the builder got %d messages, want none", n)
	}
}

func TestAChainGoesOnAfterARestart(t *testing.T) {
	list := threeInAChain()
	begun, play := make(chan struct{}, 1), list[1].play
	var once sync.Once
	list[1].play = func(ctx context.Context, m *a2apb.Message, say agentclient.Each) error {
		hangs := false
		once.Do(func() { hangs = true })
		if hangs {
			begun <- struct{}{}
			<-ctx.Done()
			return ctx.Err()
		}
		return play(ctx, m, say)
	}
	w := newWorld(t, list...)
	id := w.submit(chained()).ID
	<-begun
	w.restart()
	task, log := w.awaitEnd(id)
	if task.State != a2apb.TaskState_TASK_STATE_COMPLETED || len(task.Plan.Steps) != 3 {
		t.Fatalf("state %s, %v, want completed; log %v", task.State, task.Error, log)
	}
	for _, a := range list {
		for id, n := range a.executions() {
			if a != list[1] && n != 1 {
				t.Errorf("%s executed message %s %d times, want once", a.name, id, n)
			}
		}
		if n := len(a.executions()); n != 1 {
			t.Errorf("%s got %d different messages, want 1", a.name, n)
		}
	}
}

func TestTheStepsOfAChainHaveTheirOwnGates(t *testing.T) {
	list := threeInAChain()
	list[1].requirements = []agentcard.ConsultationRequirement{{ID: "look", TargetAgent: "reviewer", Phase: "pre-completion", Mandatory: true}}
	w := newWorld(t, append(list, &actor{name: "reviewer"})...)
	task, _ := w.await(w.submit(chained()).ID)
	child := w.task(task.Plan.Steps[1].TaskID)
	if task.State != a2apb.TaskState_TASK_STATE_INPUT_REQUIRED || !child.Blocked() || len(list[2].sends()) != 0 {
		t.Errorf("the task is %s, its second step %s, and the third got %d messages, want both waiting and none", task.State, child.State, len(list[2].sends()))
	}
}

func TestTheEndOfATaskIsTheEndOfItsSteps(t *testing.T) {
	list := threeInAChain()
	begun := make(chan struct{}, 1)
	list[1].play = func(ctx context.Context, _ *a2apb.Message, _ agentclient.Each) error {
		begun <- struct{}{}
		<-ctx.Done()
		return ctx.Err()
	}
	w := newWorld(t, list...)
	id := w.submit(chained()).ID
	<-begun
	k, noted := orchestrator.Key{Tenant: tenant, ID: id}, errors.New("the step is noted")
	_, err := w.engine.Watch(t.Context(), k, 0, true, func(orchestrator.Event) error { // the step may begin before the task says so
		if task := w.task(id); stepRuns(&task, 1) {
			return noted
		}
		return nil
	})
	if !errors.Is(err, noted) {
		t.Fatalf("Watch() = %v, want the second step noted", err)
	}
	if _, err := w.engine.Cancel(t.Context(), engine.Cancellation{Key: k, Caller: "tester"}); err != nil {
		t.Fatal(err)
	}
	task, _ := w.awaitEnd(id)
	child, _ := w.awaitEnd(orchestrator.TaskID(tenant, "quorate:plan", task.StepRequestID(2)))
	if task.State != a2apb.TaskState_TASK_STATE_CANCELED || child.State != a2apb.TaskState_TASK_STATE_CANCELED {
		t.Errorf("the task is %s and its second step %s, want both canceled", task.State, child.State)
	}
	if got := task.Plan.Steps[1].State; got != child.State {
		t.Errorf("the task says that its second step is %s, want %s", got, child.State)
	}
}

func TestATaskThatEndsFromOutsideKeepsWhatItsStepsCompleted(t *testing.T) {
	for name, test := range map[string]struct {
		end   func(w *world, k orchestrator.Key)
		state a2apb.TaskState
	}{
		"on request": {func(w *world, k orchestrator.Key) {
			if _, err := w.engine.Cancel(w.t.Context(), engine.Cancellation{Key: k, Caller: "tester"}); err != nil {
				w.t.Fatalf("Cancel() = %v", err)
			}
		}, a2apb.TaskState_TASK_STATE_CANCELED},
		"at its deadline": {func(w *world, _ orchestrator.Key) {
			w.restartAt(func() time.Time { return time.Now().Add(25 * time.Hour) })
		}, a2apb.TaskState_TASK_STATE_FAILED},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, &actor{name: "quick", skill: "work", play: delivers("done")}, &actor{name: "slow", skill: "work", play: after(make(chan struct{}), delivers("done"))})
			id := w.submit(engine.Submission{Route: orchestrator.Route{Skill: "work", FanOut: &orchestrator.FanOut{Mode: orchestrator.PlanAll}}}).ID
			w.awaitCompleted(id, 1)
			test.end(w, orchestrator.Key{Tenant: tenant, ID: id})
			task, log := w.awaitEnd(id)
			if task.State != test.state || len(task.Artifacts) != 1 || task.Artifacts[0].GetArtifactId() != "quick/a" {
				t.Errorf("state %s with artifacts %v, want %s with what the quick one made; log %v", task.State, task.Artifacts, test.state, log)
			}
			for _, s := range task.Plan.Steps {
				child, _ := w.awaitEnd(s.TaskID) // at the deadline it may be quicker to end by itself than to be canceled
				if completed := s.State == a2apb.TaskState_TASK_STATE_COMPLETED; completed != (s.Agent == "quick") || s.State != child.State {
					t.Errorf("the step of %s is %s, and its task %s, want the same, and only the quick one completed", s.Agent, s.State, child.State)
				}
			}
		})
	}
}

func TestATaskThatSeveralDoHasItsReceiverTold(t *testing.T) {
	r := &receiver{}
	w := newWorld(t, &actor{name: "echo", skill: "work", play: delivers("done")})
	w.told = r
	w.restart()
	task, _ := w.awaitEnd(w.submit(engine.Submission{
		Route: orchestrator.Route{Skill: "work", FanOut: &orchestrator.FanOut{Mode: orchestrator.PlanAll}}, Webhook: &orchestrator.Webhook{URL: "https://example.com", Token: "secret"},
	}).ID)
	if len(task.Webhooks) != 1 || task.Webhooks[0].URL != "https://example.com" {
		t.Errorf("receivers = %+v, want the one that was submitted", task.Webhooks)
	}
}

func TestAChainIsRefusedWithoutItsFirstInput(t *testing.T) {
	w := newWorld(t, threeInAChain()...)
	s := chained()
	s.Tenant, s.Caller, s.Message, s.Inputs = tenant, "tester", text("do it"), nil
	if _, err := w.engine.Submit(t.Context(), s); fault.ReasonOf(err) != "INPUT_MISSING" {
		t.Errorf("Submit() = %v, want INPUT_MISSING", err)
	}
	d, err := w.engine.Resolve(t.Context(), s)
	if err != nil || d.Refused == "" || d.Together() {
		t.Errorf("Resolve() = %+v, %v, want a refusal, and nobody who does it", d, err)
	}
	s.Inputs = chained().Inputs
	d, err = w.engine.Resolve(t.Context(), s)
	if err != nil || len(d.Chain) != 3 || d.Refused != "" {
		t.Errorf("Resolve() = %+v, %v, want a chain of three", d, err)
	}
	s.Message = nil
	if d, err := w.engine.Resolve(t.Context(), s); err != nil || len(d.Chain) != 3 || d.Refused != "" {
		t.Errorf("Resolve() of inputs without a message = %+v, %v, want a chain of three", d, err)
	}
}

func TestFanOut(t *testing.T) {
	tests := map[string]struct {
		fanOut orchestrator.FanOut
		good   int // of four agents
		state  a2apb.TaskState
		made   int // artifacts, at least
	}{
		"all of them":                          {orchestrator.FanOut{Mode: orchestrator.PlanAll}, 4, a2apb.TaskState_TASK_STATE_COMPLETED, 4},
		"all, when one fails, keeps the rest":  {orchestrator.FanOut{Mode: orchestrator.PlanAll}, 3, a2apb.TaskState_TASK_STATE_FAILED, 3},
		"any of them":                          {orchestrator.FanOut{Mode: orchestrator.PlanAny}, 1, a2apb.TaskState_TASK_STATE_COMPLETED, 1},
		"any, when none does":                  {orchestrator.FanOut{Mode: orchestrator.PlanAny}, 0, a2apb.TaskState_TASK_STATE_FAILED, 0},
		"two of four":                          {orchestrator.FanOut{Mode: orchestrator.PlanK, K: 2}, 2, a2apb.TaskState_TASK_STATE_COMPLETED, 2},
		"two of four, when one does, keeps it": {orchestrator.FanOut{Mode: orchestrator.PlanK, K: 2}, 1, a2apb.TaskState_TASK_STATE_FAILED, 1},
		"no more than are wanted":              {orchestrator.FanOut{Mode: orchestrator.PlanAll, Agents: 2}, 4, a2apb.TaskState_TASK_STATE_COMPLETED, 2},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			var list []*actor
			fail := make(chan struct{}) // once the good ones are done
			for i := range 4 {
				a := &actor{name: fmt.Sprintf("agent%d", i), skill: "work", play: after(fail, fails("cannot"))}
				if i < test.good {
					a.play = delivers("done")
				}
				list = append(list, a)
			}
			w := newWorld(t, list...)
			id := w.submit(engine.Submission{Route: orchestrator.Route{Skill: "work", FanOut: &test.fanOut}}).ID
			w.awaitCompleted(id, test.good)
			close(fail)
			task, log := w.awaitEnd(id)
			if task.State != test.state || len(task.Artifacts) < test.made {
				t.Errorf("state %s (%v) with %d artifacts, want %s with %d; log %v", task.State, task.Error, len(task.Artifacts), test.state, test.made, log)
			}
			if want := max(test.fanOut.Agents, 4-4*min(test.fanOut.Agents, 1)); len(task.Decision.FanOut) != want || len(task.Plan.Steps) != want {
				t.Errorf("the decision is %v and the plan has %d steps, want %d", task.Decision.FanOut, len(task.Plan.Steps), want)
			}
		})
	}
}

func TestWhatAFanOutDoesNotNeedIsCanceled(t *testing.T) {
	slow := &actor{name: "slow", skill: "work"}
	slow.play = func(ctx context.Context, _ *a2apb.Message, _ agentclient.Each) error {
		<-ctx.Done()
		return ctx.Err()
	}
	w := newWorld(t, slow, &actor{name: "quick", skill: "work", play: delivers("done")})
	task, _ := w.awaitEnd(w.submit(engine.Submission{Route: orchestrator.Route{Skill: "work", FanOut: &orchestrator.FanOut{Mode: orchestrator.PlanAny}}}).ID)
	if task.State != a2apb.TaskState_TASK_STATE_COMPLETED || len(task.Artifacts) != 1 || task.Artifacts[0].GetArtifactId() != "quick/a" {
		t.Fatalf("state %s, artifacts %v, want completed with what the quick one made", task.State, task.Artifacts)
	}
	i := slices.IndexFunc(task.Plan.Steps, func(s orchestrator.Step) bool { return s.Agent == "slow" })
	rest, _ := w.awaitEnd(task.Plan.Steps[i].TaskID)
	if rest.State != a2apb.TaskState_TASK_STATE_CANCELED {
		t.Errorf("the other step's task is %s, want canceled", rest.State)
	}
}

func TestWhatIsLeftOfAFanOutThatIsLostIsCanceled(t *testing.T) {
	never, fail := make(chan struct{}), make(chan struct{})
	w := newWorld(t, &actor{name: "quick", skill: "work", play: delivers("done")}, &actor{name: "slow", skill: "work", play: after(never, delivers("done"))},
		&actor{name: "bad", skill: "work", play: after(fail, fails("cannot"))})
	id := w.submit(engine.Submission{Route: orchestrator.Route{Skill: "work", FanOut: &orchestrator.FanOut{Mode: orchestrator.PlanAll}}}).ID
	w.awaitCompleted(id, 1)
	close(fail)
	task, log := w.awaitEnd(id)
	if task.State != a2apb.TaskState_TASK_STATE_FAILED || task.Error.Reason != "STEPS_FAILED" || !strings.Contains(task.Error.Message, "3 of 3 steps had to be completed and 1 are: ") {
		t.Errorf("state, error = %s, %+v, want failed; log %v", task.State, task.Error, log)
	}
	if len(task.Artifacts) != 1 || task.Artifacts[0].GetArtifactId() != "quick/a" {
		t.Errorf("artifacts %v, want what the quick one made", task.Artifacts)
	}
	i := slices.IndexFunc(task.Plan.Steps, func(s orchestrator.Step) bool { return s.Agent == "slow" })
	if rest, _ := w.awaitEnd(task.Plan.Steps[i].TaskID); rest.State != a2apb.TaskState_TASK_STATE_CANCELED || task.Plan.Steps[i].State != rest.State {
		t.Errorf("the slow one's task is %s, and %s in the plan, want canceled", rest.State, task.Plan.Steps[i].State)
	}
}

// TestWhatIsCompletedJustBeforeItIsCanceledIsKept has a step end by itself when the end of its fan-out is on the way to it.
func TestWhatIsCompletedJustBeforeItIsCanceledIsKept(t *testing.T) {
	finish := make(chan struct{})
	w := newWorld(t, &actor{name: "bad", skill: "work", play: fails("cannot")}, &actor{name: "slow", skill: "work", play: after(finish, delivers("done"))})
	w.before = func(s orchestrator.Store) orchestrator.Store {
		return &overtakenCancel{Store: s, overtake: sync.OnceFunc(func() { close(finish) })}
	}
	w.restart()
	task, log := w.awaitEnd(w.submit(engine.Submission{Route: orchestrator.Route{Skill: "work", FanOut: &orchestrator.FanOut{Mode: orchestrator.PlanAll}}}).ID)
	if len(task.Artifacts) != 1 || task.Artifacts[0].GetArtifactId() != "slow/a" || task.Plan.Completed() != 1 || !strings.Contains(task.Error.Message, "and 1 are: ") {
		t.Errorf("artifacts %v, error %+v, plan %+v, want what the slow one made; log %v", task.Artifacts, task.Error, task.Plan, log)
	}
}

// overtakenCancel is a store in which a task ends by itself before the wish for its end is written.
type overtakenCancel struct {
	orchestrator.Store
	overtake func()
}

func (s *overtakenCancel) Update(ctx context.Context, k orchestrator.Key, change func(*orchestrator.Task) ([]orchestrator.Event, error)) (orchestrator.Task, error) {
	canceled := errors.New("the wish for its end is on the way")
	t, err := s.Store.Update(ctx, k, func(t *orchestrator.Task) ([]orchestrator.Event, error) {
		before := t.CancelAsked
		events, err := change(t)
		if t.CancelAsked && !before {
			return nil, canceled
		}
		return events, err
	})
	if !errors.Is(err, canceled) {
		return t, err
	}
	s.overtake()
	for t, err = s.Task(ctx, k); err == nil && !t.Ended(); t, err = s.Task(ctx, k) {
		runtime.Gosched()
	}
	if err != nil {
		return t, err
	}
	return s.Store.Update(ctx, k, change)
}

// after is a play that begins when it may.
func after(may <-chan struct{}, play func(context.Context, *a2apb.Message, agentclient.Each) error) func(context.Context, *a2apb.Message, agentclient.Each) error {
	return func(ctx context.Context, m *a2apb.Message, say agentclient.Each) error {
		select {
		case <-may:
			return play(ctx, m, say)
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// awaitCompleted waits until so many steps of a task are completed, or it has ended.
func (w *world) awaitCompleted(id string, steps int) {
	w.t.Helper()
	ctx, cancel := context.WithTimeout(w.t.Context(), limit)
	defer cancel()
	enough := errors.New("enough are")
	_, err := w.engine.Watch(ctx, orchestrator.Key{Tenant: tenant, ID: id}, 0, true, func(orchestrator.Event) error {
		if w.task(id).Plan.Completed() >= steps {
			return enough
		}
		return nil
	})
	if err != nil && !errors.Is(err, enough) {
		w.t.Fatalf("Watch(%s) = %v, want %d completed steps", id, err, steps)
	}
}

func TestAFanOutThatCannotBeIsRefused(t *testing.T) {
	w := newWorld(t, &actor{name: "one", skill: "work", play: delivers("done")})
	for name, test := range map[string]struct {
		route  orchestrator.Route
		reason string
	}{
		"more than there are":     {orchestrator.Route{Skill: "work", FanOut: &orchestrator.FanOut{Mode: orchestrator.PlanK, K: 2}}, "FAN_OUT_TOO_FEW"},
		"a named agent":           {orchestrator.Route{Agent: "one", FanOut: &orchestrator.FanOut{Mode: orchestrator.PlanAll}}, "FAN_OUT_NAMED"},
		"more than the limit":     {orchestrator.Route{Skill: "work", FanOut: &orchestrator.FanOut{Mode: orchestrator.PlanAll, Agents: 21}}, "FAN_OUT_SIZE"},
		"more than are asked for": {orchestrator.Route{Skill: "work", FanOut: &orchestrator.FanOut{Mode: orchestrator.PlanK, K: 3, Agents: 2}}, "FAN_OUT_SIZE"},
		"no number":               {orchestrator.Route{Skill: "work", FanOut: &orchestrator.FanOut{Mode: orchestrator.PlanK}}, "FAN_OUT_SIZE"},
		"a number without k_of_n": {orchestrator.Route{Skill: "work", FanOut: &orchestrator.FanOut{Mode: orchestrator.PlanAll, K: 1}}, "FAN_OUT_MODE"},
		"an unknown mode":         {orchestrator.Route{Skill: "work", FanOut: &orchestrator.FanOut{Mode: "most"}}, "FAN_OUT_MODE"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := w.engine.Submit(t.Context(), engine.Submission{Tenant: tenant, Caller: "tester", Message: text("do it"), Route: test.route, Deadline: time.Now().Add(time.Minute)})
			if fault.ReasonOf(err) != test.reason {
				t.Errorf("Submit() = %v, want %s", err, test.reason)
			}
			d, told := w.engine.Resolve(t.Context(), engine.Submission{Tenant: tenant, Caller: "tester", Route: test.route})
			if fault.KindOf(err) == fault.InvalidArgument && fault.ReasonOf(told) != test.reason {
				t.Errorf("Resolve() = %+v, %v, want the error of Submit", d, told)
			}
			if fault.KindOf(err) != fault.InvalidArgument && (told != nil || d.Refused != fault.From(err).Message) {
				t.Errorf("Resolve() = %+v, %v, want a refusal that says %v", d, told, err)
			}
		})
	}
}

// stepRuns reports whether a step's task is under way, as the task says.
func stepRuns(t *orchestrator.Task, i int) bool {
	s := &t.Plan.Steps[i]
	return s.TaskID != "" && !orchestrator.Terminal(s.State)
}
