package engine_test

import (
	"context"
	"testing"

	"github.com/a2aproject/a2a-go/v2/a2apb/v1"

	"github.com/quorate/quorate/orchestrator"
	"github.com/quorate/quorate/orchestrator/engine"
)

// unsearchable is a store that does not answer where unfinished tasks are looked for, as when only its index hangs.
type unsearchable struct {
	orchestrator.Store
	searched chan struct{}
}

func (s unsearchable) Unfinished(ctx context.Context, _ int, _ orchestrator.Key, _ int) ([]orchestrator.Key, error) {
	select {
	case s.searched <- struct{}{}:
	default:
	}
	<-ctx.Done()
	return nil, context.Cause(ctx)
}

func TestANewTaskDoesNotWaitForASearch(t *testing.T) {
	searched := make(chan struct{}, 1)
	w := newWorld(t, &actor{name: "agent", play: delivers("done")})
	w.before = func(s orchestrator.Store) orchestrator.Store { return unsearchable{s, searched} }
	w.restart()
	<-searched
	ended, _ := w.awaitEnd(w.submit(engine.Submission{Route: orchestrator.Route{Agent: "agent"}}).ID)
	if ended.State != a2apb.TaskState_TASK_STATE_COMPLETED {
		t.Errorf("state %s, want it completed while unfinished tasks are looked for", ended.State)
	}
}
