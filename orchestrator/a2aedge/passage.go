package a2aedge

import (
	"bytes"
	"context"
	"slices"

	"github.com/quorate/quorate/orchestrator"
	"github.com/quorate/quorate/orchestrator/agentclient"
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
	// Consulted reports whether a rule of any agent has the named agent consulted.
	Consulted(tenant, name string) bool
	// Refresh brings the directory up to date with everything done through this process.
	Refresh(ctx context.Context, tenant string) error
}

// Passages decides which calls are passed on to their agent unchanged. Such calls are not stored, followed or gated, but they are authenticated,
// authorized, bounded and traced like all others. They are calls to the base URL of an agent for which the operator has enabled it, unless the agent
// has rules or inputs to check, is consulted by rules of others, is drained, or the message asks for something that only a tracked task has. The zero
// value passes no call on.
//
// Whoever may call gets any task of such an agent whose id it knows, since only the agent knows whose task it is. That is why agents that are consulted
// are excepted: their tasks hold what a gate holds back.
type Passages struct {
	Agents     []string // names of agents whose calls are passed on; * is all
	Pool       *agentclient.Pool
	Signatures registry.SignaturePolicy // which cards are trusted; calls to other agents are tracked, and refused on that way
}

// callTarget is what a request says about the call.
type callTarget struct{ agent, task string }

// passableAgent returns the agent to which a call may pass, or nil when the call has to be tracked. It searches the bytes of the request: one with Quorate's
// extension key anywhere in it is tracked.
func (s *Service) passableAgent(ctx context.Context, at callTarget, request []byte) (*registry.Agent, error) {
	if !s.passages.enabled(at.agent) || bytes.Contains(request, []byte(TaskExtension)) {
		return nil, nil
	}
	caller, ok := auth.FromContext(ctx)
	if !ok || s.directory.Refresh(ctx, caller.Tenant) != nil {
		return nil, nil //nolint:nilerr // the ordinary way reports what is wrong
	}
	a, status, ok := s.directory.Peek(caller.Tenant, at.agent)
	if !ok || status.Draining || s.hasRequirements(a) || !s.passages.Signatures.Trusts(a.Verification) {
		return nil, nil
	}
	if !orchestrator.IsTaskID(at.task) {
		return a, nil
	}
	_, err := s.store.Task(ctx, orchestrator.Key{Tenant: caller.Tenant, ID: at.task})
	if fault.KindOf(err) == fault.NotFound {
		return a, nil
	}
	return nil, err // without an error it is one of Quorate's own tasks
}

// callsPass reports whether calls to an agent normally pass. The agent's card then describes what the agent supports, not what Quorate does.
func (s *Service) callsPass(a *registry.Agent) bool {
	return s.passages.enabled(a.Name) && !s.hasRequirements(a) && agentclient.HasPassage(&a.Card)
}

// enabled reports whether the operator has enabled passing for an agent.
func (p *Passages) enabled(agent string) bool {
	return agent != "" && slices.ContainsFunc(p.Agents, func(x string) bool { return x == agent || x == "*" })
}

// hasRequirements reports whether something has to be checked before or after an agent works, or its work is to check others.
func (s *Service) hasRequirements(a *registry.Agent) bool {
	if len(a.Metadata.ConsultationRequirements) > 0 || s.directory.Consulted(a.Tenant, a.Name) {
		return true
	}
	for _, in := range a.Metadata.InputSchemas {
		if in.Required || len(in.ValidationRules) > 0 || in.JSONSchema != nil {
			return true
		}
	}
	return false
}
