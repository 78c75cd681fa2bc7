package consultation

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/quorate/quorate/platform/fault"
)

// SetCarrier records the task that carries the question to the target. If the task has no such consultation, the result is a NotFound fault with the
// reason CONSULTATION_NOT_FOUND.
func (l *Ledger) SetCarrier(ctx context.Context, tenant, taskID, id, carrierTaskID string) error {
	err := l.update(ctx, tenant, taskID, id, func(c *Consultation) {
		c.CarrierTaskID = carrierTaskID
	})
	if err != nil {
		return fmt.Errorf("noting the carrier of consultation %s: %w", id, err)
	}
	return nil
}

// SetDirect records that the source agent asks the target itself. It returns the same NotFound fault as SetCarrier.
func (l *Ledger) SetDirect(ctx context.Context, tenant, taskID, id string) error {
	err := l.update(ctx, tenant, taskID, id, func(c *Consultation) { c.Direct = true })
	if err != nil {
		return fmt.Errorf("noting that consultation %s is held directly: %w", id, err)
	}
	return nil
}

// Carried records that the target's answer has come back. If there is no evidence by then, the consultation has failed, unless there are Traces, in
// which the span may still arrive. It does nothing to a consultation that is not open, and returns the same NotFound fault as SetCarrier.
func (l *Ledger) Carried(ctx context.Context, tenant, taskID, id string) error {
	if len(l.traces) == 0 {
		return l.Fail(ctx, tenant, taskID, id, answeredInVain)
	}
	err := l.move(ctx, tenant, taskID, id, func(c *Consultation) (notable bool) {
		if !c.at(l.now()).Unanswered() || !c.CarryTime.IsZero() {
			return false
		}
		c.State, c.Feedback = StateOpen, ""
		c.CarryTime = l.now()
		c.SearchTime = c.CarryTime.Add(l.lag())
		return true
	})
	if err != nil {
		return fmt.Errorf("noting the answer to consultation %s: %w", id, err)
	}
	return nil
}

// Asks records what the target asks before it judges; an empty question means that it no longer asks. It does nothing to a consultation that is
// answered, failed or expired, and returns the same NotFound fault as SetCarrier.
func (l *Ledger) Asks(ctx context.Context, tenant, taskID, id, question string) error {
	state := StateOpen
	if question = clip(strings.ToValidUTF8(question, "\uFFFD"), MaxFeedbackBytes); question != "" {
		state = StateAsking
	}
	err := l.move(ctx, tenant, taskID, id, func(c *Consultation) (notable bool) {
		if !c.at(l.now()).Unanswered() || !c.CarryTime.IsZero() || c.Feedback == question {
			return false
		}
		c.State, c.Feedback = state, question
		return true
	})
	if err != nil {
		return fmt.Errorf("noting what is asked in consultation %s: %w", id, err)
	}
	return nil
}

// Fail ends a consultation that could not be carried, or whose target answered without evidence. reason is a sentence, which becomes the feedback. It
// does nothing to a consultation that is answered, failed or expired, but calls the OnChange functions for an expired one. It returns the same
// NotFound fault as SetCarrier.
//
// Evidence that arrives later, before the consultation expires, still counts: only the carrying has failed.
func (l *Ledger) Fail(ctx context.Context, tenant, taskID, id, reason string) error {
	err := l.move(ctx, tenant, taskID, id, func(c *Consultation) (notable bool) {
		notable = c.Unanswered()
		if c.at(l.now()).Unanswered() {
			c.State, c.Feedback = StateFailed, clip(strings.ToValidUTF8(reason, "\uFFFD"), MaxFeedbackBytes)
		}
		return notable
	})
	if err != nil {
		return fmt.Errorf("failing consultation %s: %w", id, err)
	}
	return nil
}

// update changes a consultation of a task. The store may call change more than once.
func (l *Ledger) update(ctx context.Context, tenant, taskID, id string, change func(*Consultation)) error {
	return l.store.Update(ctx, tenant, id, func(e Entry) (Entry, error) {
		if e.Consultation.TaskID != taskID {
			return Entry{}, NotFound(id)
		}
		change(&e.Consultation)
		return e, nil
	})
}

// move is update for a change of state. It calls the OnChange functions if the change that was stored is notable.
func (l *Ledger) move(ctx context.Context, tenant, taskID, id string, change func(*Consultation) (notable bool)) error {
	notable := false
	err := l.update(ctx, tenant, taskID, id, func(c *Consultation) { notable = change(c) })
	if err == nil && notable {
		l.changed(tenant, taskID)
	}
	return err
}

// NotFound returns the fault for a consultation that does not exist.
func NotFound(id string) error {
	return fault.New(fault.NotFound, "CONSULTATION_NOT_FOUND", "there is no consultation %q", id)
}

// Consultations returns the consultations of the task that was accepted at a time, as of now, oldest first, at most MaxPerTask.
func (l *Ledger) Consultations(ctx context.Context, tenant, taskID string, accepted time.Time) ([]Consultation, error) {
	entries, err := l.store.List(ctx, tenant, taskID)
	if err != nil {
		return nil, fmt.Errorf("listing the consultations of task %s: %w", taskID, err)
	}
	now, entries := l.now(), ofTask(entries, accepted)
	list := make([]Consultation, len(entries))
	for i, e := range entries {
		list[i] = e.Consultation.at(now)
	}
	return list, nil
}
