// Package storetest is the suite that every consultation.Store passes.
package storetest

import (
	"context"
	"errors"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/quorate/quorate/consultation"
	"github.com/quorate/quorate/platform/fault"
)

// Run runs the suite; open returns an empty store of its own for each test and cleans up after it.
func Run(t *testing.T, open func(t *testing.T) consultation.Store) {
	tests := map[string]func(*testing.T, consultation.Store){
		"what is appended is read back":                  readBack,
		"a task's entries are listed in order":           listInOrder,
		"tasks and tenants are apart":                    apart,
		"an error of next or change writes nothing":      errorsWriteNothing,
		"what is missing is not found":                   missing,
		"an id is used once":                             idOnce,
		"appends to one task see each other":             concurrentAppends,
		"updates of one entry see each other":            concurrentUpdates,
		"an entry that is too large is refused":          tooLarge,
		"an ended context stops a call":                  endedContext,
		"names that hold separators do not run together": separators,
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			test(t, open(t))
		})
	}
}

func entry(tenant, task, id string, attempt int) consultation.Consultation {
	at := time.Date(2026, 11, 20, 12, 0, attempt, 123456789, time.UTC)
	return consultation.Consultation{
		ID: id, Tenant: tenant, TaskID: task, TaskTime: at.Add(-time.Minute), RequirementID: "r", Phase: consultation.PhasePreCompletion, SourceAgent: "coder",
		TargetAgent: "reviewer", Mandatory: true, MinLevel: "C3", Attempt: attempt, SubjectDigest: "sha256:0", TraceID: "t", SpanID: "s",
		State: consultation.StateOpen, CarrierTaskID: "k", IssueTime: at, ExpireTime: at.Add(time.Minute),
	}
}

func add(t *testing.T, s consultation.Store, c consultation.Consultation) {
	t.Helper()
	err := s.Append(t.Context(), c.Tenant, c.TaskID, func([]consultation.Entry) (consultation.Consultation, error) { return c, nil })
	if err != nil {
		t.Fatalf("Append(%s) = %v, want no error", c.ID, err)
	}
}

func list(t *testing.T, s consultation.Store, tenant, task string) string {
	t.Helper()
	entries, err := s.List(t.Context(), tenant, task)
	if err != nil {
		t.Fatalf("List(%s, %s) = %v, want no error", tenant, task, err)
	}
	var ids []string
	for _, e := range entries {
		ids = append(ids, e.Consultation.ID)
	}
	return strings.Join(ids, " ")
}

func readBack(t *testing.T, s consultation.Store) {
	c := entry("a", "t", "1", 1)
	add(t, s, c)
	want := consultation.Entry{Consultation: c}
	want.Consultation.State = consultation.StateAnswered
	want.Consultation.Outcome = consultation.OutcomeRejected
	want.Consultation.CarryTime, want.Consultation.SearchTime = c.IssueTime.Add(time.Second), c.IssueTime.Add(time.Minute)
	want.Consultation.Feedback = "says <no> \x00 \u2028 é"
	want.Consultation.Refused = []consultation.Refusal{{Recorder: "coder", Reason: consultation.ReasonNotTheTarget, Backend: "jaeger", Detail: "why"}}
	want.Evidence = []consultation.Evidence{{
		TraceID: "t", SpanID: "s", SourceAgent: "coder", TargetAgent: "reviewer", TaskID: "t", RequirementID: "r", Outcome: "rejected",
		Feedback: "no", Timestamp: c.IssueTime, ConsultationID: "1", Attempt: 1, SubjectDigest: "sha256:0", Recorder: "reviewer", Level: "C2", Backend: "jaeger",
	}}
	err := s.Update(t.Context(), "a", "1", func(got consultation.Entry) (consultation.Entry, error) {
		if diff := cmp.Diff(consultation.Entry{Consultation: c}, got); diff != "" {
			t.Errorf("Update() handed over (-want +got):\n%s", diff)
		}
		return want, nil
	})
	if err != nil {
		t.Fatalf("Update() = %v, want no error", err)
	}
	got, err := s.Get(t.Context(), "a", "1")
	if diff := cmp.Diff(want, got); err != nil || diff != "" {
		t.Errorf("Get() = %v, differs (-want +got):\n%s", err, diff)
	}
	entries, err := s.List(t.Context(), "a", "t")
	if diff := cmp.Diff([]consultation.Entry{want}, entries); err != nil || diff != "" {
		t.Errorf("List() = %v, differs (-want +got):\n%s", err, diff)
	}
}

func listInOrder(t *testing.T, s consultation.Store) {
	var want []string
	for i := range 12 {
		id := strconv.Itoa((i * 7) % 12) // not in the order of the ids
		add(t, s, entry("a", "t", id, i))
		want = append(want, id)
	}
	if got := list(t, s, "a", "t"); got != strings.Join(want, " ") {
		t.Errorf("List() = %s, want %v", got, want)
	}
}

func apart(t *testing.T, s consultation.Store) {
	add(t, s, entry("a", "t", "1", 1))
	add(t, s, entry("a", "t2", "2", 1))
	add(t, s, entry("b", "t", "1", 1))
	for _, test := range []struct{ tenant, task, want string }{{"a", "t", "1"}, {"a", "t2", "2"}, {"b", "t", "1"}, {"c", "t", ""}, {"a", "", ""}} {
		if got := list(t, s, test.tenant, test.task); got != test.want {
			t.Errorf("List(%s, %s) = %q, want %q", test.tenant, test.task, got, test.want)
		}
	}
	if e, err := s.Get(t.Context(), "b", "1"); err != nil || e.Consultation.Tenant != "b" {
		t.Errorf("Get(b, 1) = %v, %v, want the one of tenant b", e, err)
	}
	if _, err := s.Get(t.Context(), "b", "2"); fault.KindOf(err) != fault.NotFound {
		t.Errorf("Get(b, 2) = %v, want not found", err)
	}
}

func errorsWriteNothing(t *testing.T, s consultation.Store) {
	refused := errors.New("refused")
	err := s.Append(t.Context(), "a", "t", func([]consultation.Entry) (consultation.Consultation, error) {
		return entry("a", "t", "1", 1), refused
	})
	if !errors.Is(err, refused) || list(t, s, "a", "t") != "" {
		t.Errorf("Append() = %v, and lists %q; want %v and nothing", err, list(t, s, "a", "t"), refused)
	}
	add(t, s, entry("a", "t", "1", 1))
	err = s.Update(t.Context(), "a", "1", func(e consultation.Entry) (consultation.Entry, error) {
		e.Consultation.State = consultation.StateFailed
		return e, refused
	})
	if !errors.Is(err, refused) {
		t.Errorf("Update() = %v, want %v", err, refused)
	}
	if e, err := s.Get(t.Context(), "a", "1"); err != nil || e.Consultation.State != consultation.StateOpen {
		t.Errorf("Get() = %v, %v, want it unchanged", e, err)
	}
}

func missing(t *testing.T, s consultation.Store) {
	keep := func(e consultation.Entry) (consultation.Entry, error) { return e, nil }
	if _, err := s.Get(t.Context(), "a", "1"); fault.ReasonOf(err) != "CONSULTATION_NOT_FOUND" {
		t.Errorf("Get() = %v, want CONSULTATION_NOT_FOUND", err)
	}
	if err := s.Update(t.Context(), "a", "1", keep); fault.ReasonOf(err) != "CONSULTATION_NOT_FOUND" {
		t.Errorf("Update() = %v, want CONSULTATION_NOT_FOUND", err)
	}
	if got := list(t, s, "a", "t"); got != "" {
		t.Errorf("List() = %q, want nothing", got)
	}
}

func idOnce(t *testing.T, s consultation.Store) {
	add(t, s, entry("a", "t", "1", 1))
	err := s.Append(t.Context(), "a", "t2", func([]consultation.Entry) (consultation.Consultation, error) {
		return entry("a", "t2", "1", 1), nil
	})
	if fault.KindOf(err) != fault.AlreadyExists {
		t.Errorf("Append() with a used id = %v, want already exists", err)
	}
	if e, err := s.Get(t.Context(), "a", "1"); err != nil || e.Consultation.TaskID != "t" || list(t, s, "a", "t2") != "" {
		t.Errorf("Get() = %v, %v, want the first one only", e, err)
	}
}

func concurrentAppends(t *testing.T, s consultation.Store) {
	const writers = 20
	var group sync.WaitGroup
	for range writers {
		group.Go(func() {
			err := s.Append(t.Context(), "a", "t", func(entries []consultation.Entry) (consultation.Consultation, error) {
				n := len(entries) + 1
				return entry("a", "t", strconv.Itoa(n), n), nil
			})
			if err != nil {
				t.Errorf("Append() = %v, want no error", err)
			}
		})
	}
	group.Wait()
	if got := len(strings.Fields(list(t, s, "a", "t"))); got != writers {
		t.Errorf("List() has %d entries, want %d", got, writers)
	}
}

func concurrentUpdates(t *testing.T, s consultation.Store) {
	const writers = 20
	add(t, s, entry("a", "t", "1", 0))
	var group sync.WaitGroup
	for range writers {
		group.Go(func() {
			err := s.Update(t.Context(), "a", "1", func(e consultation.Entry) (consultation.Entry, error) {
				e.Consultation.Attempt++
				return e, nil
			})
			if err != nil {
				t.Errorf("Update() = %v, want no error", err)
			}
		})
	}
	group.Wait()
	if e, err := s.Get(t.Context(), "a", "1"); err != nil || e.Consultation.Attempt != writers {
		t.Errorf("Get() = %d updates, %v, want %d", e.Consultation.Attempt, err, writers)
	}
}

func tooLarge(t *testing.T, s consultation.Store) {
	add(t, s, entry("a", "t", "1", 1))
	err := s.Update(t.Context(), "a", "1", func(e consultation.Entry) (consultation.Entry, error) {
		e.Consultation.Feedback = strings.Repeat("x", 351<<10)
		return e, nil
	})
	if fault.ReasonOf(err) != "ITEM_TOO_LARGE" {
		t.Errorf("Update() with 351 KiB = %v, want ITEM_TOO_LARGE", err)
	}
}

func endedContext(t *testing.T, s consultation.Store) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := s.Get(ctx, "a", "1"); !errors.Is(err, context.Canceled) {
		t.Errorf("Get() = %v, want %v", err, context.Canceled)
	}
	if _, err := s.List(ctx, "a", "t"); !errors.Is(err, context.Canceled) {
		t.Errorf("List() = %v, want %v", err, context.Canceled)
	}
}

func separators(t *testing.T, s consultation.Store) {
	add(t, s, entry("a", "b\x00c", "1", 1))
	add(t, s, entry("a\x00b", "c", "2", 1))
	if got := list(t, s, "a", "b"); got != "" {
		t.Errorf("List(a, b) = %q, want nothing", got)
	}
	if got := list(t, s, "a\x00b", "c"); got != "2" {
		t.Errorf(`List(a\x00b, c) = %q, want 2`, got)
	}
}
