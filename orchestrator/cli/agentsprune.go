package cli

import (
	"context"
	"net/url"
	"slices"
	"strings"

	"google.golang.org/protobuf/types/known/emptypb"

	"github.com/quorate/quorate/platform/fault"
	registryv1 "github.com/quorate/quorate/proto/gen/quorate/registry/v1"
)

// pruneOthers deletes the agents that match the filter and were not described, or says which these are.
func (p *applier) pruneOthers(ctx context.Context) error {
	others, err := p.others(ctx)
	if err != nil {
		return err
	}
	if len(others) > 0 && !p.check {
		if err := p.confirmDeletion(ctx, p.yes, "delete "+strings.Join(namesOf(others), ", ")+"?"); err != nil {
			return err
		}
	}
	for _, agent := range others {
		err := p.pruneOne(ctx, agent)
		if fault.KindOf(err) == fault.NotFound { // somebody was faster
			continue
		}
		if err := p.result(ctx, described{at: agent.GetName(), err: err}); err != nil {
			return err
		}
	}
	return nil
}

// pruneOne deletes an agent, or says that it would be.
func (p *applier) pruneOne(ctx context.Context, agent *registryv1.Agent) error {
	if !p.check { // only as it was listed: who changes it meanwhile wants to keep it
		query := url.Values{"etag": {agent.GetEtag()}, "request_id": {requestID("")}}
		if err := p.session.delete(ctx, agentPath(agent.GetName()), query, &emptypb.Empty{}); err != nil {
			return err
		}
	}
	p.outcomes["deleted"]++
	if p.json {
		return p.jsonLine(&registryv1.ApplyAgentResponse{Agent: agent, Outcome: "deleted"})
	}
	p.out.line("deleted %s", agent.GetName())
	return nil
}

// others returns the agents that match the filter and were not described. Those that the server itself keeps finding are not among them: it would
// register them again.
func (p *applier) others(ctx context.Context) ([]*registryv1.Agent, error) {
	agents, next, err := list(ctx, p.session, "/v1/agents", filtered(p.prune), maxItems, (*registryv1.ListAgentsResponse).GetAgents)
	if err == nil && next != "" {
		err = fault.New(fault.ResourceExhausted, "PRUNE_INCOMPLETE", "more than %d agents match; give a filter that fewer match", maxItems)
	}
	return slices.DeleteFunc(agents, func(agent *registryv1.Agent) bool {
		source := agent.GetSource()
		return p.from[agent.GetName()] != "" || source.GetType() != "api" && source.GetPresent()
	}), err
}

func namesOf(agents []*registryv1.Agent) []string {
	var names []string
	for _, agent := range agents {
		names = append(names, agent.GetName())
	}
	return names
}
