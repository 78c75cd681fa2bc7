package engine_test

import (
	"context"
	"sync/atomic"
	"testing"
	"time"

	"github.com/a2aproject/a2a-go/v2/a2apb/v1"

	"github.com/quorate/quorate/consultation"
	"github.com/quorate/quorate/orchestrator"
	"github.com/quorate/quorate/orchestrator/engine"
)

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
