package consultation_test

import (
	"cmp"
	"context"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/quorate/quorate/consultation"
	"github.com/quorate/quorate/consultation/embedded"
	"github.com/quorate/quorate/platform/boltdb"
)

const (
	tenant = "default"
	task   = "task-1"
	source = "coder"
	target = "reviewer"
)

var (
	current     = consultation.Digest([]consultation.Part{{Kind: "text", Text: "now"}})
	older       = consultation.Digest([]consultation.Part{{Kind: "text", Text: "before"}})
	requirement = consultation.Requirement{ID: "r", TargetAgent: target, Phase: consultation.PhasePreCompletion, Mandatory: true}
	reviewer    = consultation.Recorder{Tenant: tenant, Agent: target}
)

// clock is a time that tests move.
type clock struct {
	mu  sync.Mutex
	now time.Time // guarded by mu
}

func (c *clock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

func (c *clock) Advance(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = c.now.Add(d)
}

// fixture is a ledger over a real store whose time and failures the test controls.
type fixture struct {
	*consultation.Ledger
	*clock
	store *failing
}

func newFixture(t *testing.T) *fixture {
	t.Helper()
	db, err := boltdb.Open(filepath.Join(t.TempDir(), "spans.db"), boltdb.Options{})
	if err != nil {
		t.Fatalf("Open() = %v, want no error", err)
	}
	t.Cleanup(func() {
		if err := db.Close(); err != nil {
			t.Errorf("Close() = %v, want no error", err)
		}
	})
	f := &fixture{clock: &clock{now: time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)}, store: &failing{Store: embedded.New(db)}}
	f.Ledger = consultation.NewLedger(f.store, consultation.LedgerOptions{Now: f.Now})
	return f
}

// failing is a store that fails when it is told to.
type failing struct {
	consultation.Store
	reads, writes error
	after         error        // of an Update whose change was made but not kept
	lists         atomic.Int32 // how often List was called
	before        func()       // called once, before the next Update; nil calls nothing
}

func (s *failing) Get(ctx context.Context, tenant, id string) (consultation.Entry, error) {
	if s.reads != nil {
		return consultation.Entry{}, s.reads
	}
	return s.Store.Get(ctx, tenant, id)
}

func (s *failing) List(ctx context.Context, tenant, taskID string) ([]consultation.Entry, error) {
	s.lists.Add(1)
	if s.reads != nil {
		return nil, s.reads
	}
	return s.Store.List(ctx, tenant, taskID)
}

func (s *failing) Update(ctx context.Context, tenant, id string, change func(consultation.Entry) (consultation.Entry, error)) error {
	if s.writes != nil {
		return s.writes
	}
	if before := s.before; before != nil {
		s.before = nil
		before()
	}
	return s.Store.Update(ctx, tenant, id, func(e consultation.Entry) (consultation.Entry, error) {
		e, err := change(e)
		return e, cmp.Or(err, s.after)
	})
}

// issue asks about the content of digest.
func (f *fixture) issue(t *testing.T, digest string) consultation.Consultation {
	t.Helper()
	c, err := f.Issue(t.Context(), question(digest))
	if err != nil {
		t.Fatalf("Issue() = %v, want no error", err)
	}
	return c
}

func question(digest string) consultation.Question {
	return consultation.Question{Tenant: tenant, TaskID: task, SourceAgent: source, Requirement: requirement, SubjectDigest: digest}
}

// claim returns an honest answer to c.
func claim(c consultation.Consultation, outcome, spanID string) consultation.Claim {
	return consultation.Claim{
		TraceID: c.TraceID, SpanID: spanID, ServiceName: c.TargetAgent, ConsultationID: c.ID, TaskID: c.TaskID,
		RequirementID: c.RequirementID, Phase: c.Phase, SourceAgent: c.SourceAgent, TargetAgent: c.TargetAgent, Outcome: outcome,
		Feedback: "because", SubjectDigest: c.SubjectDigest, Attempt: c.Attempt, SchemaVersion: 1,
	}
}

func (f *fixture) record(t *testing.T, cl consultation.Claim) {
	t.Helper()
	if err := f.Record(t.Context(), reviewer, cl); err != nil {
		t.Fatalf("Record(%s) = %v, want no error", cl.Outcome, err)
	}
}

// check returns the verdict on requirement for the current content.
func (f *fixture) check(t *testing.T) (bool, consultation.RequirementVerdict) {
	t.Helper()
	d, err := f.Check(t.Context(), subject())
	if err != nil || len(d.Requirements) != 1 {
		t.Fatalf("Check() = %v, %v, want one requirement", d, err)
	}
	return d.Allowed, d.Requirements[0]
}

func subject() consultation.Subject {
	return consultation.Subject{
		Tenant: tenant, TaskID: task, SourceAgent: source, Phases: []string{consultation.PhasePreCompletion},
		Digests:      map[string]string{consultation.PhasePreCompletion: current},
		Requirements: []consultation.Requirement{requirement},
	}
}
