package a2aedge

import (
	"bytes"
	"context"

	"github.com/quorate/quorate/orchestrator/agentclient"
	"github.com/quorate/quorate/platform/auth"
	"github.com/quorate/quorate/registry"
)

// Directory is the part of the registry's directory that passages need.
type Directory interface {
	// Peek returns one agent, which must not be changed, and its status. If there is none, ok is false.
	Peek(tenant, name string) (a *registry.Agent, s registry.Status, ok bool)
	// Refresh brings the directory up to date with everything done through this process, Sync with everything done by any process.
	Refresh(ctx context.Context, tenant string) error
	Sync(ctx context.Context, tenant string) error
}

// Passages decides which calls are passed on to their agent unchanged. Such calls are not stored, followed or gated, but they are authenticated,
// authorized, bounded and traced like all others. They are calls to the base URL of an agent for which the operator has enabled it, unless the agent
// has rules or inputs to check, is drained, or the message asks for something that only a tracked task has.
type Passages struct {
	Agents    []string // names of agents whose calls are passed on; empty: none
	Directory Directory
	Pool      *agentclient.Pool

	Signatures registry.SignaturePolicy // which cards are trusted; calls to other agents are tracked, and refused on that way
}

// agent returns the agent to which a call may pass, or nil when the call has to be tracked. It searches the bytes of the request: a request with
// Quorate's extension key or a Quorate task's id anywhere in it is tracked.
func (p *Passages) agent(ctx context.Context, name string, request []byte) *registry.Agent {
	if p == nil || name == "" || !containsName(p.Agents, name) || bytes.Contains(request, []byte(TaskExtension)) {
		return nil
	}
	caller, ok := auth.FromContext(ctx)
	if !ok {
		return nil
	}
	if err := p.Directory.Refresh(ctx, caller.Tenant); err != nil {
		return nil // the ordinary way reports what is wrong
	}
	a, status, ok := p.Directory.Peek(caller.Tenant, name)
	if !ok || status.Draining || hasRequirements(a) || !p.Signatures.Trusts(a.Verification) {
		return nil
	}
	return a
}

// covers reports whether calls to an agent normally pass. The agent's card then describes what the agent supports, not what Quorate does.
func (p *Passages) covers(a *registry.Agent) bool {
	return p != nil && containsName(p.Agents, a.Name) && !hasRequirements(a) && agentclient.HasPassage(&a.Card)
}

func containsName(list []string, name string) bool {
	for _, x := range list {
		if x == name || x == "*" {
			return true
		}
	}
	return false
}

// hasRequirements reports whether something has to be checked before or after an agent works.
func hasRequirements(a *registry.Agent) bool {
	if len(a.Metadata.ConsultationRequirements) > 0 {
		return true
	}
	for _, in := range a.Metadata.InputSchemas {
		if in.Required || len(in.ValidationRules) > 0 || in.JSONSchema != nil {
			return true
		}
	}
	return false
}

// isTaskID reports whether an id has the form of Quorate's task ids.
func isTaskID(id string) bool {
	const length = 26
	if len(id) != length {
		return false
	}
	for _, c := range []byte(id) {
		if (c < 'a' || c > 'z') && (c < '2' || c > '7') {
			return false
		}
	}
	return true
}
