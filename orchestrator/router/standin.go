package router

import (
	"context"
	"slices"

	"github.com/quorate/quorate/orchestrator"
	"github.com/quorate/quorate/platform/fault"
	"github.com/quorate/quorate/registry"
)

// maxStandIns is how many agents besides its own a step of a chain may go to. Each is in the step's task, which is rewritten with whatever happens to it.
const maxStandIns = 10

// ResolveStep is Resolve for a step of a chain: it leads to the step's agent if that can take the task. The others that make the same of the same, and what
// the steps behind it can use, are candidates too, and the best of them is chosen when the step's agent cannot take it.
func (r *Router) ResolveStep(ctx context.Context, tenant string, chain []orchestrator.Link, at int) (Result, error) {
	got, err := r.Resolve(ctx, tenant, orchestrator.Route{Agent: chain[at].Agent})
	if err != nil && got.Decision.Refused == "" {
		return got, err
	}
	d := &got.Decision
	for i := range d.Candidates {
		d.Candidates[i].Reasons[0] = "its step in the chain" // and not named by the caller
	}
	others, best := r.standIns(tenant, chain, at)
	d.Candidates = append(d.Candidates, others...)
	if err == nil || len(others) == 0 {
		return got, err
	}
	if len(d.Rejected) == 0 { // nothing is known of it
		d.Rejected = append(d.Rejected, orchestrator.Rejection{Agent: chain[at].Agent, Code: CodeUnavailable, Reason: fault.From(err).Message})
	}
	d.Chosen, d.Refused, got.Agent = best.Name, "", best
	d.Candidates[0].Reasons = append(d.Candidates[0].Reasons, "taken since "+chain[at].Agent+" cannot take it")
	return got, nil
}

// standIns are those that make what a step's agent makes, of what that is given, best first. None of the chain is among them: each works once.
func (r *Router) standIns(tenant string, chain []orchestrator.Link, at int) (list []orchestrator.Candidate, best registry.Agent) {
	v, want := r.library.view(tenant), orchestrator.Contract{Output: chain[at].Output}
	for i, t := range chain[at].Takes {
		want.Inputs = append(want.Inputs, orchestrator.Typed{Name: t.As, SemanticType: chain[at].Inputs[i].SemanticType})
	}
	f := r.makingOf(tenant, v, v.makers(want.Output), &want)
	defer r.spare.put(f.candidates)
	fit := r.filter(tenant, f.candidates, false, registry.VersionRange{}, &f.rejected)
	fit = slices.DeleteFunc(fit, func(c *candidate) bool {
		return !c.match.output.Guaranteed || slices.ContainsFunc(chain, func(l orchestrator.Link) bool { return l.Agent == c.agent.Name })
	})
	r.score(tenant, fit)
	for _, c := range fit {
		if len(list) == maxStandIns {
			break
		}
		if !r.usable(tenant, v, c.match.output, chain, at) {
			continue
		}
		if len(list) == 0 {
			best = c.whole()
		}
		list = append(list, orchestrator.Candidate{Agent: c.agent.Name, Score: c.score, Reasons: c.reasons})
	}
	return list, best
}

// usable reports whether the steps that are given what a step makes can use it when it is this.
func (r *Router) usable(tenant string, v *view, made *registry.OutputSchema, chain []orchestrator.Link, at int) bool {
	for _, l := range chain[at+1:] {
		for _, t := range l.Takes {
			if t.From == at+1 && !r.takesAs(tenant, v, l.Agent, t.As, made) {
				return false
			}
		}
	}
	return true
}

// takesAs reports whether an agent can be given something as an input. It is no matter of one that is not there, or has no such input any more.
func (r *Router) takesAs(tenant string, v *view, agent, as string, made *registry.OutputSchema) bool {
	a, _, ok := r.directory.Peek(tenant, agent)
	if !ok {
		return true
	}
	i := slices.IndexFunc(a.Metadata.InputSchemas, func(in registry.InputSchema) bool { return in.Name == as })
	if i < 0 {
		return true
	}
	in := &a.Metadata.InputSchemas[i]
	within := made.JSONSchema == nil || in.JSONSchema == nil
	if !within {
		within, _ = registry.SchemaWithin(made.JSONSchema, in.JSONSchema)
	}
	return within && v.Related(made.SemanticType, in.SemanticType)
}
