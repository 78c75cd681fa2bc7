package engine_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/a2aproject/a2a-go/v2/a2apb/v1"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/structpb"

	"github.com/quorate/quorate/consultation"
	"github.com/quorate/quorate/orchestrator"
	"github.com/quorate/quorate/orchestrator/agentclient"
	"github.com/quorate/quorate/orchestrator/engine"
	"github.com/quorate/quorate/platform/fault"
	"github.com/quorate/quorate/registry/agentcard"
)

const extension = "https://github.com/quorate/quorate/extensions/consultation/v1"

func structOf(tb testing.TB, m map[string]any) *structpb.Struct {
	tb.Helper()
	s, err := structpb.NewStruct(m)
	if err != nil {
		tb.Fatal(err)
	}
	return s
}

func requirement(phase string) []agentcard.ConsultationRequirement {
	return []agentcard.ConsultationRequirement{{
		ID: "r", TargetAgent: "reviewer", Phase: phase, Mandatory: true,
		Condition: &agentcard.Condition{Attribute: "sensitive", Operator: "equals", Value: true},
	}}
}

var sensitive = consultation.Attributes{"sensitive": true}

// reviews makes an actor that answers consultations: its verdict gets into the ledger as the receiver would put it there, if recorded is true.
func reviews(w **world, outcome, feedback string, recorded bool) *actor {
	return &actor{name: "reviewer", play: func(ctx context.Context, m *a2apb.Message, say agentclient.Each) error {
		word := m.GetMetadata().AsMap()[extension].(map[string]any)
		trace := strings.Split(m.GetMetadata().AsMap()["traceparent"].(string), "-")
		if recorded {
			err := (*w).ledger.Record(ctx, consultation.Recorder{Tenant: tenant, Agent: "reviewer"}, consultation.Claim{
				TraceID: trace[1], SpanID: "00f067aa0ba902b7", ServiceName: "reviewer", ConsultationID: word["consultationId"].(string),
				TaskID: word["taskId"].(string), RequirementID: word["requirementId"].(string), Phase: word["phase"].(string),
				SourceAgent: word["sourceAgent"].(string), TargetAgent: "reviewer", Outcome: outcome, Feedback: feedback,
				SubjectDigest: word["subjectDigest"].(string), Attempt: int(word["attempt"].(float64)), SchemaVersion: 1,
			})
			if err != nil {
				return err
			}
		}
		return say(snapshot("c1", a2apb.TaskState_TASK_STATE_COMPLETED, "", outcome+": "+feedback))
	}}
}

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

func TestARestartFindsABlockedTaskAndItsEvidence(t *testing.T) {
	var w *world
	w = newWorld(t, &actor{name: "web", play: delivers("the page"), requirements: requirement("pre-completion")}, reviews(&w, "approved", "fine", true))
	task, _ := w.await(w.submit(engine.Submission{Route: orchestrator.Route{Agent: "web"}, Attributes: sensitive}).ID)
	w.restart()
	consult(t, w, task.ID)
	if task, _ = w.awaitEnd(task.ID); task.State != a2apb.TaskState_TASK_STATE_COMPLETED {
		t.Errorf("state = %s, want completed", task.State)
	}
}

// The leases were not restored together with the tasks, and begin anew.
func TestATaskThatIsAheadOfTheLeasesGoesOn(t *testing.T) {
	var w *world
	w = newWorld(t, &actor{name: "web", play: delivers("the page"), requirements: requirement("pre-completion")}, reviews(&w, "approved", "fine", true))
	task, _ := w.await(w.submit(engine.Submission{Route: orchestrator.Route{Agent: "web"}, Attributes: sensitive}).ID)
	_, err := w.store.Update(t.Context(), orchestrator.Key{Tenant: tenant, ID: task.ID}, func(task *orchestrator.Task) ([]orchestrator.Event, error) {
		task.OwnerEpoch = 40
		return nil, nil
	})
	if err != nil {
		t.Fatal(err)
	}
	w.restart()
	consult(t, w, task.ID)
	if task, _ = w.awaitEnd(task.ID); task.State != a2apb.TaskState_TASK_STATE_COMPLETED {
		t.Errorf("state = %s, want completed", task.State)
	}
}

func TestAFailureIsHeldAtItsGate(t *testing.T) {
	var w *world
	w = newWorld(t, &actor{name: "web", play: fails("boom"), requirements: requirement("on-error")}, reviews(&w, "approved", "seen", true))
	task, _ := w.await(w.submit(engine.Submission{Route: orchestrator.Route{Agent: "web"}, Attributes: sensitive}).ID)
	if !task.Blocked() || task.Error.Reason != "AGENT_FAILED" {
		t.Fatalf("state %s, error %+v, want blocked with the agent's failure", task.State, task.Error)
	}
	consult(t, w, task.ID)
	if task, _ = w.awaitEnd(task.ID); task.State != a2apb.TaskState_TASK_STATE_FAILED || task.Error.Reason != "AGENT_FAILED" {
		t.Errorf("state, error = %s, %+v, want failed, AGENT_FAILED", task.State, task.Error)
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
	if got := fmt.Sprint(log); strings.Contains(got, "xyzzy") || count(log, orchestrator.EventProgress) != 1 {
		t.Errorf("log = %v, want progress without the agent's words", log)
	}
}

func TestConsultRefuses(t *testing.T) {
	rules := requirement("pre-completion")
	rules = append(rules, agentcard.ConsultationRequirement{ID: "trouble", TargetAgent: "reviewer", Phase: "on-error"})
	w := newWorld(t, &actor{name: "web", play: delivers("the page"), requirements: rules}, &actor{name: "reviewer", status: "unavailable"})
	blocked, _ := w.await(w.submit(engine.Submission{Route: orchestrator.Route{Agent: "web"}, Attributes: sensitive}).ID)
	done, _ := w.await(w.submit(engine.Submission{Route: orchestrator.Route{Agent: "web"}}).ID)
	given := []*a2apb.Artifact{{Parts: text("x").GetParts()}}
	tests := map[string]struct {
		task, requirement string
		content           []*a2apb.Artifact
		want              string
	}{
		"a task that does not exist":        {"nosuchtask", "r", nil, "TASK_NOT_FOUND"},
		"a requirement that does not exist": {blocked.ID, "q", nil, "REQUIREMENT_NOT_FOUND"},
		"a task that has ended":             {done.ID, "r", nil, "TASK_ENDED"},
		"other content than was delivered":  {blocked.ID, "r", given, "CONTENT_DELIVERED"},
		"an error that has not happened":    {blocked.ID, "trouble", nil, "NOTHING_TO_REVIEW"},
		"a target that is down":             {blocked.ID, "r", nil, "NO_AGENT_AVAILABLE"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			if _, err := w.engine.Consult(t.Context(), tenant, tt.task, tt.requirement, tt.content, consultation.Request{}); fault.ReasonOf(err) != tt.want {
				t.Errorf("Consult() = %v, want %s", err, tt.want)
			}
		})
	}
}

func TestAgentsThatConsultEachOtherInACircleAreStopped(t *testing.T) {
	here, there := &actor{name: "here", requirements: requirement("pre-execution")}, &actor{name: "there", requirements: requirement("pre-execution")}
	here.requirements[0].TargetAgent, here.requirements[0].Condition = "there", nil
	there.requirements[0].TargetAgent, there.requirements[0].Condition = "here", nil
	w := newWorld(t, here, there)
	id, deep := w.submit(engine.Submission{Route: orchestrator.Route{Agent: "here"}}).ID, 0
	var err error
	for ; err == nil && deep <= orchestrator.MaxConsultHops; deep++ {
		w.await(id)
		var c consultation.Consultation
		if c, err = w.engine.Consult(t.Context(), tenant, id, "r", nil, consultation.Request{}); err == nil {
			id = c.CarrierTaskID
		}
	}
	if fault.ReasonOf(err) != "CONSULTATION_TOO_DEEP" || deep != orchestrator.MaxConsultHops+1 {
		t.Errorf("Consult() = %v after %d, want CONSULTATION_TOO_DEEP after %d", err, deep, orchestrator.MaxConsultHops+1)
	}
}

func TestAConsultationThatTheAgentsHoldThemselvesOpensTheGate(t *testing.T) {
	for _, phase := range []string{"design-review", "pre-completion", "on-error"} {
		t.Run(phase, func(t *testing.T) {
			var w *world
			web := &actor{name: "web", play: delivers("the page"), requirements: requirement(phase)}
			if phase == "on-error" {
				web.play = fails("boom")
			}
			reviewer := reviews(&w, "approved", "fine", true)
			w = newWorld(t, web, reviewer)
			task, _ := w.await(w.submit(engine.Submission{Route: orchestrator.Route{Agent: "web"}, Attributes: sensitive}).ID)
			var question *a2apb.Message
			for range 2 { // a retry gets the same question
				c, m, err := w.engine.ConsultDirectly(t.Context(), tenant, task.ID, "r", nil, consultation.Request{})
				if err != nil || !c.Direct || c.CarrierTaskID != "" || m.GetMessageId() != c.ID || question != nil && !proto.Equal(m, question) {
					t.Fatalf("ConsultDirectly() = %+v, %v, %v, want the question of one that nobody carries", c, m, err)
				}
				question = m
			}
			if err := reviewer.play(t.Context(), question, func(*a2apb.StreamResponse) error { return nil }); err != nil {
				t.Fatalf("the reviewer answers the question with %v", err)
			}
			task, log := w.awaitEnd(task.ID)
			if !task.Ended() || len(reviewer.sends()) != 0 || count(log, orchestrator.EventConsultation) != 1 {
				t.Errorf("state %s, reviewer was sent %d messages, log %v, want an end, none, and one word of the consultation", task.State, len(reviewer.sends()), log)
			}
		})
	}
}

func TestAQuestionThatIsHeldDirectlyCanBeCarriedToo(t *testing.T) {
	var w *world
	w = newWorld(t, &actor{name: "web", play: delivers("the page"), requirements: requirement("pre-completion")}, reviews(&w, "approved", "fine", true))
	task, _ := w.await(w.submit(engine.Submission{Route: orchestrator.Route{Agent: "web"}, Attributes: sensitive}).ID)
	if _, _, err := w.engine.ConsultDirectly(t.Context(), tenant, task.ID, "r", nil, consultation.Request{}); err != nil {
		t.Fatalf("ConsultDirectly() = %v", err)
	}
	consult(t, w, task.ID)
	if task, _ = w.awaitEnd(task.ID); task.State != a2apb.TaskState_TASK_STATE_COMPLETED {
		t.Errorf("state = %s, want completed", task.State)
	}
}

func TestAnAgentIsNotHandedTheMessageThatIsHeldBackFromIt(t *testing.T) {
	w := newWorld(t, &actor{name: "web", play: delivers("the page"), requirements: requirement("pre-execution")}, &actor{name: "reviewer"})
	task, _ := w.await(w.submit(engine.Submission{Route: orchestrator.Route{Agent: "web"}, Attributes: sensitive}).ID)
	if _, m, err := w.engine.ConsultDirectly(t.Context(), tenant, task.ID, "r", nil, consultation.Request{}); fault.ReasonOf(err) != "MESSAGE_WITHHELD" || m != nil {
		t.Errorf("ConsultDirectly() = %v, %v, want MESSAGE_WITHHELD", m, err)
	}
}

func TestARequestForAConsultationGetsTheSameOneWhenTheTaskHasEnded(t *testing.T) {
	var w *world
	w = newWorld(t, &actor{name: "web", play: delivers("the page"), requirements: requirement("pre-completion")}, reviews(&w, "approved", "fine", true))
	task, _ := w.await(w.submit(engine.Submission{Route: orchestrator.Route{Agent: "web"}, Attributes: sensitive}).ID)
	request := consultation.Request{Caller: "ci", ID: "1", Digest: "x"}
	first, err := w.engine.Consult(t.Context(), tenant, task.ID, "r", nil, request)
	if err != nil {
		t.Fatalf("Consult() = %v", err)
	}
	w.awaitEnd(task.ID)
	if again, err := w.engine.Consult(t.Context(), tenant, task.ID, "r", nil, request); err != nil || again.ID != first.ID || again.Outcome != "approved" {
		t.Errorf("Consult() again = %+v, %v, want consultation %s with its outcome", again, err, first.ID)
	}
	request.ID = "2"
	if c, m, err := w.engine.ConsultDirectly(t.Context(), tenant, task.ID, "r", nil, request); fault.ReasonOf(err) != "TASK_ENDED" || m != nil {
		t.Errorf("ConsultDirectly() by another request = %+v, %v, %v, want TASK_ENDED", c, m, err)
	}
	request.ID, request.Digest = "1", "y"
	if _, err := w.engine.Consult(t.Context(), tenant, task.ID, "r", nil, request); fault.ReasonOf(err) != "REQUEST_ID_REUSED" {
		t.Errorf("Consult() of something else = %v, want REQUEST_ID_REUSED", err)
	}
}

func TestATaskGoesOnWithTheConsultationThatItWaitsFor(t *testing.T) {
	for name, test := range map[string]struct {
		others []agentcard.ConsultationRequirement
		state  a2apb.TaskState
	}{
		"the only one":                 {nil, a2apb.TaskState_TASK_STATE_WORKING},
		"another one is needed too":    {[]agentcard.ConsultationRequirement{{ID: "other", TargetAgent: "reviewer", Phase: "pre-completion", Mandatory: true}}, a2apb.TaskState_TASK_STATE_INPUT_REQUIRED},
		"another one is but a warning": {[]agentcard.ConsultationRequirement{{ID: "other", TargetAgent: "reviewer", Phase: "pre-completion"}}, a2apb.TaskState_TASK_STATE_WORKING},
	} {
		t.Run(name, func(t *testing.T) {
			asked := make(chan struct{})
			reviewer := &actor{name: "reviewer", play: func(ctx context.Context, _ *a2apb.Message, _ agentclient.Each) error {
				close(asked)
				<-ctx.Done() // it thinks
				return ctx.Err()
			}}
			w := newWorld(t, &actor{name: "web", play: delivers("the page"), requirements: append(test.others, requirement("pre-completion")...)}, reviewer)
			task, _ := w.await(w.submit(engine.Submission{Route: orchestrator.Route{Agent: "web"}, Attributes: sensitive}).ID)
			after := task.LastEvent
			if _, err := w.engine.Consult(t.Context(), tenant, task.ID, "r", nil, consultation.Request{}); err != nil {
				t.Fatalf("Consult() = %v", err)
			}
			<-asked
			log, err := w.store.Events(t.Context(), task.Key(), after, 1)
			if err != nil || len(log) != 1 || log[0].Type != orchestrator.EventConsultation || log[0].State != test.state {
				t.Errorf("events after the request = %+v, %v, want a consultation with the task in state %s: who watches it from here on leaves otherwise", log, err, test.state)
			}
		})
	}
}

func consult(t *testing.T, w *world, taskID string) {
	t.Helper()
	c, err := w.engine.Consult(t.Context(), tenant, taskID, "r", nil, consultation.Request{})
	if err != nil {
		t.Fatalf("Consult() = %v", err)
	}
	w.awaitEnd(c.CarrierTaskID)
}

// blockedWith waits until the task is blocked with a verdict whose reason has some words in it.
func (w *world) blockedWith(id, verdict, words string) {
	w.t.Helper()
	ctx, cancel := context.WithTimeout(w.t.Context(), limit)
	defer cancel()
	seen := errors.New("seen")
	key := orchestrator.Key{Tenant: tenant, ID: id}
	task, err := w.engine.Watch(ctx, key, 0, true, func(orchestrator.Event) error {
		t, err := w.store.Task(ctx, key)
		if err != nil {
			return err
		}
		if n := len(t.Gates); t.Blocked() && t.Gates[n-1].Requirements[0].Verdict == verdict && strings.Contains(t.Error.Message, words) {
			return seen
		}
		return nil
	})
	if !errors.Is(err, seen) {
		w.t.Fatalf("Watch() = %v with task in state %s, phase %s, error %+v, gates %+v, want it blocked with verdict %s and %q",
			err, task.State, task.Phase, task.Error, task.Gates, verdict, words)
	}
}

// TestAnApprovalOfATaskThatWasRemovedOpensNoGate sends a request again after its task was removed, though not the consultations of that.
func TestAnApprovalOfATaskThatWasRemovedOpensNoGate(t *testing.T) {
	var w *world
	w = newWorld(t, &actor{name: "web", play: delivers("the page"), requirements: requirement("pre-completion")}, reviews(&w, "approved", "fine", true))
	submission := engine.Submission{Route: orchestrator.Route{Agent: "web"}, Attributes: sensitive, RequestID: "nightly"}
	first := w.submit(submission)
	w.await(first.ID)
	consult(t, w, first.ID)
	if task, _ := w.awaitEnd(first.ID); task.State != a2apb.TaskState_TASK_STATE_COMPLETED {
		t.Fatalf("state = %s, want completed", task.State)
	}
	if n, err := w.store.Sweep(t.Context(), time.Now().Add(time.Hour)); err != nil || n < 1 {
		t.Fatalf("Sweep() = %d, %v, want the task removed", n, err)
	}
	again := w.submit(submission)
	if again.ID != first.ID {
		t.Fatalf("Submit() = task %s, want %s again", again.ID, first.ID)
	}
	if task, log := w.await(again.ID); !task.Blocked() {
		t.Errorf("state %s, log %v, want it blocked until somebody reviews what was delivered this time", task.State, log)
	}
	consult(t, w, again.ID)
	if task, _ := w.awaitEnd(again.ID); task.State != a2apb.TaskState_TASK_STATE_COMPLETED {
		t.Errorf("state after a review = %s, want completed", task.State)
	}
}
