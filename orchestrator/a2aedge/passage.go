package a2aedge

import (
	"bytes"
	"context"

	"github.com/quorate/quorate/orchestrator/agentclient"
	"github.com/quorate/quorate/platform/auth"
	"github.com/quorate/quorate/registry"
)

// Directory is what passages need of the registry's memory.
type Directory interface {
	// Peek returns one agent, which must not be changed, and its status; ok is false when there is none.
	Peek(tenant, name string) (a *registry.Agent, s registry.Status, ok bool)
	// Refresh has the directory know of everything that was done through this process, and Sync of what was done by any.
	Refresh(ctx context.Context, tenant string) error
	Sync(ctx context.Context, tenant string) error
}

// Passages says which calls are taken to their agent as they came: not kept, not followed, not gated, but authenticated, authorized, bounded and traced
// as all others. These are calls behind the door of an agent that the operator has named for it, unless the agent has any rule or any input that has to
// be checked, is drained, or the message asks for what only a tracked task has.
type Passages struct {
	Agents    []string // names of agents whose calls pass; empty: none
	Directory Directory
	Pool      *agentclient.Pool

	Signatures registry.SignaturePolicy // whose cards are trusted: calls to others are tracked, and refused there
}

// agent returns the agent that a call may pass to, or nil when the call has to be tracked. What the call is about is looked at by bytes: whoever writes
// Quorate's word, or the id of one of its tasks, gets the tracked way, wherever it stands.
func (p *Passages) agent(ctx context.Context, name string, request []byte) *registry.Agent {
	if p == nil || name == "" || !named(p.Agents, name) || bytes.Contains(request, []byte(TaskExtension)) {
		return nil
	}
	caller, ok := auth.FromContext(ctx)
	if !ok {
		return nil
	}
	if err := p.Directory.Refresh(ctx, caller.Tenant); err != nil {
		return nil // the tracked way says what is wrong
	}
	a, status, ok := p.Directory.Peek(caller.Tenant, name)
	if !ok || status.Draining || ruled(a) || !p.Signatures.Trusts(a.Verification) {
		return nil
	}
	return a
}

// covers reports whether calls to an agent pass as a rule: its card then promises what the agent does, and not what Quorate does.
func (p *Passages) covers(a *registry.Agent) bool {
	return p != nil && named(p.Agents, a.Name) && !ruled(a) && agentclient.HasPassage(&a.Card)
}

func named(list []string, name string) bool {
	for _, x := range list {
		if x == name || x == "*" {
			return true
		}
	}
	return false
}

// ruled reports whether anything has to be seen to before or after an agent works.
func ruled(a *registry.Agent) bool {
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

// ours reports whether an id has the form of the ids of Quorate's own tasks.
func ours(id string) bool {
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
