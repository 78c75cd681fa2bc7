package engine_test

import (
	"context"
	"log/slog"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/a2aproject/a2a-go/v2/a2apb/v1"

	"github.com/quorate/quorate/orchestrator"
	"github.com/quorate/quorate/orchestrator/agentclient"
	"github.com/quorate/quorate/orchestrator/engine"
	"github.com/quorate/quorate/platform/logtest"
)

// TestWhatIsDeliveredJustBeforeTheDeadlineCounts has an agent deliver in time, and the deadline pass before that is stored.
func TestWhatIsDeliveredJustBeforeTheDeadlineCounts(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		lingers bool // the agent does not end its answer
		slow    bool // the store is
	}{
		"the agent leaves its stream open": {lingers: true},
		"the store takes long":             {slow: true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				delivered := make(chan struct{})
				s := newStage(t, &actor{name: "agent", play: func(ctx context.Context, _ *a2apb.Message, say agentclient.Each) error {
					<-time.After(time.Minute - 100*time.Millisecond)
					defer close(delivered)
					if err := say(snapshot("r1", a2apb.TaskState_TASK_STATE_COMPLETED, "", "work")); err != nil || !test.lingers {
						return err
					}
					<-ctx.Done()
					return context.Cause(ctx)
				}})
				s.stall = func(ctx context.Context) error {
					select {
					case <-delivered:
					default:
						return nil
					}
					if !test.slow {
						return nil
					}
					select {
					case <-ctx.Done():
						return context.Cause(ctx)
					case <-time.After(time.Second):
						return nil
					}
				}
				var logs logtest.Buffer
				s.logs = slog.NewTextHandler(&logs, nil)
				s.start()
				task, err := s.engine.Submit(t.Context(), engine.Submission{
					Tenant: tenant, Caller: "tester", Message: text("do it"), Route: orchestrator.Route{Agent: "agent"}, Deadline: time.Now().Add(time.Minute),
				})
				if err != nil {
					t.Fatalf("Submit() = %v", err)
				}
				<-time.After(2 * time.Minute)
				s.stop()
				task, err = s.store.Task(t.Context(), task.Key())
				if err != nil || task.State != a2apb.TaskState_TASK_STATE_COMPLETED || len(task.Artifacts) != 1 {
					t.Errorf("Task() = state %s (%+v) with artifacts %v, %v, want completed with one", task.State, task.Error, task.Artifacts, err)
				}
				if b := logs.String(); strings.Contains(b, "level=ERROR") {
					t.Errorf("the log has an error, and nothing was wrong:\n%s", b)
				}
			})
		})
	}
}
