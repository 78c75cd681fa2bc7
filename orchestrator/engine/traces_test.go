package engine_test

import (
	"context"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/a2aproject/a2a-go/v2/a2apb/v1"

	"github.com/quorate/quorate/consultation"
	"github.com/quorate/quorate/orchestrator"
	"github.com/quorate/quorate/orchestrator/engine"
)

// traces is a trace backend that has the verdict of the reviewer after a time.
type traces struct {
	outcome string
	lag     time.Duration

	mu    sync.Mutex
	since time.Time // guarded by mu; when it was asked first
}

func (*traces) Lag() time.Duration { return 30 * time.Second }

func (*traces) Name() string { return "jaeger" }

func (b *traces) Verdicts(_ context.Context, c consultation.Consultation) ([]consultation.Claim, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.since.IsZero() {
		b.since = time.Now()
	}
	if time.Since(b.since) < b.lag {
		return nil, nil
	}
	return []consultation.Claim{{
		TraceID: c.TraceID, SpanID: "00f067aa0ba902b7", ServiceName: c.TargetAgent, ConsultationID: c.ID, TaskID: c.TaskID,
		RequirementID: c.RequirementID, Phase: c.Phase, SourceAgent: c.SourceAgent, TargetAgent: c.TargetAgent, Outcome: b.outcome,
		Feedback: "seen", SubjectDigest: c.SubjectDigest, Attempt: c.Attempt, SchemaVersion: 1,
	}}, nil
}

// tracedWorld is a world whose reviewer sends its verdicts to a trace backend only, with a task that waits for one.
func tracedWorld(t *testing.T, lowest string, b *traces) (*world, string) {
	t.Helper()
	var w *world
	w = newWorld(t, &actor{name: "web", play: delivers("the page"), requirements: requirement("pre-completion")}, reviews(&w, "", "see the traces", false))
	w.rules = consultation.LedgerOptions{Lowest: lowest, Traces: []consultation.Traces{b}}
	w.restart()
	task, _ := w.await(w.submit(engine.Submission{Route: orchestrator.Route{Agent: "web"}, Attributes: sensitive}).ID)
	consult(t, w, task.ID)
	return w, task.ID
}

func TestAnApprovalInATraceBackendOpensTheGateThoughItComesLate(t *testing.T) {
	t.Parallel()
	for name, lag := range map[string]time.Duration{"at once": 0, "after the answer": 4 * time.Second} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w, id := tracedWorld(t, consultation.LevelCarried, &traces{outcome: "approved", lag: lag})
			begin := time.Now()
			task, _ := w.awaitEnd(id)
			if took := time.Since(begin); took > 10*time.Second {
				t.Errorf("the gate opened after %s, want it looked at again within seconds", took)
			}
			if task.State != a2apb.TaskState_TASK_STATE_COMPLETED {
				t.Fatalf("state = %s, want completed", task.State)
			}
			v := task.Gates[len(task.Gates)-1].Requirements[0]
			if v.Level != "C1" || v.Lowest != "C1" || len(v.Evidence) != 1 || v.Evidence[0].Backend != "jaeger" {
				t.Errorf("the gate keeps %+v, want the evidence with its level and where it was found", v)
			}
		})
	}
}

func TestARejectionInATraceBackendBlocks(t *testing.T) {
	t.Parallel()
	w, id := tracedWorld(t, consultation.LevelCarried, &traces{outcome: "rejected"})
	w.blockedWith(id, "rejected", "seen")
}

func TestAnApprovalThatAnybodyMayHaveWrittenOpensNothing(t *testing.T) {
	t.Parallel()
	w, id := tracedWorld(t, consultation.LevelRecorded, &traces{outcome: "approved"})
	w.blockedWith(id, "unauthenticated", "at level C1 only")
	if task, err := w.store.Task(t.Context(), orchestrator.Key{Tenant: tenant, ID: id}); err != nil || !strings.Contains(task.Error.Message, "Evidence of level C2 is needed") {
		t.Errorf("Task() = %v, %v, want that it says what is needed", task.Error, err)
	}
}

// meanwhile is a trace backend that lets something happen while a gate judges.
type meanwhile struct {
	*traces

	once sync.Once
	do   func()
}

func (b *meanwhile) Verdicts(ctx context.Context, c consultation.Consultation) ([]consultation.Claim, error) {
	b.once.Do(b.do)
	return b.traces.Verdicts(ctx, c)
}

// TestWhatIsJudgedIsWhatPasses has another replica write to the task between the verdict and the passage, which is not the judged one's any more.
func TestWhatIsJudgedIsWhatPasses(t *testing.T) {
	t.Parallel()
	var w *world
	var id string
	b := &meanwhile{traces: &traces{outcome: "approved"}, do: func() {
		if _, err := w.store.Update(t.Context(), orchestrator.Key{Tenant: tenant, ID: id}, func(t *orchestrator.Task) ([]orchestrator.Event, error) {
			t.CancelAsked = true
			return nil, nil
		}); err != nil {
			t.Errorf("Update() = %v", err)
		}
	}}
	w = newWorld(t, &actor{name: "web", play: delivers("the page"), requirements: requirement("pre-completion")}, reviews(&w, "", "see the traces", false))
	w.rules = consultation.LedgerOptions{Lowest: consultation.LevelCarried, Traces: []consultation.Traces{b}}
	w.restart()
	task, _ := w.await(w.submit(engine.Submission{Route: orchestrator.Route{Agent: "web"}, Attributes: sensitive}).ID)
	id = task.ID
	consult(t, w, id)
	if task, _ = w.awaitEnd(id); task.State != a2apb.TaskState_TASK_STATE_CANCELED || task.Released {
		t.Errorf("state = %s, released %t, want canceled and held back", task.State, task.Released)
	}
}
