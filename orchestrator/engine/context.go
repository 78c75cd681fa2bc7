package engine

import (
	"context"
	"slices"
	"strings"

	"github.com/quorate/quorate/orchestrator"
	"github.com/quorate/quorate/platform/fault"
)

// maxFamiliar bounds how many of the agents of a context are remembered.
const maxFamiliar = 16

// familiar returns the agents that have done earlier tasks of a submission's context, the latest to join it first. They have a memory of it that others, such
// as copies of them, do not have. The context store has their names where it has the agent's id of the context for one agent, under no agent's name.
func (e *Engine) familiar(ctx context.Context, s *Submission) ([]string, error) {
	k := orchestrator.ContextKey{Tenant: s.Tenant, Owner: s.Caller, ContextID: s.Message.GetContextId()}
	if k.ContextID == "" || s.parent != nil || s.Route.Agent != "" || s.Route.FanOut != nil {
		return nil, nil
	}
	var list string
	if store, ok := e.Store.(orchestrator.ContextStore); ok {
		var err error
		if list, err = store.AgentContext(ctx, k); err != nil {
			return nil, err
		}
	}
	first, err := e.firstOf(ctx, k)
	if err != nil {
		return nil, err
	}
	return strings.Fields(list + " " + first.Agent), nil
}

// firstOf returns the task with which a context began, or none if the caller chose the id of the context, or the task is somebody else's.
func (e *Engine) firstOf(ctx context.Context, k orchestrator.ContextKey) (orchestrator.Task, error) {
	first, err := e.Store.Task(ctx, orchestrator.Key{Tenant: k.Tenant, ID: k.ContextID})
	if fault.KindOf(err) == fault.NotFound || err == nil && first.Owner != k.Owner {
		return orchestrator.Task{}, nil
	}
	return first, err
}

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
	first, err := e.firstOf(ctx, contextKey(t))
	if err != nil {
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
	if err := store.SetAgentContext(ctx, contextKey(t), id); err != nil {
		return err
	}
	k := orchestrator.ContextKey{Tenant: t.Tenant, Owner: t.Owner, ContextID: t.ContextID}
	list, err := store.AgentContext(ctx, k)
	if err != nil {
		return err
	}
	familiar := slices.DeleteFunc(strings.Fields(list), func(name string) bool { return name == t.Agent })
	familiar = append([]string{t.Agent}, familiar[:min(len(familiar), maxFamiliar-1)]...)
	return store.SetAgentContext(ctx, k, strings.Join(familiar, " "))
}

func contextKey(t *orchestrator.Task) orchestrator.ContextKey {
	return orchestrator.ContextKey{Tenant: t.Tenant, Owner: t.Owner, ContextID: t.ContextID, Agent: t.Agent}
}
