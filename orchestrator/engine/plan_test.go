package engine_test

import (
	"context"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/a2aproject/a2a-go/v2/a2apb/v1"

	"github.com/quorate/quorate/orchestrator"
	"github.com/quorate/quorate/orchestrator/agentclient"
	"github.com/quorate/quorate/orchestrator/engine"
	"github.com/quorate/quorate/platform/fault"
	"github.com/quorate/quorate/registry"
	"github.com/quorate/quorate/registry/agentcard"
)

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

// TestAChainTakesTheInputsThatAreMeant has inputs that the contract does not name: an agent knows them by its own names, as when it does a task alone.
func TestAChainTakesTheInputsThatAreMeant(t *testing.T) {
	given := func(name, kind string) orchestrator.Input {
		return orchestrator.Input{Name: name, SemanticType: kind, Parts: text(name).GetParts()}
	}
	comment := orchestrator.Typed{SemanticType: "comment"}
	for name, test := range map[string]struct {
		contract []orchestrator.Typed
		inputs   []orchestrator.Input
		want     string
	}{
		"by the names that the agent has for them": {[]orchestrator.Typed{comment, comment}, []orchestrator.Input{given("tone", ""), given("idea", "")}, "idea, tone"},
		"by their types, each once":                {[]orchestrator.Typed{comment, comment}, []orchestrator.Input{given("a", "comment"), given("b", "comment")}, "a, b"},
		"by a name first, whatever the order":      {[]orchestrator.Typed{comment, comment}, []orchestrator.Input{given("idea", "comment"), given("b", "comment")}, "idea, b"},
		"by the names in the contract": {
			[]orchestrator.Typed{{Name: "b", SemanticType: "comment"}, {Name: "tone", SemanticType: "comment"}}, []orchestrator.Input{given("tone", ""), given("b", "")}, "b, tone",
		},
	} {
		t.Run(name, func(t *testing.T) {
			list := threeInAChain()
			list[0].inputs = append(list[0].inputs, agentcard.InputSchema{Name: "tone", SemanticType: "comment", Required: true})
			list[0].play = func(_ context.Context, m *a2apb.Message, say agentclient.Each) error {
				return say(snapshot("r", a2apb.TaskState_TASK_STATE_COMPLETED, "", input(m, "idea")+", "+input(m, "tone")))
			}
			w, s := newWorld(t, list...), chained()
			s.Route.Contract.Inputs, s.Inputs = test.contract, test.inputs
			task, log := w.awaitEnd(w.submit(s).ID)
			if want := "builder(coder(" + test.want + "))"; len(task.Artifacts) != 1 || task.Artifacts[0].GetParts()[0].GetText() != want {
				t.Errorf("state %s (%v) with %v, want %q; log %v", task.State, task.Error, task.Artifacts, want, log)
			}
		})
	}
}

// TestInputsThatNoAgentOfAChainRequiresGoToAll has inputs that the second agent may do with, that nobody knows, and of which the second agent gets another.
func TestInputsThatNoAgentOfAChainRequiresGoToAll(t *testing.T) {
	list := threeInAChain()
	list[1].inputs = append(list[1].inputs, agentcard.InputSchema{Name: "style", SemanticType: "comment"})
	w, s := newWorld(t, list...), chained()
	for name, value := range map[string]string{"style": "neat", "color": "red", "stories": "old ones"} {
		s.Inputs = append(s.Inputs, orchestrator.Input{Name: name, Parts: text(value).GetParts()})
	}
	task, log := w.awaitEnd(w.submit(s).ID)
	if want := "builder(coder(analyst(a shop)))"; len(task.Artifacts) != 1 || task.Artifacts[0].GetParts()[0].GetText() != want {
		t.Errorf("state %s (%v) with %v, want %q; log %v", task.State, task.Error, task.Artifacts, want, log)
	}
	for _, a := range list {
		for _, m := range a.sends() {
			if style, color, wish := input(m, "style"), input(m, "color"), input(m, "wish"); style != "neat" || color != "red" || wish != "" {
				t.Errorf("%s got the style %q, the color %q and the wish %q, want neat, red and, since it is another agent's input, nothing", a.name, style, color, wish)
			}
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

// TestAChainPassesOnWhatIsMeant has the first agent of a chain deliver more than the output that it declares, which it names in one way or another and
// once delivers in pieces.
func TestAChainPassesOnWhatIsMeant(t *testing.T) {
	t.Parallel()
	pieces := slices.Concat(text("the st").GetParts(), text("ories").GetParts())
	for name, made := range map[string]*a2apb.Artifact{
		"by its name": {ArtifactId: "1", Name: "stories", Parts: text("the stories").GetParts()}, "by its id": {ArtifactId: "stories", Parts: pieces},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			list := threeInAChain()
			list[0].play = func(_ context.Context, _ *a2apb.Message, say agentclient.Each) error {
				notes := &a2apb.Artifact{ArtifactId: "2", Name: "notes", Parts: text("the notes").GetParts()}
				return say(snapshotOf(withArtifacts(remoteTask("r", a2apb.TaskState_TASK_STATE_COMPLETED, ""), notes, made)))
			}
			w := newWorld(t, list...)
			task, log := w.awaitEnd(w.submit(chained()).ID)
			if want := "builder(coder(the stories))"; task.State != a2apb.TaskState_TASK_STATE_COMPLETED || task.Artifacts[0].GetParts()[0].GetText() != want {
				t.Errorf("state %s (%+v) with %v, want %s; log %v", task.State, task.Error, task.Artifacts, want, log)
			}
		})
	}
}
