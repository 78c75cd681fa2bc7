package consultation

import (
	"context"
	"fmt"
	"strings"

	"github.com/quorate/quorate/platform/fault"
)

// SetCarrier notes the task that carries the question to the target. It returns a NotFound fault with the reason
// CONSULTATION_NOT_FOUND when the task has no such consultation.
func (l *Ledger) SetCarrier(ctx context.Context, tenant, taskID, id, carrierTaskID string) error {
	err := l.update(ctx, tenant, taskID, id, func(c *Consultation) {
		c.CarrierTaskID = carrierTaskID
	})
	if err != nil {
		return fmt.Errorf("noting the carrier of consultation %s: %w", id, err)
	}
	return nil
}

// SetDirect notes that the source asks the target itself. The NotFound fault is SetCarrier's.
func (l *Ledger) SetDirect(ctx context.Context, tenant, taskID, id string) error {
	err := l.update(ctx, tenant, taskID, id, func(c *Consultation) { c.Direct = true })
	if err != nil {
		return fmt.Errorf("noting that consultation %s is held directly: %w", id, err)
	}
	return nil
}

// Carried notes that the target's answer is back. Without evidence by then the consultation has failed, unless there are Traces: the span may still be on
// its way there. One that is not open stays as it is. The NotFound fault is SetCarrier's.
func (l *Ledger) Carried(ctx context.Context, tenant, taskID, id string) error {
	if len(l.traces) == 0 {
		return l.Fail(ctx, tenant, taskID, id, answeredInVain)
	}
	moved := false
	err := l.update(ctx, tenant, taskID, id, func(c *Consultation) {
		moved = c.at(l.now()).Unanswered() && c.CarryTime.IsZero()
		if moved {
			c.State, c.Feedback = StateOpen, ""
			c.CarryTime = l.now()
			c.SearchTime = c.CarryTime.Add(l.lag())
		}
	})
	if err != nil {
		return fmt.Errorf("noting the answer to consultation %s: %w", id, err)
	}
	if moved {
		l.changed(tenant, taskID)
	}
	return nil
}

// Asks notes what the target asks before it judges, or with an empty question that it does not ask any more. One that is answered, failed or expired
// stays as it is. The NotFound fault is SetCarrier's.
func (l *Ledger) Asks(ctx context.Context, tenant, taskID, id, question string) error {
	state := StateOpen
	if question = clip(strings.ToValidUTF8(question, "\uFFFD"), MaxFeedbackBytes); question != "" {
		state = StateAsking
	}
	moved := false
	err := l.update(ctx, tenant, taskID, id, func(c *Consultation) {
		moved = c.at(l.now()).Unanswered() && c.CarryTime.IsZero() && (c.State != state || c.Feedback != question)
		if moved {
			c.State, c.Feedback = state, question
		}
	})
	if err != nil {
		return fmt.Errorf("noting what is asked in consultation %s: %w", id, err)
	}
	if moved {
		l.changed(tenant, taskID)
	}
	return nil
}

// Fail ends a consultation that could not be carried, or whose target answered without evidence; reason is a sentence
// and is kept as its feedback. One that is answered, failed or expired stays as it is; who waits is told of one that expired, too. The NotFound fault is
// SetCarrier's.
//
// Evidence that arrives later, before the consultation expires, still counts: only the carrying failed.
func (l *Ledger) Fail(ctx context.Context, tenant, taskID, id, reason string) error {
	over := false
	err := l.update(ctx, tenant, taskID, id, func(c *Consultation) {
		over = c.Unanswered()
		if c.at(l.now()).Unanswered() {
			c.State, c.Feedback = StateFailed, clip(strings.ToValidUTF8(reason, "\uFFFD"), MaxFeedbackBytes)
		}
	})
	if err != nil {
		return fmt.Errorf("failing consultation %s: %w", id, err)
	}
	if over {
		l.changed(tenant, taskID)
	}
	return nil
}

func (l *Ledger) update(ctx context.Context, tenant, taskID, id string, change func(*Consultation)) error {
	return l.store.Update(ctx, tenant, id, func(e Entry) (Entry, error) {
		if e.Consultation.TaskID != taskID {
			return Entry{}, NotFound(id)
		}
		change(&e.Consultation)
		return e, nil
	})
}

// NotFound returns the fault for a consultation that does not exist.
func NotFound(id string) error {
	return fault.New(fault.NotFound, "CONSULTATION_NOT_FOUND", "there is no consultation %q", id)
}

// Consultations returns the consultations of a task as they read now, oldest first; there are at most MaxPerTask.
func (l *Ledger) Consultations(ctx context.Context, tenant, taskID string) ([]Consultation, error) {
	entries, err := l.store.List(ctx, tenant, taskID)
	if err != nil {
		return nil, fmt.Errorf("listing the consultations of task %s: %w", taskID, err)
	}
	now := l.now()
	list := make([]Consultation, len(entries))
	for i, e := range entries {
		list[i] = e.Consultation.at(now)
	}
	return list, nil
}
