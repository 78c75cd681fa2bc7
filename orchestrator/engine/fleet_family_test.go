package engine_test

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/a2aproject/a2a-go/v2/a2apb/v1"

	"github.com/quorate/quorate/consultation"
	"github.com/quorate/quorate/orchestrator"
	"github.com/quorate/quorate/orchestrator/engine"
	"github.com/quorate/quorate/platform/fault"
)

// familyMishaps are those that concern more than one replica.
var familyMishaps = []mishap{diesAfter, answerLost, pausesBefore, pausesAfter}

// TestATaskAndThoseThatServeItEndTogetherAmongReplicas has a fan-out, and a task about which somebody is consulted, be canceled while their agents are
// at work, once for every call to the store or an agent and every way for it to go wrong. All tasks end, once; no owner wrote after a later one; and
// who watches, at one replica after the other, sees each event once.
func TestATaskAndThoseThatServeItEndTogetherAmongReplicas(t *testing.T) {
	t.Parallel()
	for name, scene := range map[string]func(f *fleet) orchestrator.Key{"a fan-out": (*fleet).fanOut, "a consultation": (*fleet).consult} {
		for _, kind := range familyMishaps {
			t.Run(fmt.Sprintf("%s/%s", name, kind), func(t *testing.T) {
				t.Parallel()
				atEveryCall(t, 12, func(t *testing.T, call int) bool {
					t.Helper()
					f := &fleet{t: t, kind: kind, at: call, agent: newFarAgent(late), told: &receiver{}, asked: &memoryConsultations{}, actors: map[string]*actor{
						"first": {name: "first", skill: "work"}, "second": {name: "second", skill: "work", requirements: requirement("pre-execution")}, "reviewer": {name: "reviewer"},
					}}
					f.begin(2)
					k := scene(f)
					f.live(k)
					f.checkFamily(k)
					return f.calls >= call && call < 40 && !t.Failed()
				})
			})
		}
	}
}

// fanOut has two agents work, and cancels their task, of which somebody else is told.
func (f *fleet) fanOut() orchestrator.Key {
	return f.cancelAfter(engine.Submission{Route: toAll, Webhook: told("").Webhook}, func(orchestrator.Key) {})
}

// consult has an agent be held up by a reviewer, and cancels its task.
func (f *fleet) consult() orchestrator.Key {
	return f.cancelAfter(engine.Submission{Route: orchestrator.Route{Agent: "second"}, Attributes: sensitive}, func(k orchestrator.Key) {
		f.insist(func(ctx context.Context, e *engine.Engine) error {
			_, err := e.Consult(ctx, k.Tenant, k.ID, "r", nil, consultation.Request{Caller: "tester", ID: "1"})
			return err
		})
	})
}

// cancelAfter submits a task, and cancels it when something was done.
func (f *fleet) cancelAfter(s engine.Submission, done func(orchestrator.Key)) (k orchestrator.Key) {
	s.Tenant, s.Caller, s.Message, s.RequestID = tenant, "tester", text("do it"), "r"
	f.insist(func(ctx context.Context, e *engine.Engine) error {
		task, err := e.Submit(ctx, s)
		k = task.Key()
		return err
	})
	next := 0
	f.watch = look(context.WithValue(f.t.Context(), watching{}, true), k, func() *engine.Engine {
		next++
		return f.nodes[next%len(f.nodes)].use()
	})
	done(k)
	<-time.After(2 * time.Second)
	f.insist(func(ctx context.Context, e *engine.Engine) error {
		_, err := e.Cancel(ctx, engine.Cancellation{Key: k, Caller: "tester"})
		if fault.ReasonOf(err) == "TASK_ENDED" { // by the call before, whose answer was lost
			return nil
		}
		return err
	})
	return k
}

// checkFamily looks at the end of a task and those that serve it from outside.
func (f *fleet) checkFamily(k orchestrator.Key) {
	f.t.Helper()
	when := fmt.Sprintf("%s at call %d", f.kind, f.at)
	f.watch.check(f.t, when, &f.store, k)
	checkNothingLeft(f.t, when, &f.store)
	f.checkTold(when, k)
	for k, versions := range f.written {
		last := versions[len(versions)-1]
		if last.State != a2apb.TaskState_TASK_STATE_CANCELED {
			f.t.Errorf("%s: task %s of %q is in state %s (%+v), want canceled", when, k.ID, last.Agent, last.State, last.Error)
		}
		f.checkEpochs(when, k)
		f.history.check(f.t, when, k)
		for _, a := range last.Attempts {
			if sends, done := f.agent.sends[a.MessageID], f.agent.done[a.MessageID]; sends > a.Sends || done > 1 {
				f.t.Errorf("%s: message %s arrived %d times and was worked on %d times, and %d sends are on record", when, a.MessageID, sends, done, a.Sends)
			}
		}
	}
}

// checkTold looks whether the receiver, if the task has one, has heard of each state that the task came to after it was accepted.
func (f *fleet) checkTold(when string, k orchestrator.Key) {
	f.t.Helper()
	log, err := f.store.Events(context.Background(), k, 0, 1000)
	if err != nil || len(f.written[k][0].Webhooks) == 0 {
		return
	}
	var heard, want []uint64
	for _, e := range f.told.heard {
		heard = append(heard, e.Sequence)
	}
	for i, e := range log[1:] {
		if e.State != log[i].State {
			want = append(want, e.Sequence)
		}
	}
	if once := slices.Compact(slices.Sorted(slices.Values(heard))); !slices.Equal(once, want) {
		f.t.Errorf("%s: the receiver heard of the events %v, want each of %v", when, heard, want)
	}
}

// memoryConsultations is a store of consultations for simulations.
type memoryConsultations struct {
	mu      sync.Mutex
	entries []consultation.Entry // guarded by mu
}

func (m *memoryConsultations) Append(_ context.Context, _, taskID string, next func([]consultation.Entry) (consultation.Consultation, error)) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	c, err := next(m.of(taskID))
	if err == nil {
		m.entries = append(m.entries, consultation.Entry{Consultation: c})
	}
	return err
}

func (m *memoryConsultations) Update(_ context.Context, _, id string, change func(consultation.Entry) (consultation.Entry, error)) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	i := m.at(id)
	if i < 0 {
		return consultation.NotFound(id)
	}
	e, err := change(m.entries[i])
	if err == nil {
		m.entries[i] = e
	}
	return err
}

func (m *memoryConsultations) Get(_ context.Context, _, id string) (consultation.Entry, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if i := m.at(id); i >= 0 {
		return m.entries[i], nil
	}
	return consultation.Entry{}, consultation.NotFound(id)
}

func (m *memoryConsultations) List(_ context.Context, _, taskID string) ([]consultation.Entry, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.of(taskID), nil
}

func (m *memoryConsultations) at(id string) int {
	return slices.IndexFunc(m.entries, func(e consultation.Entry) bool { return e.Consultation.ID == id })
}

func (m *memoryConsultations) of(taskID string) (list []consultation.Entry) {
	for _, e := range m.entries {
		if e.Consultation.TaskID == taskID {
			list = append(list, e)
		}
	}
	return list
}
