package consultation

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/quorate/quorate/platform/fault"
)

// Check decides whether s may pass, by what the store holds, after looking in the Traces for what is missing. If the store cannot be read, that is no
// error: each requirement that applies is then unavailable, which blocks like any other verdict but approved. If ctx ends meanwhile, the error is its
// cause. A subject without tenant, task or source agent is an InvalidArgument fault with the reason SUBJECT_INVALID.
func (l *Ledger) Check(ctx context.Context, s Subject) (Decision, error) {
	return l.CheckInTurn(ctx, s, func() (leave func()) { return func() {} })
}

// ErrNoTurn means that CheckInTurn got no turn to look for evidence in the Traces.
var ErrNoTurn = errors.New("others look for evidence")

// CheckInTurn is Check with a limit on concurrent queries: Traces may take as long as they like to answer, so they are queried only between a call of
// enter and a call of the leave that it returns. If enter returns nil, the error is ErrNoTurn.
func (l *Ledger) CheckInTurn(ctx context.Context, s Subject, enter func() (leave func())) (Decision, error) {
	if s.Tenant == "" || s.TaskID == "" || s.SourceAgent == "" {
		return Decision{}, fault.New(fault.InvalidArgument, "SUBJECT_INVALID", "a check needs a tenant, a task and its agent")
	}
	in := Input{Subject: s, Now: l.now(), Lowest: l.lowest}
	d := Decide(in)
	applies := d.applying()
	if len(applies) == 0 {
		return d, nil // the usual case: there is nothing to look up
	}
	entries, err := l.store.List(ctx, s.Tenant, s.TaskID)
	switch {
	case ctx.Err() != nil:
		return Decision{}, abandoned(ctx, s)
	case err != nil:
		l.logger.ErrorContext(ctx, "consultation evidence unavailable", slog.String("task_id", s.TaskID), slog.Any("error", err))
		in.Trouble = err
	}
	entries = ofTask(entries, s.TaskTime)
	var again time.Duration
	if list := l.sought(s, entries, applies); len(list) > 0 {
		leave := enter()
		if leave == nil {
			return Decision{}, ErrNoTurn
		}
		entries, in.Unread, again = l.search(ctx, entries, list)
		leave()
		if ctx.Err() != nil {
			return Decision{}, abandoned(ctx, s)
		}
	}
	for _, e := range entries {
		in.Consultations = append(in.Consultations, e.Consultation)
		in.Evidence = append(in.Evidence, e.Evidence...)
	}
	d = Decide(in)
	d.CheckAgain = again
	return d, nil
}

// abandoned returns the error of a check whose ctx has ended, which says nothing about the evidence.
func abandoned(ctx context.Context, s Subject) error {
	return fmt.Errorf("check the consultations of task %s: %w", s.TaskID, context.Cause(ctx))
}

func (d Decision) applying() (list []Requirement) {
	for _, v := range d.Requirements {
		if v.Applies {
			list = append(list, v.Requirement)
		}
	}
	return list
}
