package consultation_test

import (
	"context"
	"errors"
	"log/slog"
	"testing"

	"github.com/quorate/quorate/consultation"
	"github.com/quorate/quorate/platform/logtest"
)

// hasty is a store, and a backend of traces, whose caller goes away while it is asked.
type hasty struct {
	consultation.Store
	*backend
	read, write, query func()
}

func (h *hasty) List(ctx context.Context, tenant, task string) ([]consultation.Entry, error) {
	h.read()
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	return h.Store.List(ctx, tenant, task)
}

func (h *hasty) Update(ctx context.Context, tenant, id string, change func(consultation.Entry) (consultation.Entry, error)) error {
	h.write()
	if ctx.Err() != nil {
		return ctx.Err()
	}
	return h.Store.Update(ctx, tenant, id, change)
}

func (h *hasty) Verdicts(ctx context.Context, c consultation.Consultation) ([]consultation.Claim, error) {
	h.query()
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	return h.backend.Verdicts(ctx, c)
}

// TestACheckThatNobodyWaitsForSaysNothingOfTheEvidence ends a check as a caller that hangs up does, or a replica that hands its tasks over.
func TestACheckThatNobodyWaitsForSaysNothingOfTheEvidence(t *testing.T) {
	t.Parallel()
	for name, during := range map[string]func(h *hasty, end func()){
		"while the store is read":        func(h *hasty, end func()) { h.read = end },
		"while a backend is queried":     func(h *hasty, end func()) { h.query = end },
		"while what was found is stored": func(h *hasty, end func()) { h.write = end },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f, b := newTraced(t, consultation.LevelCarried)
			b.claims = []consultation.Claim{claim(f.carried(t), "approved", spanID)}
			nothing := func() {}
			h := &hasty{Store: f.store, backend: b, read: nothing, write: nothing, query: nothing}
			gone := errors.New("the caller has gone")
			ctx, cancel := context.WithCancelCause(t.Context())
			during(h, func() { cancel(gone) })
			var log logtest.Buffer
			ledger := consultation.NewLedger(h, consultation.LedgerOptions{
				Now: f.Now, Lowest: consultation.LevelCarried, Traces: []consultation.Traces{h}, Logger: slog.New(slog.NewTextHandler(&log, nil)),
			})
			if d, err := ledger.Check(ctx, subject()); !errors.Is(err, gone) {
				t.Errorf("Check() = %+v, %v, want the cause", d, err)
			}
			if said := log.String(); said != "" {
				t.Errorf("the log says %q, want nothing: nobody has to act", said)
			}
		})
	}
}
