package engine_test

import (
	"testing"

	"github.com/quorate/quorate/orchestrator"
	"github.com/quorate/quorate/orchestrator/engine"
	"github.com/quorate/quorate/orchestrator/storetest"
)

// newStage returns a simulation, not started, of some agents.
func newStage(t *testing.T, agents ...*actor) *simulation {
	t.Helper()
	s := &simulation{t: t, store: &storetest.Memory{}, worker: newWorker(), actors: make(map[string]*actor)}
	for _, a := range agents {
		s.actors[a.name] = a
	}
	return s
}

// accept submits a task to the agent and returns its key.
func (s *simulation) accept(agent, requestID string) orchestrator.Key {
	s.t.Helper()
	return s.put(engine.Submission{Route: orchestrator.Route{Agent: agent}, RequestID: requestID})
}

func (s *simulation) submit(requestID string) orchestrator.Key {
	s.t.Helper()
	k := s.accept("worker", requestID)
	s.accepted++
	return k
}

// put submits a task of the usual caller and words, and returns its key.
func (s *simulation) put(m engine.Submission) orchestrator.Key {
	s.t.Helper()
	m.Tenant, m.Caller, m.Message = tenant, "tester", text("do it")
	task, err := s.engine.Submit(s.t.Context(), m)
	if err != nil {
		s.t.Fatalf("Submit() = %v", err)
	}
	return task.Key()
}

// stored returns a task as it is stored.
func (s *simulation) stored(k orchestrator.Key) orchestrator.Task {
	s.t.Helper()
	task, err := s.store.Task(s.t.Context(), k)
	if err != nil {
		s.t.Fatal(err)
	}
	return task
}
