package rpc_test

import (
	"context"
	"path/filepath"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/quorate/quorate/consultation"
	"github.com/quorate/quorate/consultation/embedded"
	"github.com/quorate/quorate/consultation/rpc"
	"github.com/quorate/quorate/platform/auth"
	"github.com/quorate/quorate/platform/boltdb"
	"github.com/quorate/quorate/platform/page"
	consultationv1 "github.com/quorate/quorate/proto/gen/quorate/consultation/v1"
)

// slow is a trace backend that answers when it is told to.
type slow struct {
	goOn chan struct{}

	mu  sync.Mutex
	now int // guarded by mu; questions that wait for their answer
}

func (*slow) Lag() time.Duration { return 30 * time.Second }

func (*slow) Name() string { return "jaeger" }

func (b *slow) Verdicts(ctx context.Context, _ consultation.Consultation) ([]consultation.Claim, error) {
	b.add(1)
	defer b.add(-1)
	select {
	case <-b.goOn:
	case <-ctx.Done():
	}
	return nil, nil
}

func (b *slow) add(n int) { b.mu.Lock(); b.now += n; b.mu.Unlock() }

func (b *slow) waiting() int { b.mu.Lock(); defer b.mu.Unlock(); return b.now }

// TestACallerCannotCrowdOutOthersBeforeATraceBackend has one caller check a task many times at once, and then others, before a backend that does not answer.
func TestACallerCannotCrowdOutOthersBeforeATraceBackend(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		db, err := boltdb.Open(filepath.Join(t.TempDir(), "spans.db"), boltdb.Options{})
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = db.Close() }()
		b := &slow{goOn: make(chan struct{})}
		e := &engine{ledger: consultation.NewLedger(embedded.New(db), consultation.LedgerOptions{Traces: []consultation.Traces{b}})}
		s := rpc.New(e.ledger, e, page.New([]byte("key")))
		c, err := e.Consult(t.Context(), auth.DefaultTenant, "task-1", "r", nil, consultation.Request{})
		if err == nil {
			err = e.ledger.Carried(t.Context(), auth.DefaultTenant, "task-1", c.ID)
		}
		if err != nil {
			t.Fatal(err)
		}
		var calls sync.WaitGroup
		check := func(ctx context.Context) {
			calls.Go(func() {
				_, err := s.CheckConsultations(ctx, &consultationv1.CheckConsultationsRequest{TaskId: "task-1"})
				if err != nil && ctx.Err() == nil {
					t.Errorf("CheckConsultations() = %v", err)
				}
			})
			synctest.Wait()
		}
		impatient, leave := context.WithCancel(as(t, auth.DefaultTenant, "loud", auth.RoleViewer))
		for range 20 {
			check(as(t, auth.DefaultTenant, "loud", auth.RoleViewer))
			check(impatient)
		}
		if n := b.waiting(); n != 1 {
			t.Errorf("the backend is asked %d times for one caller at a time, want once", n)
		}
		leave()
		for i, name := range []string{"a", "b", "c", "d", "e"} {
			check(as(t, auth.DefaultTenant, name, auth.RoleViewer))
			if n, want := b.waiting(), min(i+2, 4); n != want {
				t.Errorf("the backend is asked %d times at a time with %d other callers, want %d", n, i+1, want)
			}
		}
		tired, leave := context.WithCancel(as(t, auth.DefaultTenant, "f", auth.RoleViewer))
		check(tired)
		leave()
		check(as(t, auth.DefaultTenant, "f", auth.RoleViewer))
		if n := b.waiting(); n != 4 {
			t.Errorf("the backend is asked %d times at a time once a caller has left the line, want 4", n)
		}
		close(b.goOn)
		calls.Wait()
	})
}
