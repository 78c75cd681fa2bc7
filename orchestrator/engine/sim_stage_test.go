package engine_test

import (
	"testing"

	"github.com/quorate/quorate/orchestrator"
	"github.com/quorate/quorate/orchestrator/engine"
	"github.com/quorate/quorate/orchestrator/storetest"
)

// newStage returns a simulation, not started, of some agents. A single one plays whoever else is registered later.
func newStage(t *testing.T, agents ...*actor) *simulation {
	t.Helper()
	s := &simulation{t: t, store: &storetest.Memory{}, worker: newWorker(), actors: make(map[string]*actor)}
	for _, a := range agents {
		s.actors[a.name] = a
	}
	if len(agents) == 1 {
		s.client = agents[0]
	}
	return s
}

// accept submits a task to the agent and returns its key.
func (s *simulation) accept(agent, requestID string) orchestrator.Key {
	s.t.Helper()
	task, err := s.engine.Submit(s.t.Context(), engine.Submission{
		Tenant: tenant, Caller: "tester", Message: text("do it"), Route: orchestrator.Route{Agent: agent}, RequestID: requestID,
	})
	if err != nil {
		s.t.Fatalf("Submit() = %v", err)
	}
	return orchestrator.Key{Tenant: tenant, ID: task.ID}
}

func (s *simulation) submit(requestID string) orchestrator.Key {
	s.t.Helper()
	task, err := s.engine.Submit(s.t.Context(), engine.Submission{
		Tenant: tenant, Caller: "tester", Message: text("do it"), Route: orchestrator.Route{Agent: "worker"}, RequestID: requestID,
	})
	if err != nil {
		s.t.Fatalf("Submit() = %v", err)
	}
	s.accepted++
	return orchestrator.Key{Tenant: tenant, ID: task.ID}
}
