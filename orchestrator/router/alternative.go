package router

import (
	"context"
	"slices"

	"github.com/quorate/quorate/orchestrator"
	"github.com/quorate/quorate/platform/fault"
	"github.com/quorate/quorate/registry"
	"github.com/quorate/quorate/registry/agentcard"
	"github.com/quorate/quorate/registry/schema"
)

// maxAlternatives bounds the alternative agents for a step of a chain. Each of them is stored in the step's task, which is rewritten whenever something
// happens to it.
const maxAlternatives = 10

// ResolveStep is Resolve for a step of a chain: it leads to the step's agent if that can take the task. Other agents that make the same output from
// the same inputs, such that the later steps can use it, are candidates too, and the best of them is chosen when the step's agent cannot take the
// task.
func (r *Router) ResolveStep(ctx context.Context, tenant string, chain []orchestrator.Link, at int) (Result, error) {
	got, err := r.Resolve(ctx, tenant, orchestrator.Route{Agent: chain[at].Agent})
	if err != nil && got.Decision.Refused == "" {
		return got, err
	}
	d := &got.Decision
	for i := range d.Candidates {
		d.Candidates[i].Reasons[0] = "its step in the chain" // not "named by the caller"
	}
	others, best := r.alternatives(tenant, chain, at)
	d.Candidates = append(d.Candidates, others...)
	if err == nil || len(others) == 0 {
		return got, err
	}
	if len(d.Rejected) == 0 { // nothing is known of the agent
		d.Rejected = append(d.Rejected, orchestrator.Rejection{Agent: chain[at].Agent, Code: CodeUnavailable, Reason: fault.From(err).Message})
	}
	d.Chosen, d.Refused, got.Agent = best.Name, "", best
	d.Candidates[0].Reasons = append(d.Candidates[0].Reasons, "taken since "+chain[at].Agent+" cannot take it")
	return got, nil
}

// alternatives returns the agents that make what a step's agent makes from what that agent is given, best first. Agents of the chain are left out: each
// runs once.
func (r *Router) alternatives(tenant string, chain []orchestrator.Link, at int) (list []orchestrator.Candidate, best registry.Agent) {
	v, want := r.indexes.view(tenant), orchestrator.Contract{Output: chain[at].Output}
	for i, t := range chain[at].Takes {
		want.Inputs = append(want.Inputs, orchestrator.Typed{Name: t.As, SemanticType: chain[at].Inputs[i].SemanticType})
	}
	f := r.selectMakers(tenant, v, v.makers(want.Output), &want)
	defer r.pool.put(f.candidates)
	others := slices.DeleteFunc(f.candidates, func(c candidate) bool {
		return !c.match.output.Guaranteed || slices.ContainsFunc(chain, func(l orchestrator.Link) bool { return l.Agent == c.agent.Name })
	})
	fit := r.filter(tenant, others, false, registry.VersionRange{}, &f.rejected)
	r.score(fit)
	for _, c := range fit {
		if len(list) == maxAlternatives {
			break
		}
		if !r.outputUsable(tenant, v, c.match.output, chain, at) {
			continue
		}
		if len(list) == 0 {
			best = c.agentWithStatus()
		}
		list = append(list, c.explained())
	}
	return list, best
}

// outputUsable reports whether the later steps that take a step's output could use this output instead.
func (r *Router) outputUsable(tenant string, v *view, made *agentcard.OutputSchema, chain []orchestrator.Link, at int) bool {
	for _, l := range chain[at+1:] {
		for _, t := range l.Takes {
			if t.From == at+1 && !r.acceptsAs(tenant, v, l.Agent, t.As, made) {
				return false
			}
		}
	}
	return true
}

// acceptsAs reports whether an agent accepts something as an input. It is true when the agent does not exist, or no longer has such an input.
func (r *Router) acceptsAs(tenant string, v *view, agent, as string, made *agentcard.OutputSchema) bool {
	a, _, ok := r.directory.Peek(tenant, agent)
	if !ok {
		return true
	}
	i := slices.IndexFunc(a.Metadata.InputSchemas, func(in agentcard.InputSchema) bool { return in.Name == as })
	if i < 0 {
		return true
	}
	in := &a.Metadata.InputSchemas[i]
	within := made.JSONSchema == nil || in.JSONSchema == nil
	if !within {
		within, _ = schema.Within(made.JSONSchema, in.JSONSchema)
	}
	return within && v.Related(made.SemanticType, in.SemanticType)
}
