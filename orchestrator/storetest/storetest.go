// Package storetest is the suite that every orchestrator.Store passes.
package storetest

import (
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/a2aproject/a2a-go/v2/a2apb/v1"
	"github.com/google/go-cmp/cmp"
	"google.golang.org/protobuf/testing/protocmp"
	"google.golang.org/protobuf/types/known/structpb"

	"github.com/quorate/quorate/consultation"
	"github.com/quorate/quorate/orchestrator"
	"github.com/quorate/quorate/platform/fault"
)

// Run runs the suite; open returns a new empty store each time.
func Run(t *testing.T, open func(t *testing.T) orchestrator.Store) {
	t.Helper()
	RunExceptLimits(t, open)
	t.Run("content over the limit is refused", func(t *testing.T) { tooLarge(t, open(t)) })
	t.Run("the largest content is taken", func(t *testing.T) { justFits(t, open(t)) })
	t.Run("the largest task that is accepted can end", func(t *testing.T) { largest(t, open(t)) })
}

// RunExceptLimits runs the suite but for the limits of sizes.
func RunExceptLimits(t *testing.T, open func(t *testing.T) orchestrator.Store) {
	t.Helper()
	for name, test := range map[string]func(*testing.T, orchestrator.Store){
		"a created task is read back whole":                      createdIsReadBack,
		"creating a task again returns the first":                createIsIdempotent,
		"a missing task is not found":                            missing,
		"an update is one step with its events":                  update,
		"an update that fails or changes nothing writes nothing": updateWritesNothing,
		"concurrent updates are all kept":                        concurrentUpdates,
		"a log is read from any event on, in pages of any size":  logPages,
		"a step may add more events than an item holds":          manyEvents,
		"a list is newest first, in pages, of one tenant":        list,
		"what has ended is no longer unfinished":                 unfinished,
		"tenants do not see each other":                          tenants,
		"messages after the first are kept in order":             turns,
		"a part of a task has the content that is wanted":        part,
		"an unpaid obligation keeps a task that has ended open":  unpaid,
	} {
		t.Run(name, func(t *testing.T) { test(t, open(t)) })
	}
}

var epoch = time.Date(2026, 11, 20, 12, 0, 0, 123000, time.UTC)

func key(t orchestrator.Task) orchestrator.Key {
	return orchestrator.Key{Tenant: t.Tenant, ID: t.ID}
}

func task(id string) orchestrator.Task {
	return orchestrator.Task{
		Tenant: "default", ID: id, ContextID: id, Owner: "tester", State: a2apb.TaskState_TASK_STATE_SUBMITTED,
		Phase: orchestrator.PhaseExecution, Agent: "echo", CreateTime: epoch, UpdateTime: epoch, Deadline: epoch.Add(time.Hour),
		Attributes:   consultation.Attributes{"flag": true, "count": 3.0, "list": []any{"a", "b"}},
		Requirements: []consultation.Requirement{{ID: "r", TargetAgent: "x", Phase: "pre-completion", MinLevel: "C3", Condition: &consultation.Condition{Attribute: "flag", Operator: "equals", Value: true}}},
		Message:      message("do it"),
	}
}

func message(s string) *a2apb.Message {
	return &a2apb.Message{MessageId: "m", Role: a2apb.Role_ROLE_USER, Parts: []*a2apb.Part{{Content: &a2apb.Part_Text{Text: s}}}}
}

func artifact(s string) *a2apb.Artifact {
	return &a2apb.Artifact{ArtifactId: s, Parts: []*a2apb.Part{{Content: &a2apb.Part_Text{Text: s}}}}
}

func create(t *testing.T, s orchestrator.Store, in orchestrator.Task) orchestrator.Task {
	t.Helper()
	out, created, err := s.Create(t.Context(), in, orchestrator.Event{Type: orchestrator.EventSubmitted})
	if err != nil || !created {
		t.Fatalf("Create(%s) = created %t, %v, want true, nil", in.ID, created, err)
	}
	return out
}

func createdIsReadBack(t *testing.T, s orchestrator.Store) {
	want := create(t, s, task("a"))
	got, err := s.Task(t.Context(), key(want))
	if err != nil {
		t.Fatalf("Task() = %v", err)
	}
	if diff := cmp.Diff(want, got, protocmp.Transform()); diff != "" {
		t.Errorf("Task() differs from what Create returned (-want +got):\n%s", diff)
	}
	if got.Version != 1 || got.LastEvent != 1 {
		t.Errorf("version, last event = %d, %d, want 1, 1", got.Version, got.LastEvent)
	}
}

func createIsIdempotent(t *testing.T, s orchestrator.Store) {
	create(t, s, task("a"))
	other := task("a")
	other.Owner = "somebody else"
	got, created, err := s.Create(t.Context(), other, orchestrator.Event{})
	if err != nil || created || got.Owner != "tester" {
		t.Errorf("Create(again) = owner %q, created %t, %v, want the first task, false, nil", got.Owner, created, err)
	}
	if log, err := s.Events(t.Context(), key(other), 0, 10); err != nil || len(log) != 1 {
		t.Errorf("Events() = %v, %v, want the first event only", log, err)
	}
}

func missing(t *testing.T, s orchestrator.Store) {
	for _, id := range []string{"none", strings.Repeat("n", 3000), "n\x00n"} { // callers may ask for anything
		k := orchestrator.Key{Tenant: "default", ID: id}
		_, err1 := s.Task(t.Context(), k)
		_, err2 := s.Update(t.Context(), k, func(*orchestrator.Task) ([]orchestrator.Event, error) { return nil, nil })
		_, err3 := s.Events(t.Context(), k, 0, 10)
		for call, err := range map[string]error{"Task": err1, "Update": err2, "Events": err3} {
			if fault.ReasonOf(err) != "TASK_NOT_FOUND" || len(err.Error()) > 500 {
				t.Errorf("%s(missing) = %.500v, want TASK_NOT_FOUND, in short", call, err)
			}
		}
	}
}

func update(t *testing.T, s orchestrator.Store) {
	k := key(create(t, s, task("a")))
	steps := [][]*a2apb.Artifact{{artifact("one"), artifact("two")}, {artifact("three")}}
	about := []*structpb.Struct{{Fields: map[string]*structpb.Value{"model": structpb.NewStringValue("m1")}}, nil}
	gates := [][]orchestrator.Gate{{{Phase: orchestrator.PhasePreCompletion, Digest: "d1", CheckTime: epoch}}, {{Phase: orchestrator.PhasePreCompletion, Digest: "d2", CheckTime: epoch}}}
	for i, artifacts := range steps {
		want, err := s.Update(t.Context(), k, func(t *orchestrator.Task) ([]orchestrator.Event, error) {
			t.Artifacts, t.StatusMessage, t.Metadata, t.Gates = artifacts, message("said"), about[i], gates[i]
			return []orchestrator.Event{{Type: orchestrator.EventProgress, Detail: "1"}, {Type: orchestrator.EventProgress, Detail: "2", Said: "{}"}}, nil
		})
		if err != nil {
			t.Fatalf("Update() = %v", err)
		}
		got, err := s.Task(t.Context(), k)
		if err != nil {
			t.Fatalf("Task() = %v", err)
		}
		if diff := cmp.Diff(want, got, protocmp.Transform()); diff != "" {
			t.Errorf("Task() differs from what Update returned (-want +got):\n%s", diff)
		}
		if diff := cmp.Diff(artifacts, got.Artifacts, protocmp.Transform()); diff != "" {
			t.Errorf("artifacts (-want +got):\n%s", diff)
		}
		if diff := cmp.Diff(about[i], got.Metadata, protocmp.Transform()); diff != "" {
			t.Errorf("metadata (-want +got):\n%s", diff)
		}
		if diff := cmp.Diff(gates[i], got.Gates); diff != "" {
			t.Errorf("gates (-want +got):\n%s", diff)
		}
	}
	log, err := s.Events(t.Context(), k, 2, 2)
	if err != nil || len(log) != 2 || log[0].Sequence != 3 || log[1].Sequence != 4 || log[0].Detail != "2" || log[0].Said != "{}" || log[1].Said != "" {
		t.Errorf("Events(after 2, limit 2) = %v, %v, want the events 3 and 4", log, err)
	}
}

// logPages writes events in steps of one, none and several, and reads them back from everywhere.
func logPages(t *testing.T, s orchestrator.Store) {
	k := key(create(t, s, task("a")))
	const total = 7
	for _, n := range []int{2, 0, 3, 1} {
		if _, err := s.Update(t.Context(), k, func(*orchestrator.Task) ([]orchestrator.Event, error) { return make([]orchestrator.Event, n), nil }); err != nil {
			t.Fatalf("Update() = %v", err)
		}
	}
	for after := range uint64(total + 2) {
		for limit := 1; limit <= total+1; limit++ {
			events, err := s.Events(t.Context(), k, after, limit)
			var got, want []uint64
			for _, e := range events {
				got = append(got, e.Sequence)
			}
			for n := after + 1; n <= min(total, after+uint64(limit)); n++ {
				want = append(want, n)
			}
			if diff := cmp.Diff(want, got); diff != "" || err != nil {
				t.Errorf("Events(after %d, limit %d) = %v (-want +got):\n%s", after, limit, err, diff)
			}
		}
	}
}

// manyEvents writes at once what an agent said that says much.
func manyEvents(t *testing.T, s orchestrator.Store) {
	const total, words, largest = 500, 1500, 64 << 10 // bytes
	k := key(create(t, s, task("a")))
	detail := func(n uint64) string {
		if n == 0 {
			return fmt.Sprintf("%0*d", largest, n)
		}
		return fmt.Sprintf("%0*d", words, n)
	}
	if _, err := s.Update(t.Context(), k, func(*orchestrator.Task) ([]orchestrator.Event, error) {
		var events []orchestrator.Event
		for n := range uint64(total) {
			events = append(events, orchestrator.Event{Type: orchestrator.EventProgress, Detail: detail(n)})
		}
		return events, nil
	}); err != nil {
		t.Fatalf("Update(%d events of %d bytes) = %v", total, words, err)
	}
	const page = 120
	for after := uint64(1); after < total+1; {
		events, err := s.Events(t.Context(), k, after, page)
		if err != nil || len(events) == 0 {
			t.Fatalf("Events(after %d) = %d events, %v, want some", after, len(events), err)
		}
		for _, e := range events {
			if want := detail(after - 1); e.Sequence != after+1 || e.Detail != want {
				t.Fatalf("event %d has sequence %d and says …%.20s, want %d and …%.20s", after+1, e.Sequence, e.Detail[words-20:], after+1, want[words-20:])
			}
			after++
		}
	}
}

func updateWritesNothing(t *testing.T, s orchestrator.Store) {
	before := create(t, s, task("a"))
	broken := errors.New("broken")
	for _, give := range []error{broken, orchestrator.ErrUnchanged} {
		got, err := s.Update(t.Context(), key(before), func(t *orchestrator.Task) ([]orchestrator.Event, error) {
			t.Owner = "changed"
			return []orchestrator.Event{{}}, give
		})
		if give == broken && !errors.Is(err, broken) { //nolint:errorlint // which of two values was given
			t.Errorf("Update() = %v, want the change's own error", err)
		}
		if give != broken && (err != nil || got.Owner != "tester") { //nolint:errorlint // which of two values was given
			t.Errorf("Update(unchanged) = owner %q, %v, want the stored task, nil", got.Owner, err)
		}
		after, err := s.Task(t.Context(), key(before))
		if err != nil || after.Version != before.Version || after.LastEvent != before.LastEvent || after.Owner != before.Owner {
			t.Errorf("after Update(%v) the task is %+v, %v, want it as it was", give, after, err)
		}
	}
}

func concurrentUpdates(t *testing.T, s orchestrator.Store) {
	const writers, each = 8, 8
	k := key(create(t, s, task("a")))
	var wg sync.WaitGroup
	for range writers {
		wg.Go(func() {
			for range each {
				if _, err := s.Update(t.Context(), k, func(t *orchestrator.Task) ([]orchestrator.Event, error) {
					t.Attempts = append(append([]orchestrator.Attempt(nil), t.Attempts...), orchestrator.Attempt{Number: len(t.Attempts) + 1})
					return []orchestrator.Event{{}}, nil
				}); err != nil {
					t.Errorf("Update() = %v", err)
				}
			}
		})
	}
	wg.Wait()
	got, err := s.Task(t.Context(), k)
	if err != nil || len(got.Attempts) != writers*each || got.LastEvent != writers*each+1 || got.Version != writers*each+1 {
		t.Errorf("after %d updates: %d attempts, event %d, version %d, %v", writers*each, len(got.Attempts), got.LastEvent, got.Version, err)
	}
}

func list(t *testing.T, s orchestrator.Store) {
	var want []string
	for i := range 5 {
		in := task(fmt.Sprintf("t%d", i))
		in.CreateTime = epoch.Add(time.Duration(i) * time.Minute)
		create(t, s, in)
		want = append([]string{in.ID}, want...)
	}
	other := task("elsewhere")
	other.Tenant = "defaulu"
	create(t, s, other)
	var got []string
	after := ""
	for range 4 {
		page, next, err := s.Tasks(t.Context(), "default", after, 2)
		if err != nil {
			t.Fatalf("Tasks() = %v", err)
		}
		for _, x := range page {
			got = append(got, x.ID)
			if x.Message != nil {
				t.Errorf("Tasks() returned %s with its message", x.ID)
			}
		}
		if after = next; next == "" {
			break
		}
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("Tasks() in pages of 2 (-want +got):\n%s", diff)
	}
}

func unfinished(t *testing.T, s orchestrator.Store) {
	const shard = 7
	for id, its := range map[string]int{"a": shard, "b": shard, "c": shard, "d": shard + 1, "e": 0} {
		in := task(id)
		in.Shard = its
		create(t, s, in)
	}
	end := func(id string, untold bool) {
		t.Helper()
		if _, err := s.Update(t.Context(), orchestrator.Key{Tenant: "default", ID: id}, func(t *orchestrator.Task) ([]orchestrator.Event, error) {
			t.State, t.Untold = a2apb.TaskState_TASK_STATE_COMPLETED, untold
			return nil, nil
		}); err != nil {
			t.Fatalf("Update() = %v", err)
		}
	}
	end("b", false)
	first, err := s.Unfinished(t.Context(), shard, orchestrator.Key{}, 1)
	if err != nil || len(first) != 1 {
		t.Fatalf("Unfinished(limit 1) = %v, %v, want one key", first, err)
	}
	rest, err := s.Unfinished(t.Context(), shard, first[0], 10)
	if diff := cmp.Diff([]orchestrator.Key{{Tenant: "default", ID: "a"}, {Tenant: "default", ID: "c"}}, append(first, rest...)); diff != "" || err != nil {
		t.Errorf("Unfinished() = %v (-want +got):\n%s", err, diff)
	}
	end("a", false) // the next page begins behind one that is settled by then
	end("b", true)  // somebody is owed word of it after all
	rest, err = s.Unfinished(t.Context(), shard, first[0], 10)
	if diff := cmp.Diff([]orchestrator.Key{{Tenant: "default", ID: "b"}, {Tenant: "default", ID: "c"}}, rest); diff != "" || err != nil {
		t.Errorf("Unfinished() behind a task that is settled = %v (-want +got):\n%s", err, diff)
	}
}

func tenants(t *testing.T, s orchestrator.Store) {
	create(t, s, task("a"))
	if _, err := s.Task(t.Context(), orchestrator.Key{Tenant: "other", ID: "a"}); fault.KindOf(err) != fault.NotFound {
		t.Errorf("Task(other tenant) = %v, want not found", err)
	}
}
