package engine_test

import (
	"context"
	"testing"
	"time"

	"github.com/quorate/quorate/consultation"
	"github.com/quorate/quorate/orchestrator"
	"github.com/quorate/quorate/orchestrator/engine"
)

// overtaken is a store of consultations in which something happens while the list is on its way to a call that has it in its context.
type overtaken struct{ consultation.Store }

type before struct{}

func (s overtaken) List(ctx context.Context, tenant, taskID string) ([]consultation.Entry, error) {
	list, err := s.Store.List(ctx, tenant, taskID)
	if happens, ok := ctx.Value(before{}).(func()); ok {
		happens()
	}
	return list, err
}

// TestTwoCopiesOfARequestAskOnce has a copy of a request be asked and answered while another one finds nothing on record.
func TestTwoCopiesOfARequestAskOnce(t *testing.T) {
	for name, recorded := range map[string]bool{"with an outcome": true, "in vain": false} {
		t.Run(name, func(t *testing.T) {
			var w *world
			reviewer := reviews(&w, "rejected", "no", recorded)
			w = newWorld(t, &actor{name: "web", play: delivers("the page"), requirements: requirement("pre-completion")}, reviewer)
			w.asked = func(s consultation.Store) consultation.Store { return overtaken{s} }
			w.restart()
			task, _ := w.await(w.submit(engine.Submission{Route: orchestrator.Route{Agent: "web"}, Attributes: sensitive}).ID)
			consult := func(ctx context.Context) consultation.Consultation {
				t.Helper()
				c, err := w.engine.Consult(ctx, tenant, task.ID, "r", nil, consultation.Request{Caller: "ci", ID: "1", Digest: "x"})
				if err != nil {
					t.Fatalf("Consult() = %v", err)
				}
				return c
			}
			changed := make(chan struct{}, 10)
			w.ledger.OnChange(func(string, string) { changed <- struct{}{} })
			var first consultation.Consultation
			second := consult(context.WithValue(t.Context(), before{}, func() {
				first = consult(t.Context())
				select {
				case <-changed:
				case <-time.After(limit):
					t.Error("nothing came of the consultation")
				}
			}))
			if second.ID != first.ID || second.Unanswered() || len(reviewer.sends()) != 1 {
				t.Errorf("Consult() of a copy = attempt %d, %s, and the reviewer was sent %d messages, want the first with what came of it, and one", second.Attempt, second.State, len(reviewer.sends()))
			}
			if list, err := w.ledger.Consultations(t.Context(), tenant, task.ID, task.CreateTime); err != nil || len(list) != 1 {
				t.Errorf("Consultations() = %+v, %v, want one", list, err)
			}
		})
	}
}
