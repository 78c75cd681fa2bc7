package consultation

import (
	"context"
	"log/slog"

	"github.com/quorate/quorate/platform/fault"
)

// Check decides on s by what the store holds now. When the store cannot tell, the decision says unavailable for every
// requirement that applies, which blocks like any other verdict but approved; that is no error. It returns an
// InvalidArgument fault with the reason SUBJECT_INVALID for a subject without tenant, task or source agent.
func (l *Ledger) Check(ctx context.Context, s Subject) (Decision, error) {
	if s.Tenant == "" || s.TaskID == "" || s.SourceAgent == "" {
		return Decision{}, fault.New(fault.InvalidArgument, "SUBJECT_INVALID", "a check needs a tenant, a task and its agent")
	}
	in := Input{Subject: s, Now: l.now()}
	if d := Decide(in); !d.needsEvidence() {
		return d, nil
	}
	entries, err := l.store.List(ctx, s.Tenant, s.TaskID)
	if err != nil {
		l.logger.ErrorContext(ctx, "consultation evidence unavailable", slog.String("task_id", s.TaskID), slog.Any("error", err))
		in.Trouble = err
	}
	for _, e := range entries {
		in.Consultations = append(in.Consultations, e.Consultation)
		in.Evidence = append(in.Evidence, e.Evidence...)
	}
	return Decide(in), nil
}

// needsEvidence reports whether any requirement applies; most tasks have none and need no look into the store.
func (d Decision) needsEvidence() bool {
	for _, v := range d.Requirements {
		if v.Applies {
			return true
		}
	}
	return false
}
