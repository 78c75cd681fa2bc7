package engine_test

import (
	"context"
	"errors"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/a2aproject/a2a-go/v2/a2apb/v1"

	"github.com/quorate/quorate/consultation"
	"github.com/quorate/quorate/orchestrator"
	"github.com/quorate/quorate/orchestrator/agentclient"
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

// unread is a store of consultations that says nothing of them while it is away.
type unread struct {
	consultation.Store
	away *atomic.Bool
}

func (s unread) List(ctx context.Context, tenant, taskID string) ([]consultation.Entry, error) {
	if s.away.Load() {
		return nil, errors.New("away")
	}
	return s.Store.List(ctx, tenant, taskID)
}

// TestAGateWhoseEvidenceCannotBeReadIsLookedAtAgainSoon has the store come back when nothing else wakes the task for half a minute.
func TestAGateWhoseEvidenceCannotBeReadIsLookedAtAgainSoon(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := newDesk(t)
		var away atomic.Bool
		away.Store(true)
		s.asked = unread{s.asked, &away}
		s.start()
		defer s.stop()
		task, err := s.engine.Submit(t.Context(), heldBack)
		if err != nil {
			t.Fatal(err)
		}
		look := func(state a2apb.TaskState, verdict string) {
			t.Helper()
			got, err := s.store.Task(t.Context(), orchestrator.Key{Tenant: tenant, ID: task.ID})
			if err != nil || got.State != state || len(got.Gates) != 1 || got.Gates[0].Requirements[0].Verdict != verdict {
				t.Errorf("the task is in state %s with the gates %+v, %v, want %s with the verdict %s", got.State, got.Gates, err, state, verdict)
			}
		}
		<-time.After(20 * time.Second)
		look(a2apb.TaskState_TASK_STATE_WORKING, consultation.VerdictUnavailable)
		away.Store(false)
		<-time.After(2 * time.Second)
		look(a2apb.TaskState_TASK_STATE_INPUT_REQUIRED, consultation.VerdictMissing)
	})
}

// TestATaskThatPassesAGateWaitsForNobody has the evidence of an approval come after the gate was closed for want of it, and the agent take its time.
func TestATaskThatPassesAGateWaitsForNobody(t *testing.T) {
	t.Parallel()
	var w *world
	var question *a2apb.Message
	reviewer := reviews(&w, "approved", "fine", false)
	answer := reviewer.play
	reviewer.play = func(ctx context.Context, m *a2apb.Message, say agentclient.Each) error {
		question = m
		return answer(ctx, m, say)
	}
	w = newWorld(t, &actor{name: "web", play: delivers("the page"), requirements: requirement("pre-execution")}, reviewer)
	task, _ := w.await(w.submit(engine.Submission{Route: orchestrator.Route{Agent: "web"}, Attributes: sensitive}).ID)
	consult(t, w, task.ID)
	w.blockedWith(task.ID, "missing", "without evidence")
	if err := reviews(&w, "approved", "fine", true).play(t.Context(), question, func(*a2apb.StreamResponse) error { return nil }); err != nil {
		t.Fatal(err)
	}
	task, log := w.awaitEnd(task.ID)
	for _, e := range log {
		if e.Type == orchestrator.EventPhase && e.State != a2apb.TaskState_TASK_STATE_WORKING {
			t.Errorf("event %d says that %s and waits in state %s, want working: who watches would leave", e.Sequence, e.Detail, e.State)
		}
	}
	if task.State != a2apb.TaskState_TASK_STATE_COMPLETED {
		t.Errorf("state = %s, want completed", task.State)
	}
}

// stuck is a trace backend that hangs when it is asked, once it does.
type stuck struct {
	*traces

	hangs atomic.Bool
	asked chan struct{} // has a token for each look that hangs
	now   atomic.Int32  // looks that hang
	most  atomic.Int32  // of them at a time
	goOn  chan struct{} // closed: it answers again
}

func (b *stuck) Verdicts(ctx context.Context, c consultation.Consultation) ([]consultation.Claim, error) {
	if !b.hangs.Load() {
		return nil, nil
	}
	defer b.now.Add(-1)
	for n := b.now.Add(1); ; {
		if old := b.most.Load(); n <= old || b.most.CompareAndSwap(old, n) {
			break
		}
	}
	b.asked <- struct{}{}
	select {
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	case <-b.goOn:
		return b.traces.Verdicts(ctx, c)
	}
}

// TestGatesBeforeATraceBackendThatHangsHoldUpNobodyElse has more gates look for evidence than tasks may be worked on at a time.
func TestGatesBeforeATraceBackendThatHangsHoldUpNobodyElse(t *testing.T) {
	t.Parallel()
	const gates, half = 40, 32 // of the looks that there may be, which one tenant alone has
	b := &stuck{traces: &traces{outcome: "approved"}, asked: make(chan struct{}, 1000), goOn: make(chan struct{})}
	var w *world
	w = newWorld(t, &actor{name: "web", play: delivers("the page"), requirements: requirement("pre-completion")}, reviews(&w, "", "see the traces", false), quick())
	w.rules = consultation.LedgerOptions{Lowest: consultation.LevelCarried, Traces: []consultation.Traces{b}}
	w.restart()
	var ids []string
	for range gates {
		task, _ := w.await(w.submit(engine.Submission{Route: orchestrator.Route{Agent: "web"}, Attributes: sensitive}).ID)
		consult(t, w, task.ID)
		ids = append(ids, task.ID)
	}
	w.stop()
	b.hangs.Store(true)
	w.bounds.running = 2
	w.start()
	late := time.After(limit)
	for i := range half {
		select {
		case <-b.asked:
		case <-late:
			t.Fatalf("%d gates look for evidence, want %d", i, half)
		}
	}
	w.completed(w.submitMany(3, "quick")...)
	if _, err := w.engine.Cancel(t.Context(), engine.Cancellation{Key: orchestrator.Key{Tenant: tenant, ID: ids[0]}, Caller: "tester"}); err != nil {
		t.Error(err)
	}
	if task, _ := w.awaitEnd(ids[0]); task.State != a2apb.TaskState_TASK_STATE_CANCELED {
		t.Errorf("the task is in state %s, want canceled while its gate looks or waits for its turn", task.State)
	}
	close(b.goOn)
	w.completed(ids[1:]...)
	if n := b.most.Load(); n > half {
		t.Errorf("%d gates of one tenant looked for evidence at a time, want at most %d", n, half)
	}
}
