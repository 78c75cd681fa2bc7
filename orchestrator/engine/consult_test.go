package engine_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/a2aproject/a2a-go/v2/a2apb/v1"

	"github.com/quorate/quorate/consultation"
	"github.com/quorate/quorate/orchestrator"
	"github.com/quorate/quorate/orchestrator/agentclient"
	"github.com/quorate/quorate/orchestrator/engine"
	"github.com/quorate/quorate/platform/fault"
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
