package engine_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/a2aproject/a2a-go/v2/a2apb/v1"

	"github.com/quorate/quorate/consultation"
	"github.com/quorate/quorate/orchestrator"
	"github.com/quorate/quorate/orchestrator/engine"
	"github.com/quorate/quorate/registry/agentcard"
)

// TestAGateOpensHoweverMuchIsSaid has a reviewer record those of its verdicts that are only recommended as often as it may, in words that grow when they are stored.
func TestAGateOpensHoweverMuchIsSaid(t *testing.T) {
	t.Parallel()
	web := &actor{name: "web", play: delivers("the page")}
	for i := range 5 {
		web.requirements = append(web.requirements, agentcard.ConsultationRequirement{ID: fmt.Sprintf("r%d", i), TargetAgent: "reviewer", Phase: "pre-completion", Mandatory: i == 0})
	}
	w := newWorld(t, web, &actor{name: "reviewer", play: delivers("x")})
	task, _ := w.await(w.submit(engine.Submission{Route: orchestrator.Route{Agent: "web"}}).ID)
	for _, id := range []string{"r4", "r3", "r2", "r1", "r0"} {
		c, _, err := w.engine.ConsultDirectly(t.Context(), tenant, task.ID, id, nil, consultation.Request{})
		if err != nil {
			t.Fatalf("ConsultDirectly(%s) = %v", id, err)
		}
		for i := range map[bool]int{false: 16, true: 1}[id == "r0"] {
			if err := w.ledger.Record(t.Context(), consultation.Recorder{Tenant: tenant, Agent: "reviewer"}, consultation.Claim{
				TraceID: c.TraceID, SpanID: fmt.Sprintf("00f067aa0ba9%04d", i+1), ServiceName: "reviewer", ConsultationID: c.ID, TaskID: c.TaskID,
				RequirementID: id, Phase: c.Phase, SourceAgent: "web", TargetAgent: "reviewer", Outcome: "approved", Feedback: strings.Repeat("<", 1024),
				SubjectDigest: c.SubjectDigest, Attempt: c.Attempt, SchemaVersion: 1,
			}); err != nil {
				t.Fatalf("Record(%s, %d) = %v", id, i, err)
			}
		}
	}
	task, _ = w.awaitEnd(task.ID)
	verdicts := task.Gates[0].Requirements
	if task.State != a2apb.TaskState_TASK_STATE_COMPLETED || len(verdicts) != 5 || len(verdicts[4].Evidence) != 0 || !strings.HasPrefix(verdicts[4].Reason, `Requirement "r4" is met`) {
		t.Errorf("state %s, %d verdicts, the last with %d pieces of evidence and the reason %.60q, want the task completed, and of each verdict the reason",
			task.State, len(verdicts), len(verdicts[4].Evidence), verdicts[4].Reason)
	}
}
