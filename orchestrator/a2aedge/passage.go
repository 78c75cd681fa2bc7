package a2aedge

import (
	"bytes"
	"context"

	"github.com/quorate/quorate/orchestrator"
	"github.com/quorate/quorate/orchestrator/agentclient"
	taskrpc "github.com/quorate/quorate/orchestrator/rpc"
	"github.com/quorate/quorate/platform/auth"
	"github.com/quorate/quorate/platform/fault"
	"github.com/quorate/quorate/registry"
)

// passing are the operations that may be passed on to an agent unchanged. Listing tasks is not among them: it would show the tasks of other callers.
var passing = []string{
	"SendMessage", "SendStreamingMessage", "GetTask", "CancelTask", "SubscribeToTask",
	"CreateTaskPushNotificationConfig", "GetTaskPushNotificationConfig", "ListTaskPushNotificationConfigs", "DeleteTaskPushNotificationConfig",
}

// Directory is the part of the registry's directory that this package needs.
type Directory interface {
	// Peek returns one agent, which must not be changed, and its status. If there is none, ok is false.
	Peek(tenant, name string) (a *registry.Agent, s registry.Status, ok bool)
	// Refresh brings the directory up to date with everything done through this process.
	Refresh(ctx context.Context, tenant string) error
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

// agent returns the agent to which a call may pass unless it is about a task of Quorate's own, or nil when the call has to be tracked. It searches the
// bytes of the request: one with Quorate's extension key anywhere in it is tracked.
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

// callTarget is what a request says about the call.
type callTarget struct{ agent, task string }

// passableAgent returns the agent to which a call may pass, or nil when the call has to be tracked.
func (s *Service) passableAgent(ctx context.Context, at callTarget, request []byte) (*registry.Agent, error) {
	a := s.passages.agent(ctx, at.agent, request)
	if a == nil || !orchestrator.IsTaskID(at.task) {
		return a, nil
	}
	caller, err := taskrpc.Caller(ctx)
	if err != nil {
		return nil, err
	}
	_, err = s.store.Task(ctx, orchestrator.Key{Tenant: caller.Tenant, ID: at.task})
	if fault.KindOf(err) == fault.NotFound {
		return a, nil
	}
	return nil, err
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
