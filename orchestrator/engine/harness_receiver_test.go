package engine_test

import (
	"context"
	"sync"

	"github.com/quorate/quorate/orchestrator"
	"github.com/quorate/quorate/orchestrator/engine"
	"github.com/quorate/quorate/platform/fault"
)

// receiver is told of tasks, and fails as it is told to.
type receiver struct {
	mu    sync.Mutex
	calls int                  // guarded by mu
	heard []orchestrator.Event // guarded by mu; those that it took
	fail  func(call int) error // nil: never
}

func (*receiver) Check(w orchestrator.Webhook) error {
	if w.URL == "" {
		return fault.Invalid("url", "URL_INVALID", "no URL")
	}
	return nil
}

func (r *receiver) Send(_ context.Context, w orchestrator.Webhook, t *orchestrator.Task, e orchestrator.Event) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.calls++
	if w.Token.Reveal() != "secret" || t.ID == "" {
		return fault.New(fault.FailedPrecondition, "WRONG", "told with %q about %q", w.Token, t.ID)
	}
	if r.fail != nil {
		if err := r.fail(r.calls); err != nil {
			return err
		}
	}
	r.heard = append(r.heard, e)
	return nil
}

func unavailable(int) error {
	return fault.New(fault.Unavailable, "RECEIVER_UNREACHABLE", "nobody there")
}

// told is a submission with a receiver.
func told(requestID string) engine.Submission {
	return engine.Submission{
		Tenant: tenant, Caller: "tester", Message: text("begin"), Route: orchestrator.Route{Agent: "worker"}, RequestID: requestID,
		Webhook: &orchestrator.Webhook{URL: "https://example.com", Token: "secret"},
	}
}
