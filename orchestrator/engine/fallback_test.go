package engine_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/a2aproject/a2a-go/v2/a2apb/v1"

	"github.com/quorate/quorate/orchestrator"
	"github.com/quorate/quorate/orchestrator/agentauth"
	"github.com/quorate/quorate/orchestrator/agentclient"
	"github.com/quorate/quorate/orchestrator/engine"
	"github.com/quorate/quorate/orchestrator/router"
	"github.com/quorate/quorate/platform/fault"
	"github.com/quorate/quorate/registry"
	"github.com/quorate/quorate/registry/agentcard"
)

func TestATaskWhoseAgentCannotBeReachedGoesToTheNext(t *testing.T) {
	down := &actor{name: "down", skill: "work", down: 1000}
	up := &actor{name: "up", skill: "work", status: registry.StatusBusy, play: delivers("done")}
	w := newWorld(t, down, up)
	task, log := w.awaitEnd(w.submit(engine.Submission{Route: orchestrator.Route{Skill: "work"}}).ID)
	if task.State != a2apb.TaskState_TASK_STATE_COMPLETED || task.Agent != "up" || len(task.Attempts) != 2 {
		t.Fatalf("state %s by %s after attempts %+v, want completed by up in the second attempt; log %v", task.State, task.Agent, task.Attempts, log)
	}
	if first := task.Attempts[0]; first.Agent != "down" || first.Error.Reason != agentclient.ReasonUnreachable || first.Sends != 3 {
		t.Errorf("the first attempt is %+v, want three sends to down and why they came to nothing", first)
	}
	if task.Attempts[0].MessageID == task.Attempts[1].MessageID {
		t.Error("both attempts have the same message id, want one for each")
	}
	d := task.Decision
	if d.Chosen != "up" || len(d.Rejected) != 1 || d.Rejected[0].Agent != "down" || !strings.Contains(strings.Join(d.Candidates[0].Reasons, "; "), "down could not be reached") {
		t.Errorf("Decision = %+v, want up instead of down, with the reason", d)
	}
}

// TestAFullAgentStepsInForOneThatCannotBeReached has nobody else step in. What is full now may have room by then.
func TestAFullAgentStepsInForOneThatCannotBeReached(t *testing.T) {
	w := newWorld(t, &actor{name: "down", skill: "work", down: 1000}, &actor{name: "full", skill: "work", load: 10, play: delivers("done")})
	task, log := w.awaitEnd(w.submit(engine.Submission{Route: orchestrator.Route{Skill: "work"}}).ID)
	if task.State != a2apb.TaskState_TASK_STATE_COMPLETED || task.Agent != "full" || task.Attempts[0].Agent != "down" {
		t.Errorf("state %s by %s after attempts %+v, want completed by full after down; log %v", task.State, task.Agent, task.Attempts, log)
	}
}

// TestWhoStepsInIsHeldToItsOwnRules has an agent step in for one without rules, and for one whose message has passed its review.
func TestWhoStepsInIsHeldToItsOwnRules(t *testing.T) {
	for name, test := range map[string]struct{ before, gated string }{
		"after one without rules":            {"", "pre-completion"},
		"after a review of the same phase":   {"pre-execution", "pre-execution"},
		"after a review of an earlier phase": {"pre-execution", "pre-completion"},
	} {
		t.Run(name, func(t *testing.T) {
			var w *world
			down := &actor{name: "down", skill: "work", down: 1000}
			up := &actor{name: "up", skill: "work", status: registry.StatusBusy, play: delivers("done"), requirements: requirement(test.gated)}
			up.requirements[0].ID = "of-up"
			if test.before != "" {
				down.requirements = requirement(test.before)
			}
			w = newWorld(t, down, up, reviews(&w, "approved", "fine", true))
			task := w.submit(engine.Submission{Route: orchestrator.Route{Skill: "work"}, Attributes: sensitive})
			if test.before != "" {
				w.blockedWith(task.ID, "missing", `Requirement "r"`)
				consult(t, w, task.ID)
			}
			w.blockedWith(task.ID, "missing", `Requirement "of-up"`)
			task = w.task(task.ID)
			if task.Agent != "up" || len(task.Gates) != 1 || task.Released || test.gated == "pre-execution" && (len(up.sends()) != 0 || !task.MessageHeld()) {
				t.Errorf("the task is with %s, with the gates %+v and %d messages sent to up, want it held by the rule of up alone", task.Agent, task.Gates, len(up.sends()))
			}
		})
	}
}

func TestATaskWhoseAgentCannotBeShownACredentialGoesToTheNext(t *testing.T) {
	for reason, sends := range map[string]int{agentclient.ReasonDenied: 1, agentauth.ReasonUnfit: 1, agentauth.ReasonUnavailable: 3} {
		t.Run(reason, func(t *testing.T) {
			shut := &actor{name: "shut", skill: "work", play: func(context.Context, *a2apb.Message, agentclient.Each) error {
				return fault.New(fault.Unavailable, reason, "not without a credential")
			}}
			w := newWorld(t, shut, &actor{name: "up", skill: "work", status: registry.StatusBusy, play: delivers("done")})
			task, log := w.awaitEnd(w.submit(engine.Submission{Route: orchestrator.Route{Skill: "work"}}).ID)
			if task.State != a2apb.TaskState_TASK_STATE_COMPLETED || task.Agent != "up" || len(shut.sends()) != sends {
				t.Errorf("state %s by %s after %d sends, want completed by up after %d; log %v", task.State, task.Agent, len(shut.sends()), sends, log)
			}
		})
	}
}

func TestNobodyStepsInWhoseVersionWasNotAskedFor(t *testing.T) {
	shut, other := &actor{name: "shut", skill: "work", version: "1.0.0"}, &actor{name: "other", skill: "work", version: "1.1.0", status: registry.StatusBusy, play: delivers("done")}
	shut.play = func(context.Context, *a2apb.Message, agentclient.Each) error {
		other.renew("2.0.0")
		return fault.New(fault.Unavailable, agentclient.ReasonDenied, "not without a credential")
	}
	w := newWorld(t, shut, other)
	id := w.submit(engine.Submission{Route: orchestrator.Route{Skill: "work", Version: "^1"}}).ID
	task, log := w.awaitEnd(id)
	if task.State != a2apb.TaskState_TASK_STATE_FAILED || task.Agent != "shut" || len(other.sends()) != 0 {
		t.Errorf("state %s by %s, and the other agent, of version 2.0.0, got %d messages, want failed and none; log %v", task.State, task.Agent, len(other.sends()), log)
	}
}

// TestAnAgentThatComesBackInAnotherVersionIsNotSentTheTask has an agent be replaced while it is away.
func TestAnAgentThatComesBackInAnotherVersionIsNotSentTheTask(t *testing.T) {
	agent := &actor{name: "agent", skill: "work", version: "1.0.0"}
	agent.play = func(context.Context, *a2apb.Message, agentclient.Each) error {
		agent.renew("2.0.0")
		f := fault.New(fault.Unavailable, agentclient.ReasonUnreachable, "not now")
		f.RetryAfter = time.Millisecond // it did not take the message
		return f
	}
	w := newWorld(t, agent, &actor{name: "other", skill: "work", version: "1.1.0", status: registry.StatusBusy, play: delivers("done")})
	task, log := w.awaitEnd(w.submit(engine.Submission{Route: orchestrator.Route{Agent: "agent", Version: "^1"}}).ID)
	if task.State != a2apb.TaskState_TASK_STATE_FAILED || task.Error.Reason != router.ReasonVersion || len(agent.sends()) != 1 {
		t.Errorf("state %s, %+v after %d sends, want failed for the version after one; log %v", task.State, task.Error, len(agent.sends()), log)
	}
	agent.renew("1.0.0")
	task, log = w.awaitEnd(w.submit(engine.Submission{Route: orchestrator.Route{Skill: "work", Version: "^1"}}).ID)
	if task.State != a2apb.TaskState_TASK_STATE_COMPLETED || task.Agent != "other" || task.Decision.Rejected[0].Code != router.CodeVersion {
		t.Errorf("state %s by %s, %+v, want completed by the other one, and why; log %v", task.State, task.Agent, task.Decision, log)
	}
}

// TestNobodyStepsInWhoGetsNoTasksAnyMore changes the other agent after the decision.
func TestNobodyStepsInWhoGetsNoTasksAnyMore(t *testing.T) {
	for name, change := range map[string]func(*actor){
		"its key was unpinned": (*actor).revoke,
		"it is away": func(a *actor) {
			a.mu.Lock()
			defer a.mu.Unlock()
			a.status = registry.StatusUnavailable
		},
	} {
		t.Run(name, func(t *testing.T) {
			shut, other := &actor{name: "shut", skill: "work"}, &actor{name: "other", skill: "work", status: registry.StatusBusy, play: delivers("done")}
			shut.play = func(context.Context, *a2apb.Message, agentclient.Each) error {
				change(other)
				return fault.New(fault.Unavailable, agentclient.ReasonDenied, "not without a credential")
			}
			w := newWorld(t, shut, other)
			task, log := w.awaitEnd(w.submit(engine.Submission{Route: orchestrator.Route{Skill: "work"}}).ID)
			if task.State != a2apb.TaskState_TASK_STATE_FAILED || task.Agent != "shut" || len(other.sends()) != 0 {
				t.Errorf("state %s by %s, and the other agent got %d messages, want failed and none; log %v", task.State, task.Agent, len(other.sends()), log)
			}
		})
	}
}

// TestATaskThatWaitsIsNotSentToAnAgentThatIsNotTrustedAnyMore unpins the key of an agent while its task waits to be sent.
func TestATaskThatWaitsIsNotSentToAnAgentThatIsNotTrustedAnyMore(t *testing.T) {
	t.Run("at a gate", func(t *testing.T) {
		var w *world
		web := &actor{name: "web", play: delivers("the page"), requirements: requirement("pre-execution")}
		w = newWorld(t, web, reviews(&w, "approved", "fine", true))
		id := w.submit(engine.Submission{Route: orchestrator.Route{Agent: "web"}, Attributes: sensitive}).ID
		w.await(id)
		web.revoke()
		consult(t, w, id)
		task, log := w.awaitEnd(id)
		if task.Error == nil || task.Error.Reason != router.CodeUntrusted || len(web.sends()) != 0 {
			t.Errorf("state %s, %+v after %d sends, want %s before one; log %v", task.State, task.Error, len(web.sends()), router.CodeUntrusted, log)
		}
	})
	t.Run("until its agent is back", func(t *testing.T) {
		away := &actor{name: "away", skill: "work"}
		away.play = func(context.Context, *a2apb.Message, agentclient.Each) error {
			away.revoke()
			f := fault.New(fault.Unavailable, agentclient.ReasonUnreachable, "not now")
			f.RetryAfter = time.Millisecond // it did not take the message
			return f
		}
		w := newWorld(t, away, &actor{name: "other", skill: "work", status: registry.StatusBusy, play: delivers("done")})
		task, log := w.awaitEnd(w.submit(engine.Submission{Route: orchestrator.Route{Skill: "work"}}).ID)
		if task.State != a2apb.TaskState_TASK_STATE_COMPLETED || task.Agent != "other" || len(away.sends()) != 1 || task.Decision.Rejected[0].Code != router.CodeUntrusted {
			t.Errorf("state %s by %s after %d sends, %+v, want completed by the other one after one, and why; log %v", task.State, task.Agent, len(away.sends()), task.Decision, log)
		}
	})
}

func TestStepsAreHeldToTheVersionsOfTheirTask(t *testing.T) {
	w := newWorld(t, &actor{name: "one", skill: "work", version: "1.0.0", play: delivers("done")}, &actor{name: "two", skill: "work", version: "2.0.0", play: delivers("done")})
	task, _ := w.awaitEnd(w.submit(engine.Submission{Route: orchestrator.Route{Skill: "work", Version: "^1", FanOut: &orchestrator.FanOut{Mode: orchestrator.PlanAll}}}).ID)
	if len(task.Plan.Steps) != 1 {
		t.Fatalf("%d steps, want that of the agent of version 1.0.0 only", len(task.Plan.Steps))
	}
	if got := w.task(task.Plan.Steps[0].TaskID).VersionRange; got != "^1" {
		t.Errorf("the step's task has versions %q, want ^1", got)
	}
}

// TestWhoStepsInIsGivenTheInputsAsItsOwn has the inputs of a contract go to the third agent that they are tried with, each of which has another name for them.
func TestWhoStepsInIsGivenTheInputsAsItsOwn(t *testing.T) {
	down, gone, up := turns("down", "idea", "comment", "report", "reference"), turns("gone", "draft", "comment", "report", "reference"), turns("up", "brief", "comment", "report", "reference")
	down.down, gone.down, gone.status, up.load = 1000, 1000, registry.StatusBusy, 10
	w := newWorld(t, down, gone, up)
	s := chained()
	s.Route.Contract.Output.SemanticType = "reference"
	task, log := w.awaitEnd(w.submit(s).ID)
	if task.State != a2apb.TaskState_TASK_STATE_COMPLETED || task.Agent != "up" || len(task.Attempts) != 3 {
		t.Fatalf("state %s (%v) by %s after the attempts %+v, want completed by up in the third; log %v", task.State, task.Error, task.Agent, task.Attempts, log)
	}
	if got := task.Artifacts[0].GetParts()[0].GetText(); got != "up(a shop)" {
		t.Errorf("delivered %q, want what it made of its input", got)
	}
	if sent := up.sends()[0]; len(sent.GetParts()) != len(text("do it").GetParts())+1 {
		t.Errorf("it was sent %v, want the words and the input, once", sent.GetParts())
	}
}

// TestNobodyStepsInWhoCannotTakeTheInputs has the next agent ask for more than the task has, and the one after it for nothing.
func TestNobodyStepsInWhoCannotTakeTheInputs(t *testing.T) {
	picky := &actor{name: "picky", skill: "work", status: registry.StatusBusy, inputs: []agentcard.InputSchema{{Name: "spec", SemanticType: "document", Required: true}}, play: delivers("a guess")}
	w := newWorld(t, &actor{name: "down", skill: "work", down: 1000}, picky, &actor{name: "up", skill: "work", status: registry.StatusBusy, play: delivers("done")})
	task, log := w.awaitEnd(w.submit(engine.Submission{Route: orchestrator.Route{Skill: "work"}}).ID)
	if task.State != a2apb.TaskState_TASK_STATE_COMPLETED || task.Agent != "up" || len(picky.sends()) != 0 {
		t.Errorf("state %s (%v) by %s, and picky got %d messages, want completed by up and none; log %v", task.State, task.Error, task.Agent, len(picky.sends()), log)
	}
}
