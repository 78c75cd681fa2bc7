package a2aedge_test

import (
	"context"
	"log/slog"
	"sync/atomic"
	"testing"
	"testing/synctest"

	"github.com/a2aproject/a2a-go/v2/a2apb/v1"
	meternoop "go.opentelemetry.io/otel/metric/noop"
	tracernoop "go.opentelemetry.io/otel/trace/noop"
	"google.golang.org/grpc/metadata"

	"github.com/quorate/quorate/consultation"
	"github.com/quorate/quorate/orchestrator"
	"github.com/quorate/quorate/orchestrator/a2aedge"
	"github.com/quorate/quorate/orchestrator/engine"
	"github.com/quorate/quorate/orchestrator/lease"
	"github.com/quorate/quorate/orchestrator/storetest"
	"github.com/quorate/quorate/platform/auth"
)

// slow is a store that answers no read after the first write to a task, as long as the caller waits.
type slow struct {
	*storetest.Memory
	written atomic.Bool
}

func (s *slow) Update(ctx context.Context, k orchestrator.Key, change func(*orchestrator.Task) ([]orchestrator.Event, error)) (orchestrator.Task, error) {
	defer s.written.Store(true)
	return s.Memory.Update(ctx, k, change)
}

func (s *slow) Task(ctx context.Context, k orchestrator.Key) (orchestrator.Task, error) {
	if s.written.Load() {
		<-ctx.Done()
	}
	return s.Memory.Task(ctx, k)
}

// TestACancellationIsAnsweredThoughTheStoreIsSlow has the wait for the end run out amid a read of the task.
func TestACancellationIsAnsweredThoughTheStoreIsSlow(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		store := &slow{Memory: new(storetest.Memory)}
		if _, _, err := store.Create(t.Context(), orchestrator.Task{Tenant: "default", ID: "1", Owner: "ana", State: a2apb.TaskState_TASK_STATE_WORKING}); err != nil {
			t.Fatal(err)
		}
		s, ctx := serviceOver(t, store)
		got, err := s.CancelTask(ctx, &a2apb.CancelTaskRequest{Id: "1"})
		if err != nil || got.GetId() != "1" || got.GetStatus().GetState() != a2apb.TaskState_TASK_STATE_WORKING {
			t.Errorf("CancelTask() = %v, %v, want the task as it was when its end was asked for", got, err)
		}
	})
}

// serviceOver returns a service over a store, whose engine does nothing by itself, and a context of a caller of it.
func serviceOver(t *testing.T, store orchestrator.Store) (*a2aedge.Service, context.Context) {
	t.Helper()
	s, _, ctx := serviceWithEngine(t, store)
	return s, ctx
}

// serviceWithEngine is serviceOver, and returns the engine, too.
func serviceWithEngine(t *testing.T, store orchestrator.Store) (*a2aedge.Service, *engine.Engine, context.Context) {
	t.Helper()
	leases, err := lease.New(lease.Config{Store: new(storetest.MemoryLeases), Logger: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	e, err := engine.New(engine.Config{
		Store: store, Leases: leases, Ledger: consultation.NewLedger(nil, consultation.LedgerOptions{}), Logger: slog.New(slog.DiscardHandler),
		Tracer: tracernoop.NewTracerProvider().Tracer(""), Meter: meternoop.NewMeterProvider().Meter(""),
	})
	if err != nil {
		t.Fatal(err)
	}
	ctx := auth.NewContext(t.Context(), auth.Principal{Name: "ana", Tenant: "default", Roles: []auth.Role{auth.RoleDispatcher}})
	return a2aedge.New(a2aedge.Config{Engine: e, Store: store}), e, metadata.NewIncomingContext(ctx, metadata.Pairs("a2a-version", a2aedge.Version))
}
