package consultation

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"time"

	"github.com/quorate/quorate/platform/fault"
)

// DefaultTTL is how long a consultation can be answered where nothing is said.
const DefaultTTL = 15 * time.Minute

// LedgerOptions are the optional settings of a Ledger.
type LedgerOptions struct {
	Now     func() time.Time // nil is time.Now
	Logger  *slog.Logger     // nil discards
	TTL     time.Duration    // how long a consultation can be answered; zero is DefaultTTL
	Lowest  string           // lowest level of evidence that counts; empty is LevelRecorded; with an unknown level nothing counts
	Signers Signers          // nil: signatures are ignored
	Traces  []Traces         // where to search for evidence that was not sent to us, in this order
}

// Ledger issues consultations, records evidence and checks requirements. It is safe for concurrent use.
type Ledger struct {
	store   Store
	clock   func() time.Time
	logger  *slog.Logger
	ttl     time.Duration
	lowest  string
	traces  []Traces
	signers Signers

	mu        sync.RWMutex
	listeners []func(tenant, taskID string) // guarded by mu
	away      map[string]bool               // guarded by mu; by name, the Traces whose last query failed
}

// NewLedger returns a ledger over store.
func NewLedger(store Store, o LedgerOptions) *Ledger {
	l := &Ledger{store: store, clock: o.Now, logger: o.Logger, ttl: o.TTL, lowest: lowestOf(o.Lowest), traces: o.Traces, signers: o.Signers, away: make(map[string]bool)}
	if l.clock == nil {
		l.clock = time.Now
	}
	if l.logger == nil {
		l.logger = slog.New(slog.DiscardHandler)
	}
	if l.ttl <= 0 {
		l.ttl = DefaultTTL
	}
	return l
}

// MinLevel returns the lowest level of evidence that counts for c.
func (l *Ledger) MinLevel(c Consultation) string { return needed(l.lowest, c.MinLevel) }

func (l *Ledger) now() time.Time { return l.clock().UTC().Round(0) }

// OnChange registers f to be called when an outcome or a failure of one of a task's consultations is durable. f runs in the goroutine that reports
// the change and must return quickly. Expiry is no such change: f is called only when the expired consultation is reported as failed.
func (l *Ledger) OnChange(f func(tenant, taskID string)) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.listeners = append(l.listeners, f)
}

func (l *Ledger) changed(tenant, taskID string) {
	l.mu.RLock()
	listeners := l.listeners
	l.mu.RUnlock()
	for _, f := range listeners {
		f(tenant, taskID)
	}
}

// Question says what to consult about.
type Question struct {
	Tenant, TaskID string
	TaskTime       time.Time // when the task was accepted
	SourceAgent    string    // executes the task
	Requirement    Requirement
	SubjectDigest  string  // of the content under review; see Digest
	Request        Request // stored with the consultation
}

var errAlreadyAsked = errors.New("already asked")

// Issue opens a consultation for q and returns it once it is durable. It returns an existing one instead if that has the same request or is the
// newest of the requirement, and it is unanswered and asks the same. A request whose consultation was sent never opens another one, whatever became
// of it. Faults: Conflict REQUEST_ID_REUSED, InvalidArgument QUESTION_INVALID, FailedPrecondition SELF_REVIEW when the target is the source agent
// itself, ResourceExhausted CONSULTATION_LIMIT after MaxPerTask consultations of a task.
func (l *Ledger) Issue(ctx context.Context, q Question) (Consultation, error) {
	if err := q.validate(); err != nil {
		return Consultation{}, err
	}
	var issued Consultation
	err := l.store.Append(ctx, q.Tenant, q.TaskID, func(entries []Entry) (Consultation, error) {
		now, entries := l.now(), ofTask(entries, q.TaskTime)
		asked, attempts, err := q.asked(entries, now)
		switch {
		case err != nil:
			return Consultation{}, err
		case asked != nil:
			issued = *asked
			return Consultation{}, errAlreadyAsked
		case len(entries) >= MaxPerTask:
			return Consultation{}, fault.New(fault.ResourceExhausted, "CONSULTATION_LIMIT", "task %s has had %d consultations, which is the limit", q.TaskID, MaxPerTask)
		}
		issued = q.consultation(attempts+1, now, l.ttl)
		issued.remember(q.Request)
		return issued, nil
	})
	if errors.Is(err, errAlreadyAsked) {
		err = nil
		if q.Request.ID != "" {
			err = l.update(ctx, q.Tenant, q.TaskID, issued.ID, func(c *Consultation) { c.remember(q.Request) })
		}
	}
	if err != nil {
		return Consultation{}, fmt.Errorf("issuing a consultation for requirement %q of task %s: %w", q.Requirement.ID, q.TaskID, err)
	}
	return issued, nil
}

// asked returns the consultation among those of the task that stands for q. If there is none, it returns how many attempts the requirement has had.
func (q Question) asked(entries []Entry, now time.Time) (c *Consultation, attempts int, err error) {
	first, err := q.Request.find(entries)
	if err != nil {
		return nil, 0, err
	}
	if first = first.at(now); first.Sent() || first.Unanswered() && q.asks(first) {
		return &first, 0, nil
	}
	var newest Consultation
	for _, e := range entries {
		if e.Consultation.RequirementID == q.Requirement.ID {
			newest = e.Consultation.at(now)
		}
	}
	if newest.Unanswered() && q.asks(newest) {
		return &newest, 0, nil
	}
	return nil, newest.Attempt, nil
}

func (q Question) validate() error {
	r := q.Requirement
	switch {
	case q.Tenant == "" || q.TaskID == "" || q.SourceAgent == "" || r.ID == "" || r.TargetAgent == "":
		return fault.Invalid("requirement_id", "QUESTION_INVALID", "a consultation needs a task, its agent and a requirement with a target")
	case !KnownPhase(r.Phase):
		return fault.Invalid("requirement_id", "QUESTION_INVALID", "requirement %q has the unknown phase %q", r.ID, r.Phase)
	case !digestForm.MatchString(q.SubjectDigest):
		return fault.Invalid("subject", "QUESTION_INVALID", "the digest of the content under review is not sha256 and 64 hexadecimal digits")
	case r.TargetAgent == q.SourceAgent:
		return fault.New(fault.FailedPrecondition, "SELF_REVIEW",
			"requirement %q names %s, which executes the task itself; an agent cannot review its own work", r.ID, r.TargetAgent)
	}
	return nil
}

// asks reports whether c asks the same as q.
func (q Question) asks(c Consultation) bool {
	r := q.Requirement
	return c.RequirementID == r.ID && c.SubjectDigest == q.SubjectDigest && c.SourceAgent == q.SourceAgent && c.TargetAgent == r.TargetAgent &&
		c.Phase == r.Phase && c.Mandatory == r.Mandatory && c.MinLevel == r.MinLevel
}

func (q Question) consultation(attempt int, now time.Time, ttl time.Duration) Consultation {
	r := q.Requirement
	return Consultation{
		ID: strings.ToLower(rand.Text()), Tenant: q.Tenant, TaskID: q.TaskID, TaskTime: q.TaskTime, RequirementID: r.ID, Phase: r.Phase,
		SourceAgent: q.SourceAgent, TargetAgent: r.TargetAgent, Mandatory: r.Mandatory, MinLevel: r.MinLevel, Attempt: attempt,
		SubjectDigest: q.SubjectDigest, TraceID: randomHex(16), SpanID: randomHex(8), State: StateOpen,
		IssueTime: now, ExpireTime: now.Add(ttl),
	}
}

func randomHex(size int) string {
	raw := make([]byte, size)
	_, _ = rand.Read(raw) // never returns an error since Go 1.24
	return hex.EncodeToString(raw)
}
