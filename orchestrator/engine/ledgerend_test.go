package engine_test

import (
	"context"
	"path/filepath"
	"sync/atomic"
	"testing"
	"testing/synctest"

	"github.com/a2aproject/a2a-go/v2/a2apb/v1"

	"github.com/quorate/quorate/consultation"
	consultationstore "github.com/quorate/quorate/consultation/embedded"
	"github.com/quorate/quorate/orchestrator"
	"github.com/quorate/quorate/orchestrator/agentclient"
	"github.com/quorate/quorate/orchestrator/engine"
	"github.com/quorate/quorate/orchestrator/storetest"
	"github.com/quorate/quorate/platform/boltdb"
	"github.com/quorate/quorate/platform/fault"
)

// TestTheEndOfATaskEndsItsConsultationsWhereverItBreaks cancels a task whose reviewer is at work, once for every call to the store and every kind of
// mishap.
func TestTheEndOfATaskEndsItsConsultationsWhereverItBreaks(t *testing.T) {
	t.Parallel()
	wherever(t, 20, recall)
}

// TestATaskThatEndsWhileSomebodyIsAskedAboutItEndsThatToo cancels a task between the sending of the question and the note of who carries it.
func TestATaskThatEndsWhileSomebodyIsAskedAboutItEndsThatToo(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := newDesk(t)
		s.start()
		task, err := s.engine.Submit(t.Context(), heldBack)
		if err != nil {
			t.Fatal(err)
		}
		s.pass()
		var canceled atomic.Bool // not a sync.Once: the end of the carrier changes the entry meanwhile
		s.asked = between{s.asked, func() {
			if canceled.Swap(true) {
				return
			}
			if _, err := s.engine.Cancel(t.Context(), engine.Cancellation{Key: orchestrator.Key{Tenant: tenant, ID: task.ID}, Caller: "tester"}); err != nil {
				t.Error(err)
			}
			synctest.Wait()
		}}
		s.stop()
		s.start() // with what comes between
		s.pass()
		c, err := s.engine.Consult(t.Context(), tenant, task.ID, "r", nil, consultation.Request{})
		if err != nil {
			t.Fatalf("Consult() = %v", err)
		}
		s.pass()
		s.stop()
		s.checkRecalled("before the carrier was noted", task.ID, c)
		list, err := s.store.Events(t.Context(), orchestrator.Key{Tenant: tenant, ID: task.ID}, 0, 100)
		if err != nil || list[len(list)-1].Type != orchestrator.EventState {
			t.Errorf("Events() = %+v, %v, want nothing behind the end, with which those who watch have left", list, err)
		}
	})
}

// TestAConsultationIsKnownByItsCarrierAlsoWhenWhoAskedHasGone has who asks for a consultation leave between the sending of the question and the note
// of who carries it, without which the end of the task could not call the reviewer off.
func TestAConsultationIsKnownByItsCarrierAlsoWhenWhoAskedHasGone(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := newDesk(t)
		ctx, leave := context.WithCancel(t.Context())
		s.asked = between{s.asked, leave}
		s.start()
		task, err := s.engine.Submit(t.Context(), heldBack)
		if err != nil {
			t.Fatal(err)
		}
		s.pass()
		c, err := s.engine.Consult(ctx, tenant, task.ID, "r", nil, consultation.Request{})
		if err != nil {
			t.Errorf("Consult() = %v, want no error", err)
		}
		s.pass()
		if _, err := s.engine.Cancel(t.Context(), engine.Cancellation{Key: orchestrator.Key{Tenant: tenant, ID: task.ID}, Caller: "tester"}); err != nil {
			t.Error(err)
		}
		s.pass()
		s.stop()
		s.checkRecalled("after who asked had gone", task.ID, c)
	})
}

// TestACarrierThatWasNotNotedIsRecalled has the process that asks die between the sending of the question and the note of who carries it, and nobody ask
// again.
func TestACarrierThatWasNotNotedIsRecalled(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := newDesk(t)
		store := s.asked
		s.asked = deaf{store}
		s.start()
		task, err := s.engine.Submit(t.Context(), heldBack)
		if err != nil {
			t.Fatal(err)
		}
		s.pass()
		if _, err := s.engine.Consult(t.Context(), tenant, task.ID, "r", nil, consultation.Request{}); err == nil {
			t.Error("Consult() = nil, want that the carrier could not be noted")
		}
		s.pass()
		s.stop()
		s.asked = store
		s.start()
		if _, err := s.engine.Cancel(t.Context(), engine.Cancellation{Key: orchestrator.Key{Tenant: tenant, ID: task.ID}, Caller: "tester"}); err != nil {
			t.Error(err)
		}
		s.pass()
		s.stop()
		list, err := store.List(t.Context(), tenant, task.ID)
		if err != nil || len(list) != 1 || list[0].Consultation.CarrierTaskID != "" {
			t.Fatalf("List() = %+v, %v, want a consultation without a carrier", list, err)
		}
		c := list[0].Consultation
		c.CarrierTaskID = orchestrator.TaskID(tenant, "quorate:consultation", c.ID)
		s.checkRecalled("after who asked had died", task.ID, c)
	})
}

// TestACarrierThatComesAfterTheEndIsRecalled cancels a task between the opening of a consultation about it and the sending of the question, and has the
// carrier not be noted either: the end found no carrier, and nobody looks for one again.
func TestACarrierThatComesAfterTheEndIsRecalled(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := newDesk(t)
		store := s.asked
		var k orchestrator.Key
		s.asked = deaf{opened{store, func() {
			if _, err := s.engine.Cancel(t.Context(), engine.Cancellation{Key: k, Caller: "tester"}); err != nil {
				t.Error(err)
			}
			synctest.Wait()
		}}}
		s.start()
		task, err := s.engine.Submit(t.Context(), heldBack)
		if err != nil {
			t.Fatal(err)
		}
		k = task.Key()
		s.pass()
		if _, err := s.engine.Consult(t.Context(), tenant, task.ID, "r", nil, consultation.Request{}); err == nil {
			t.Error("Consult() = nil, want that the carrier could not be noted")
		}
		s.stop()
		s.asked = store
		s.start()
		s.pass()
		s.stop()
		list, err := store.List(t.Context(), tenant, task.ID)
		if err != nil || len(list) != 1 {
			t.Fatalf("List() = %+v, %v, want a consultation", list, err)
		}
		c := list[0].Consultation
		c.CarrierTaskID = orchestrator.TaskID(tenant, "quorate:consultation", c.ID)
		s.checkRecalled("after the end", task.ID, c)
		if s.worker.tasks["review"] != nil {
			t.Error("the reviewer was asked about a task that had ended, want that nobody bothers it")
		}
	})
}

// opened is a store in which something happens when a consultation has been opened.
type opened struct {
	consultation.Store
	then func()
}

func (o opened) Append(ctx context.Context, tenant, taskID string, issue func([]consultation.Entry) (consultation.Consultation, error)) error {
	err := o.Store.Append(ctx, tenant, taskID, issue)
	o.then()
	return err
}

// deaf is a store in which no entry can be changed.
type deaf struct{ consultation.Store }

func (deaf) Update(context.Context, string, string, func(consultation.Entry) (consultation.Entry, error)) error {
	return fault.New(fault.Unavailable, "DOWN", "the store is down")
}

// between has something happen before the first entry is changed.
type between struct {
	consultation.Store
	first func()
}

func (b between) Update(ctx context.Context, tenant, id string, change func(consultation.Entry) (consultation.Entry, error)) error {
	b.first()
	return b.Store.Update(ctx, tenant, id, change)
}

var heldBack = engine.Submission{
	Tenant: tenant, Caller: "tester", Message: text("do it"), Route: orchestrator.Route{Agent: "web"}, Attributes: sensitive, RequestID: "r",
}

// newDesk returns a simulation, not started, of an agent whose work a reviewer never gets done with.
func newDesk(t *testing.T) *simulation {
	t.Helper()
	spans, err := boltdb.Open(filepath.Join(t.TempDir(), "spans.db"), boltdb.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = spans.Close() })
	w := newWorker()
	return &simulation{t: t, store: &storetest.Memory{}, worker: w, client: desk{w}, asked: consultationstore.New(spans), actors: map[string]*actor{
		"web": {name: "web", requirements: requirement("pre-completion")}, "reviewer": {name: "reviewer"},
	}}
}

// desk is a worker that also reviews, which takes it for ever.
type desk struct{ *worker }

func (d desk) Send(ctx context.Context, m *a2apb.Message, stream bool, each agentclient.Each) error {
	if m.GetMetadata().GetFields()[consultation.ExtensionURI].GetStructValue().GetFields()["consultationId"] == nil {
		return d.worker.Send(ctx, m, stream, each)
	}
	d.mu.Lock()
	d.tasks["review"] = remoteTask("review", a2apb.TaskState_TASK_STATE_WORKING, "reading")
	d.mu.Unlock()
	return each(snapshot("review", a2apb.TaskState_TASK_STATE_WORKING, "reading"))
}

// recall has a task, and one that carries a consultation about it.
func recall(t *testing.T, x *trouble) {
	t.Helper()
	s := newDesk(t)
	s.meet(x)
	s.start()
	when := x.String()
	task := s.insist(when, func() (orchestrator.Task, error) {
		return s.engine.Submit(t.Context(), heldBack)
	})
	s.pass()
	var c consultation.Consultation
	s.insist(when, func() (_ orchestrator.Task, err error) {
		c, err = s.engine.Consult(t.Context(), tenant, task.ID, "r", nil, consultation.Request{Caller: "tester", ID: "1"})
		return task, err
	})
	s.pass()
	s.insist(when, func() (orchestrator.Task, error) {
		t, err := s.engine.Cancel(t.Context(), engine.Cancellation{Key: orchestrator.Key{Tenant: tenant, ID: task.ID}, Caller: "tester"})
		if fault.ReasonOf(err) == "TASK_ENDED" {
			return t, nil // by the call before, whose answer was lost
		}
		return t, err
	})
	s.pass()
	s.stop()
	s.checkRecalled(when, task.ID, c)
}

// checkRecalled looks before the consultation would have expired.
func (s *simulation) checkRecalled(when, id string, c consultation.Consultation) {
	s.store.Fail = nil
	for what, id := range map[string]string{"the task": id, "the consultation's task": c.CarrierTaskID} {
		got, err := s.store.Task(s.t.Context(), orchestrator.Key{Tenant: tenant, ID: id})
		if err != nil || got.State != a2apb.TaskState_TASK_STATE_CANCELED || !got.Settled() {
			s.t.Errorf("%s: %s is in state %s, settled %t, %v, want canceled and settled", when, what, got.State, got.Settled(), err)
		}
	}
	for shard := range orchestrator.Shards {
		if left, err := s.store.Unfinished(s.t.Context(), shard, orchestrator.Key{}, 10); err != nil || len(left) > 0 {
			s.t.Errorf("%s: Unfinished(%d) = %v, %v, want that nobody works on anything", when, shard, left, err)
		}
	}
	if e, err := s.asked.Get(s.t.Context(), tenant, c.ID); err != nil || e.Consultation.State != consultation.StateFailed {
		s.t.Errorf("%s: the consultation is %q, %v, want failed", when, e.Consultation.State, err)
	}
}
