package engine_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/a2aproject/a2a-go/v2/a2apb/v1"

	"github.com/quorate/quorate/consultation"
	"github.com/quorate/quorate/orchestrator"
	"github.com/quorate/quorate/orchestrator/agentclient"
	"github.com/quorate/quorate/orchestrator/engine"
	"github.com/quorate/quorate/platform/fault"
)

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
