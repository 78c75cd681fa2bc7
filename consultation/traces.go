package consultation

import (
	"context"
	"fmt"
	"log/slog"
	"slices"
	"time"
)

// Traces is a trace backend in which evidence has to be searched for, such as Jaeger. Anybody with write access may have written anything there, so
// what is found counts as LevelCarried unless the target has signed it.
type Traces interface {
	// Lag is the longest time after the target's answer that its span may take through an exporter into the backend.
	Lag() time.Duration

	// Name identifies the backend in evidence and in the log, for example jaeger.
	Name() string

	// Verdicts returns the claims of the verdict spans in the trace of c, in any order. To have none is no error. An error means that the backend
	// could not answer, or not completely: an answer that is malformed, too large or truncated must be one.
	Verdicts(ctx context.Context, c Consultation) ([]Claim, error)
}

const (
	answeredInVain = "the consulted agent answered without evidence in the traces that counts"

	looksPerLag = 15 // maximum number of queries for one consultation while its span may still arrive
	maxRecheck  = 15 * time.Second
)

// sought returns the indexes of the entries for which Traces may have evidence that decides a requirement of s.
//
// It searches only for the newest attempt about the current content, from the time when its answer came back until there is evidence. That evidence
// is then stored, so that the backend may drop it or be down.
func (l *Ledger) sought(s Subject, entries []Entry, applies []Requirement) (list []int) {
	if len(l.traces) == 0 { // any more: there were when the answer came back
		return nil
	}
	for _, r := range applies {
		if i := newest(entries, r, s.Digests[r.Phase]); i >= 0 && entries[i].Consultation.sought(l.now()) {
			list = append(list, i)
		}
	}
	return list
}

// search searches the Traces for evidence for some of the entries and records what counts. It returns the updated entries, the consultations that
// could not be searched for, and when to search again.
func (l *Ledger) search(ctx context.Context, entries []Entry, sought []int) (after []Entry, unread []string, again time.Duration) {
	after = slices.Clone(entries)
	for _, i := range sought {
		now := l.now()
		e, err := l.find(ctx, after[i])
		if err != nil {
			unread = append(unread, e.Consultation.ID)
		}
		after[i] = e
		if c := e.Consultation; err != nil || c.at(now).State == StateOpen {
			wait := min(max(now.Sub(c.CarryTime)/4, l.lag()/looksPerLag), maxRecheck)
			if again == 0 || wait < again {
				again = wait
			}
		}
	}
	return after, unread, again
}

// lag returns the longest lag of the Traces.
func (l *Ledger) lag() (longest time.Duration) {
	for _, t := range l.traces {
		longest = max(longest, t.Lag())
	}
	return longest
}

// newest returns the index of the newest attempt for r about the content of digest, or -1.
func newest(entries []Entry, r Requirement, digest string) int {
	found := -1
	for i, e := range entries {
		if c := e.Consultation; c.RequirementID == r.ID && c.SubjectDigest == digest {
			found = i
		}
	}
	return found
}

// sought reports whether Traces may have evidence for c that would count.
func (c Consultation) sought(now time.Time) bool {
	return c.State != StateAnswered && !c.CarryTime.IsZero() && !now.After(c.ExpireTime)
}

// find queries the Traces for evidence for e, one after the other until some counts, and returns the updated entry. Its error means that there may be
// more evidence.
func (l *Ledger) find(ctx context.Context, e Entry) (Entry, error) {
	var trouble error
	for _, t := range l.traces {
		claims, err := t.Verdicts(ctx, e.Consultation)
		if ctx.Err() != nil { // nobody waits for it any more, which is not the backend's fault
			return e, context.Cause(ctx)
		}
		l.tell(ctx, t, err)
		if err != nil {
			trouble = fmt.Errorf("looking for evidence in %s: %w", t.Name(), err)
			continue
		}
		if e, err = l.recordFound(ctx, e, t.Name(), claims); err != nil {
			if ctx.Err() == nil {
				l.logger.ErrorContext(ctx, "consultation evidence could not be kept", slog.String("consultation_id", e.Consultation.ID), slog.Any("error", err))
			}
			return e, err
		}
		if e.Consultation.State == StateAnswered {
			return e, nil
		}
	}
	return e, trouble
}

// tell logs when a backend begins to fail and when it works again, not each failure: thousands of tasks may wait for the same backend.
func (l *Ledger) tell(ctx context.Context, t Traces, err error) {
	l.mu.Lock()
	before := l.away[t.Name()]
	l.away[t.Name()] = err != nil
	l.mu.Unlock()
	switch {
	case err != nil && !before:
		l.logger.ErrorContext(ctx, "consultation evidence unavailable", slog.String("backend", t.Name()), slog.Any("error", err))
	case err == nil && before:
		l.logger.InfoContext(ctx, "consultation evidence available again", slog.String("backend", t.Name()))
	}
}

// recordFound records the claims that a backend has about e, the most restrictive first: of two spans with the same id the first is kept.
func (l *Ledger) recordFound(ctx context.Context, e Entry, backend string, claims []Claim) (Entry, error) {
	c := e.Consultation
	r := Recorder{backend: backend}
	claims, err := l.proven(ctx, c, r, slices.Clone(claims)...)
	if err != nil {
		return e, err
	}
	MostRestrictiveFirst(claims)
	next, changed := l.judgeAll(e, r, claims)
	if !changed {
		return e, nil
	}
	err = l.store.Update(ctx, c.Tenant, c.ID, func(now Entry) (Entry, error) {
		next, changed = l.judgeAll(now, r, claims)
		return next, nil
	})
	if err != nil {
		return e, fmt.Errorf("recording evidence for consultation %s: %w", c.ID, err)
	}
	if decisive, ok := worst(next.counting(l.MinLevel(c))); ok && changed {
		l.logAnswer(ctx, c, decisive)
		l.changed(c.Tenant, c.TaskID)
	}
	return next, nil
}

// judgeAll judges claims one after the other, and records refusals in the entry.
func (l *Ledger) judgeAll(e Entry, r Recorder, claims []Claim) (next Entry, changed bool) {
	now := l.now()
	for _, cl := range claims {
		after, differs, _ := l.judge(e, r, cl, now)
		e, changed = after, changed || differs
	}
	return e, changed
}
