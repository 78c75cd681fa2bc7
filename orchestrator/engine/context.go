package engine

import (
	"context"

	"github.com/quorate/quorate/orchestrator"
	"github.com/quorate/quorate/platform/fault"
)

// agentContext returns the agent's own id of the task's context, as learned from an earlier task of the same caller with the same agent. It is empty
// when there is none, and the agent then makes one.
func (e *Engine) agentContext(ctx context.Context, t *orchestrator.Task) (string, error) {
	if t.ContextID == t.ID || t.CarriesConsultation() {
		return "", nil
	}
	if store, ok := e.Store.(orchestrator.ContextStore); ok {
		if id, err := store.AgentContext(ctx, contextKey(t)); id != "" || err != nil {
			return id, err
		}
	}
	first, err := e.Store.Task(ctx, orchestrator.Key{Tenant: t.Tenant, ID: t.ContextID})
	if fault.KindOf(err) == fault.NotFound { // the caller chose the context id
		return "", nil
	}
	if err != nil || first.Owner != t.Owner {
		return "", err
	}
	for _, a := range first.Attempts {
		if a.Agent == t.Agent && a.RemoteContext != "" {
			return a.RemoteContext, nil
		}
	}
	return "", nil
}

// storeContext stores the agent's own id of a context that tasks share. For a context that began with this task no entry is needed: the task itself
// has the id.
func (e *Engine) storeContext(ctx context.Context, c *conversation) error {
	t, id := &c.task, c.remote.ContextID
	store, ok := e.Store.(orchestrator.ContextStore)
	if !ok || id == "" || id == c.first.contextID || t.ContextID == t.ID || t.CarriesConsultation() {
		return nil
	}
	c.first.contextID = id
	return store.SetAgentContext(ctx, contextKey(t), id)
}

func contextKey(t *orchestrator.Task) orchestrator.ContextKey {
	return orchestrator.ContextKey{Tenant: t.Tenant, Owner: t.Owner, ContextID: t.ContextID, Agent: t.Agent}
}
