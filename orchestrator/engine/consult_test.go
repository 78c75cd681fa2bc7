package engine_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/a2aproject/a2a-go/v2/a2apb/v1"
	"google.golang.org/protobuf/proto"

	"github.com/quorate/quorate/consultation"
	"github.com/quorate/quorate/orchestrator"
	"github.com/quorate/quorate/orchestrator/agentclient"
	"github.com/quorate/quorate/orchestrator/engine"
	"github.com/quorate/quorate/platform/fault"
	"github.com/quorate/quorate/registry/agentcard"
)

// overtaken is a store of consultations in which something happens while the list is on its way to a call that has it in its context.
type overtaken struct{ consultation.Store }

type before struct{}

func (s overtaken) List(ctx context.Context, tenant, taskID string) ([]consultation.Entry, error) {
	list, err := s.Store.List(ctx, tenant, taskID)
	if happens, ok := ctx.Value(before{}).(func()); ok {
		happens()
	}
	return list, err
}

// TestTwoCopiesOfARequestAskOnce has a copy of a request be asked and answered while another one finds nothing on record.
func TestTwoCopiesOfARequestAskOnce(t *testing.T) {
	for name, recorded := range map[string]bool{"with an outcome": true, "in vain": false} {
		t.Run(name, func(t *testing.T) {
			var w *world
			reviewer := reviews(&w, "rejected", "no", recorded)
			w = newWorld(t, &actor{name: "web", play: delivers("the page"), requirements: requirement("pre-completion")}, reviewer)
			w.asked = func(s consultation.Store) consultation.Store { return overtaken{s} }
			w.restart()
			task, _ := w.await(w.submit(engine.Submission{Route: orchestrator.Route{Agent: "web"}, Attributes: sensitive}).ID)
			consult := func(ctx context.Context) consultation.Consultation {
				t.Helper()
				c, err := w.engine.Consult(ctx, tenant, task.ID, "r", nil, consultation.Request{Caller: "ci", ID: "1", Digest: "x"})
				if err != nil {
					t.Fatalf("Consult() = %v", err)
				}
				return c
			}
			changed := make(chan struct{}, 10)
			w.ledger.OnChange(func(string, string) { changed <- struct{}{} })
			var first consultation.Consultation
			second := consult(context.WithValue(t.Context(), before{}, func() {
				first = consult(t.Context())
				select {
				case <-changed:
				case <-time.After(limit):
					t.Error("nothing came of the consultation")
				}
			}))
			if second.ID != first.ID || second.Unanswered() || len(reviewer.sends()) != 1 {
				t.Errorf("Consult() of a copy = attempt %d, %s, and the reviewer was sent %d messages, want the first with what came of it, and one", second.Attempt, second.State, len(reviewer.sends()))
			}
			if list, err := w.ledger.Consultations(t.Context(), tenant, task.ID, task.CreateTime); err != nil || len(list) != 1 {
				t.Errorf("Consultations() = %+v, %v, want one", list, err)
			}
		})
	}
}

// deliversMuch is the play of an agent that makes more than one message of a task may have.
func deliversMuch(_ context.Context, _ *a2apb.Message, say agentclient.Each) error {
	var pages []string
	for i := range 6 {
		pages = append(pages, fmt.Sprint("page ", i)+strings.Repeat("x", 300_000))
	}
	done := snapshot("r1", a2apb.TaskState_TASK_STATE_COMPLETED, "", pages...)
	for i, a := range done.GetTask().GetArtifacts() {
		a.ArtifactId = fmt.Sprint("page-", i)
	}
	return say(done)
}

func TestWhatIsLargeIsReviewedWhole(t *testing.T) {
	var w *world
	reviewer := reviews(&w, "approved", "fine", true)
	w = newWorld(t, &actor{name: "web", play: deliversMuch, requirements: requirement("pre-completion")}, reviewer)
	task, _ := w.await(w.submit(engine.Submission{Route: orchestrator.Route{Agent: "web"}, Attributes: sensitive}).ID)
	if !task.Blocked() {
		t.Fatalf("state %s, error %+v, want it blocked", task.State, task.Error)
	}
	w.restart()
	consult(t, w, task.ID)
	if task, _ = w.awaitEnd(task.ID); task.State != a2apb.TaskState_TASK_STATE_COMPLETED || len(task.Artifacts) != 6 {
		t.Errorf("state %s, error %+v, %d artifacts, want it completed with 6", task.State, task.Error, len(task.Artifacts))
	}
	sent := reviewer.sends()[0]
	word := sent.GetMetadata().AsMap()[extension].(map[string]any)
	shown := []*a2apb.Artifact{{Parts: sent.GetParts()[1:]}}
	if got := orchestrator.ArtifactsDigest(shown); len(sent.GetParts()) != 7 || got != word["subjectDigest"] {
		t.Errorf("the reviewer was shown %d parts, digest %s, want the request and 6 parts with the digest %v", len(sent.GetParts()), got, word["subjectDigest"])
	}
}

func TestAReviewerIsNotReviewedWithoutWhatItIsAsked(t *testing.T) {
	var w *world
	reviewer := reviews(&w, "approved", "fine", true)
	reviewer.requirements = requirement("pre-execution")
	reviewer.requirements[0].TargetAgent, reviewer.requirements[0].Condition = "head", nil
	w = newWorld(t, &actor{name: "web", play: deliversMuch, requirements: requirement("pre-completion")}, reviewer, &actor{name: "head", play: delivers("fine")})
	task, _ := w.await(w.submit(engine.Submission{Route: orchestrator.Route{Agent: "web"}, Attributes: sensitive}).ID)
	c, err := w.engine.Consult(t.Context(), tenant, task.ID, "r", nil, consultation.Request{})
	if err != nil {
		t.Fatalf("Consult() = %v", err)
	}
	w.await(c.CarrierTaskID)
	if _, err = w.engine.Consult(t.Context(), tenant, c.CarrierTaskID, "r", nil, consultation.Request{}); fault.ReasonOf(err) != "SUBJECT_TOO_LARGE" {
		t.Errorf("Consult() about the task that carries the question = %v, want SUBJECT_TOO_LARGE", err)
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
