package engine_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/a2aproject/a2a-go/v2/a2apb/v1"

	"github.com/quorate/quorate/consultation"
	"github.com/quorate/quorate/orchestrator"
	"github.com/quorate/quorate/orchestrator/agentclient"
	"github.com/quorate/quorate/orchestrator/engine"
)

func TestAGateHoldsTheTaskUntilItsReviewerApproves(t *testing.T) {
	for _, phase := range []string{"pre-execution", "design-review", "pre-completion"} {
		t.Run(phase, func(t *testing.T) {
			var w *world
			web := &actor{name: "web", play: delivers("the page"), requirements: requirement(phase)}
			w = newWorld(t, web, reviews(&w, "approved", "fine", true))
			task, _ := w.await(w.submit(engine.Submission{Route: orchestrator.Route{Agent: "web"}, Attributes: sensitive}).ID)
			if !task.Blocked() || task.State != a2apb.TaskState_TASK_STATE_INPUT_REQUIRED || task.Released {
				t.Fatalf("state %s, phase %s, released %t, want blocked and held back", task.State, task.Phase, task.Released)
			}
			wantMissing(t, task)
			if phase == "pre-execution" && len(web.sends()) != 0 {
				t.Error("the message left before the gate opened")
			}
			if _, err := w.engine.Consult(t.Context(), tenant, task.ID, "r", nil, consultation.Request{}); err != nil {
				t.Fatalf("Consult() = %v", err)
			}
			task, log := w.awaitEnd(task.ID)
			if task.State != a2apb.TaskState_TASK_STATE_COMPLETED || !task.Released || count(log, orchestrator.EventState) != 1 {
				t.Errorf("state %s, released %t, log %v, want completed once", task.State, task.Released, log)
			}
		})
	}
}

func TestARequirementOfAnUnknownPhaseHoldsTheTask(t *testing.T) {
	web := &actor{name: "web", play: delivers("the page"), requirements: requirement("pre-release")}
	w := newWorld(t, web)
	task, _ := w.await(w.submit(engine.Submission{Route: orchestrator.Route{Agent: "web"}}).ID)
	if !task.Blocked() || len(web.sends()) != 0 || task.Error == nil || !strings.Contains(task.Error.Message, "its phase is unknown") {
		t.Errorf("state %s, %d messages, error %+v, want it blocked before anything is sent, since nobody can meet the requirement", task.State, len(web.sends()), task.Error)
	}
}

func wantMissing(t *testing.T, task orchestrator.Task) {
	t.Helper()
	v := task.Gates[len(task.Gates)-1].Requirements[0]
	if v.Verdict != "missing" || v.LookedFor == "" || v.Found == "" || task.Error == nil || task.Error.Message != v.Reason {
		t.Errorf("verdict = %+v, error = %+v, want missing with what was looked for and found", v, task.Error)
	}
}

func TestAConditionThatDoesNotHoldNeedsNoReview(t *testing.T) {
	w := newWorld(t, &actor{name: "web", play: delivers("the page"), requirements: requirement("pre-completion")})
	task, _ := w.await(w.submit(engine.Submission{Route: orchestrator.Route{Agent: "web"}}).ID)
	if task.State != a2apb.TaskState_TASK_STATE_COMPLETED || !task.Released {
		t.Errorf("state, released = %s, %t, want completed, true", task.State, task.Released)
	}
}

func TestARejectionBlocksWithTheReviewersWordsAndANewAttemptMayPass(t *testing.T) {
	var w *world
	reviewer := reviews(&w, "rejected", "line 3 holds a password", true)
	w = newWorld(t, &actor{name: "web", play: delivers("the page"), requirements: requirement("pre-completion")}, reviewer)
	task, _ := w.await(w.submit(engine.Submission{Route: orchestrator.Route{Agent: "web"}, Attributes: sensitive}).ID)
	consult(t, w, task.ID)
	w.blockedWith(task.ID, "rejected", "line 3 holds a password")
	reviewer.play = reviews(&w, "approved", "seen again", true).play
	consult(t, w, task.ID)
	if task, _ = w.awaitEnd(task.ID); task.State != a2apb.TaskState_TASK_STATE_COMPLETED {
		t.Errorf("state = %s, want completed", task.State)
	}
}

func TestAnAnswerWithoutEvidenceDoesNotPass(t *testing.T) {
	var w *world
	w = newWorld(t, &actor{name: "web", play: delivers("the page"), requirements: requirement("pre-completion")}, reviews(&w, "approved", "trust me", false))
	task, _ := w.await(w.submit(engine.Submission{Route: orchestrator.Route{Agent: "web"}, Attributes: sensitive}).ID)
	consult(t, w, task.ID)
	w.blockedWith(task.ID, "missing", "without evidence")
}

func TestAnApprovalOfOtherContentIsStale(t *testing.T) {
	var w *world
	started, deliver := make(chan struct{}), make(chan struct{})
	web := &actor{name: "web", requirements: requirement("pre-completion"), play: func(_ context.Context, _ *a2apb.Message, say agentclient.Each) error {
		close(started)
		<-deliver
		return say(snapshot("r1", a2apb.TaskState_TASK_STATE_COMPLETED, "", "what is delivered"))
	}}
	w = newWorld(t, web, reviews(&w, "approved", "fine", true))
	task := w.submit(engine.Submission{Route: orchestrator.Route{Agent: "web"}, Attributes: sensitive})
	<-started
	shown := []*a2apb.Artifact{{Parts: []*a2apb.Part{{Content: &a2apb.Part_Text{Text: "what was shown to the reviewer"}}}}}
	c, err := w.engine.Consult(t.Context(), tenant, task.ID, "r", shown, consultation.Request{})
	if err != nil {
		t.Fatalf("Consult() = %v", err)
	}
	w.awaitEnd(c.CarrierTaskID)
	close(deliver)
	w.blockedWith(task.ID, "stale", "")
}

func TestAnAgentThatAsksBeforeItDeliversPassesTheGate(t *testing.T) {
	var w *world
	web := &actor{name: "web", requirements: requirement("pre-completion")}
	web.play = func(ctx context.Context, m *a2apb.Message, say agentclient.Each) error {
		word := m.GetMetadata().AsMap()[extension].(map[string]any)
		done := snapshot("r1", a2apb.TaskState_TASK_STATE_COMPLETED, "", "the page")
		c, err := w.engine.Consult(ctx, tenant, word["taskId"].(string), "r", done.GetTask().GetArtifacts(), consultation.Request{})
		if err != nil {
			return err
		}
		carrier := orchestrator.Key{Tenant: tenant, ID: c.CarrierTaskID}
		if _, err := w.engine.Watch(ctx, carrier, 0, true, func(orchestrator.Event) error { return nil }); err != nil {
			return err
		}
		return say(done)
	}
	w = newWorld(t, web, reviews(&w, "approved", "fine", true))
	task, log := w.await(w.submit(engine.Submission{Route: orchestrator.Route{Agent: "web"}, Attributes: sensitive}).ID)
	if task.State != a2apb.TaskState_TASK_STATE_COMPLETED {
		t.Errorf("state = %s, error %+v, log %v, want completed", task.State, task.Error, log)
	}
}

func TestTheReviewerIsShownWhateverTheCallerWillBe(t *testing.T) {
	var w *world
	reviewer := reviews(&w, "approved", "fine", true)
	done := snapshot("r1", a2apb.TaskState_TASK_STATE_COMPLETED, "", "the page")
	done.GetTask().GetArtifacts()[0].Metadata = structOf(t, map[string]any{"title": "the secret is xyzzy"})
	web := &actor{name: "web", requirements: requirement("pre-completion"), play: func(_ context.Context, _ *a2apb.Message, say agentclient.Each) error { return say(done) }}
	w = newWorld(t, web, reviewer)
	task, _ := w.await(w.submit(engine.Submission{Route: orchestrator.Route{Agent: "web"}, Attributes: sensitive}).ID)
	consult(t, w, task.ID)
	if task, _ = w.awaitEnd(task.ID); task.State != a2apb.TaskState_TASK_STATE_COMPLETED {
		t.Fatalf("state = %s, error %+v, want completed", task.State, task.Error)
	}
	if shown := fmt.Sprint(reviewer.sends()[0].GetParts()); !strings.Contains(shown, "xyzzy") {
		t.Errorf("the reviewer was shown %s, want the metadata that the caller gets, too", shown)
	}
}

func TestAFailureIsHeldAtItsGate(t *testing.T) {
	var w *world
	reviewer := reviews(&w, "approved", "seen", true)
	w = newWorld(t, &actor{name: "web", play: fails("boom"), requirements: requirement("on-error")}, reviewer)
	task, _ := w.await(w.submit(engine.Submission{Route: orchestrator.Route{Agent: "web"}, Attributes: sensitive}).ID)
	if !task.Blocked() || task.Error.Reason != "AGENT_FAILED" {
		t.Fatalf("state %s, error %+v, want blocked with the agent's failure", task.State, task.Error)
	}
	consult(t, w, task.ID)
	why := task.Error
	if task, _ = w.awaitEnd(task.ID); task.State != a2apb.TaskState_TASK_STATE_FAILED || task.Error == nil || *task.Error != *why || !task.Released {
		t.Errorf("state, error = %s, %+v, released %t, want failed, %+v, released", task.State, task.Error, task.Released, why)
	}
	var shown []string
	for _, p := range reviewer.sends()[0].GetParts() {
		shown = append(shown, p.GetText())
	}
	if !slices.Contains(shown, why.Reason) || !slices.Contains(shown, why.Message) {
		t.Errorf("the reviewer was shown %q, want %+v among that", shown, why)
	}
}

// TestATaskKeepsTheRulesItWasAcceptedUnder has the agent lose its rule while it works, and while its task waits at the gate.
func TestATaskKeepsTheRulesItWasAcceptedUnder(t *testing.T) {
	var w *world
	web := &actor{name: "web", requirements: requirement("pre-completion")}
	lose := func() {
		web.mu.Lock()
		defer web.mu.Unlock()
		web.requirements = nil
	}
	web.play = func(ctx context.Context, m *a2apb.Message, say agentclient.Each) error {
		lose()
		return delivers("the page")(ctx, m, say)
	}
	w = newWorld(t, web, reviews(&w, "approved", "fine", true))
	id := w.submit(engine.Submission{Route: orchestrator.Route{Agent: "web"}, Attributes: sensitive}).ID
	w.await(id)
	w.restart()
	if task, _ := w.await(id); !task.Blocked() || task.Released {
		t.Fatalf("state %s, released %t, want the task held by the rule that the agent had", task.State, task.Released)
	}
	if later, _ := w.awaitEnd(w.submit(engine.Submission{Route: orchestrator.Route{Agent: "web"}, Attributes: sensitive}).ID); len(later.Requirements) > 0 {
		t.Errorf("a later task has the rules %v, want none", later.Requirements)
	}
	consult(t, w, id)
	if task, _ := w.awaitEnd(id); task.State != a2apb.TaskState_TASK_STATE_COMPLETED {
		t.Errorf("state = %s, want completed once the reviewer has approved", task.State)
	}
}

// TestWhatAClosedGateHoldsBackIsNotReleasedByTheEnd cancels tasks at their gates.
func TestWhatAClosedGateHoldsBackIsNotReleasedByTheEnd(t *testing.T) {
	for phase, state := range map[string]a2apb.TaskState{
		"on-error": a2apb.TaskState_TASK_STATE_FAILED, "pre-completion": a2apb.TaskState_TASK_STATE_COMPLETED, "design-review": a2apb.TaskState_TASK_STATE_COMPLETED,
	} {
		t.Run(phase, func(t *testing.T) {
			web := &actor{name: "web", requirements: requirement(phase), play: func(_ context.Context, _ *a2apb.Message, say agentclient.Each) error {
				return say(snapshot("r1", state, "", "half a page"))
			}}
			w := newWorld(t, web, &actor{name: "reviewer"})
			task, _ := w.await(w.submit(engine.Submission{Route: orchestrator.Route{Agent: "web"}, Attributes: sensitive}).ID)
			if !task.Blocked() || len(task.Artifacts) != 1 {
				t.Fatalf("state %s with %d artifacts, want blocked with what the agent had delivered", task.State, len(task.Artifacts))
			}
			if _, err := w.engine.Cancel(t.Context(), engine.Cancellation{Key: task.Key(), Caller: "tester"}); err != nil {
				t.Fatal(err)
			}
			if task, _ = w.awaitEnd(task.ID); task.State != a2apb.TaskState_TASK_STATE_CANCELED || task.Released {
				t.Errorf("state = %s, released %t, want canceled, with everything still held back", task.State, task.Released)
			}
		})
	}
}

func TestATaskThatHasEndedIsJudgedAtTheGatesThatItCameTo(t *testing.T) {
	var w *world
	web := &actor{name: "web", play: fails("boom"), requirements: append(requirement("on-error"), requirement("pre-completion")...)}
	web.requirements[1].ID = "late"
	w = newWorld(t, web, reviews(&w, "approved", "seen", true))
	task, _ := w.await(w.submit(engine.Submission{Route: orchestrator.Route{Agent: "web"}, Attributes: sensitive}).ID)
	consult(t, w, task.ID)
	w.awaitEnd(task.ID)
	judged, err := w.engine.Subjects(t.Context(), tenant, task.ID)
	if err != nil || len(judged) != 1 || !judged[0].Ended {
		t.Fatalf("Subjects() = %+v, %v, want one that has ended", judged, err)
	}
	d, err := w.ledger.Check(t.Context(), judged[0])
	if err != nil || !d.Allowed || len(d.Requirements) != 1 || d.Requirements[0].Requirement.ID != "r" || d.Requirements[0].Verdict != "approved" {
		t.Errorf("Check() = %+v, %v, want the approval of how it failed, and nothing about a gate that it never came to", d, err)
	}
}

func TestProgressOfAGuardedTaskIsNotTold(t *testing.T) {
	web := &actor{name: "web", requirements: requirement("pre-completion"), play: func(_ context.Context, _ *a2apb.Message, say agentclient.Each) error {
		if err := say(snapshot("r1", a2apb.TaskState_TASK_STATE_WORKING, "the secret is xyzzy")); err != nil {
			return err
		}
		return say(snapshot("r1", a2apb.TaskState_TASK_STATE_COMPLETED, "", "the page"))
	}}
	w := newWorld(t, web)
	_, log := w.await(w.submit(engine.Submission{Route: orchestrator.Route{Agent: "web"}, Attributes: sensitive}).ID)
	if got := fmt.Sprint(log); strings.Contains(got, "xyzzy") || count(log, orchestrator.EventRemark) != 1 {
		t.Errorf("log = %v, want that it reports progress, without the agent's words", log)
	}
}
