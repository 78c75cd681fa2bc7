package consultation

import (
	"context"
	"fmt"
	"log/slog"
	"slices"
	"time"

	"github.com/quorate/quorate/platform/fault"
)

const (
	maxIDBytes     = 128
	maxDetailBytes = 256
	// A consultation needs one span. Some more are kept, because an agent may change its mind; beyond this limit only spans that make the outcome
	// stricter are kept, of which there can be three.
	maxSpans = 16
)

// Record stores the claim as evidence, which is durable when it returns nil. An identical claim is stored once, and answered with nil each time.
//
// A claim that does not count is a fault for which IsRefusal is true, with the reason why; if its consultation is known, the refusal is recorded
// there. Any other error means that the claim could not be stored, and the sender should try again.
func (l *Ledger) Record(ctx context.Context, r Recorder, cl Claim) error {
	entry, err := l.claimed(ctx, r, cl)
	if err != nil {
		return err
	}
	claims, err := l.proven(ctx, entry.Consultation, r, cl)
	if err != nil {
		return err
	}
	cl = claims[0]
	next, changed, refused := l.judge(entry, r, cl, l.now())
	if changed {
		err := l.store.Update(ctx, r.Tenant, cl.ConsultationID, func(e Entry) (Entry, error) {
			next, changed, refused = l.judge(e, r, cl, l.now())
			return next, nil
		})
		if err != nil {
			return fmt.Errorf("recording evidence for consultation %s: %w", cl.ConsultationID, err)
		}
	}
	if refused != nil {
		return refused
	}
	if changed {
		l.logAnswer(ctx, next.Consultation, next.Evidence[len(next.Evidence)-1])
		l.changed(r.Tenant, cl.TaskID)
	}
	return nil
}

// logAnswer logs what is on record now: the log is the audit trail, and is there after the task has been removed.
func (l *Ledger) logAnswer(ctx context.Context, c Consultation, e Evidence) {
	l.logger.InfoContext(ctx, "consultation answered", slog.String("tenant", c.Tenant), slog.String("consultation_id", c.ID),
		slog.String("task_id", c.TaskID), slog.String("requirement_id", c.RequirementID), slog.Int("attempt", c.Attempt),
		slog.String("source_agent", c.SourceAgent), slog.String("target_agent", c.TargetAgent), slog.String("subject_digest", c.SubjectDigest),
		slog.String("outcome", e.Outcome), slog.String("evidence_level", e.Level), slog.String("required_level", l.MinLevel(c)),
		slog.String("backend", e.Backend), slog.String("verdict_trace_id", e.TraceID), slog.String("verdict_span_id", e.SpanID))
}

func (l *Ledger) claimed(ctx context.Context, r Recorder, cl Claim) (Entry, error) {
	unknown := cl.Unreadable
	if unknown == nil {
		unknown = refuse(fault.PermissionDenied, ReasonUnknownConsultation, "there is no consultation %q, which the span names", fault.Clip(cl.ConsultationID))
	}
	if cl.ConsultationID == "" || len(cl.ConsultationID) > maxIDBytes {
		return Entry{}, unknown
	}
	entry, err := l.store.Get(ctx, r.Tenant, cl.ConsultationID)
	if fault.KindOf(err) == fault.NotFound {
		return Entry{}, unknown
	}
	if err != nil {
		return Entry{}, fmt.Errorf("reading consultation %s: %w", cl.ConsultationID, err)
	}
	return entry, nil
}

// judge returns the entry with the claim, whether it has changed, and why the claim does not count, if so.
func (l *Ledger) judge(e Entry, r Recorder, cl Claim, now time.Time) (next Entry, changed bool, refused error) {
	known, err := e.admits(r, cl, now)
	switch {
	case err != nil:
		refusal := Refusal{Recorder: r.Agent, Reason: fault.ReasonOf(err), Backend: r.backend}
		if r.Agent == e.Consultation.TargetAgent { // what others write must not be shown
			refusal.Detail = clip(fault.From(err).Message, maxDetailBytes)
		}
		next, changed = e.withRefusal(refusal)
		return next, changed, err
	case known:
		return e, false, nil
	}
	e.Evidence = append(slices.Clone(e.Evidence), cl.evidence(r, now))
	if effective, ok := worst(e.counting(l.MinLevel(e.Consultation))); ok {
		e.Consultation.State = StateAnswered
		e.Consultation.Outcome, e.Consultation.Feedback = effective.Outcome, effective.Feedback
	}
	return e, true, nil
}

// admits returns nil when the claim counts, and the refusal when it does not. known is true when the claim is recorded already.
func (e Entry) admits(r Recorder, cl Claim, now time.Time) (known bool, err error) {
	c := e.Consultation
	if cl.Unreadable != nil {
		return false, cl.Unreadable
	}
	if err := cl.from(r, c); err != nil {
		return false, err
	}
	if err := cl.wellFormed(); err != nil {
		return false, err
	}
	if err := cl.matches(c); err != nil {
		return false, err
	}
	peers := e.recordedLike(r, cl)
	for _, old := range peers {
		if old.SpanID != cl.SpanID {
			continue
		}
		if old == cl.evidence(r, old.Timestamp) {
			return true, nil
		}
		return false, refuse(fault.InvalidArgument, ReasonConflict, "span %s is on record with other content", cl.SpanID)
	}
	if now.After(c.ExpireTime) {
		return false, refuse(fault.PermissionDenied, ReasonExpired, "the consultation ended at %s", c.ExpireTime.Format(time.RFC3339))
	}
	if known, _ := worst(peers); len(peers) >= maxSpans && !stricter(cl.Outcome, known.Outcome) {
		return false, refuse(fault.PermissionDenied, ReasonTooMany, "the consultation has %d spans", len(peers))
	}
	return false, nil
}

// recordedLike returns the evidence that came in the same way as cl: evidence that anybody may have written must neither contradict nor displace what
// the target itself recorded.
func (e Entry) recordedLike(r Recorder, cl Claim) (list []Evidence) {
	for _, old := range e.Evidence {
		if old.Backend == r.backend && old.Level == cl.level(r) {
			list = append(list, old)
		}
	}
	return list
}

// counting returns the evidence of level lowest or higher.
func (e Entry) counting(lowest string) (list []Evidence) {
	for _, old := range e.Evidence {
		if reaches(old.Level, lowest) {
			list = append(list, old)
		}
	}
	return list
}

func stricter(outcome, than string) bool {
	return slices.Index(outcomes, outcome) < slices.Index(outcomes, than)
}

// withRefusal records one refusal for each recorder and reason, so that a flood of forged spans costs only a few writes.
func (e Entry) withRefusal(refusal Refusal) (next Entry, changed bool) {
	list := e.Consultation.Refused
	noted := slices.ContainsFunc(list, func(r Refusal) bool {
		return r.Recorder == refusal.Recorder && r.Reason == refusal.Reason && r.Backend == refusal.Backend
	})
	if noted || len(list) >= MaxRefusals {
		return e, false
	}
	e.Consultation.Refused = append(slices.Clone(list), refusal)
	return e, true
}
