package router

import (
	"iter"
	"strconv"

	"github.com/quorate/quorate/orchestrator"
	"github.com/quorate/quorate/platform/fault"
	"github.com/quorate/quorate/registry"
	"github.com/quorate/quorate/registry/agentcard"
)

// byContract finds the agents that make the wanted output from what is available, or a chain of them if that may be.
func (r *Router) byContract(tenant string, want orchestrator.Contract, mayChain bool) searchResult {
	v := r.indexes.view(tenant)
	makers := v.makers(want.Output)
	f := r.selectMakers(tenant, v, makers, &want)
	f.rejectOthers = func(rejected *rejections) { v.rejectOthers(makers, want.Output, rejected) }
	if mayChain && !r.anyAccepts(f.candidates) {
		f.chain, f.refusal = r.planChain(tenant, v, want, len(f.candidates) > 0)
	}
	if len(f.candidates) == 0 && f.refusal == nil {
		f.refusal = fault.New(fault.NotFound, ReasonNoneFits, "no agent makes an output %s from the available inputs", describe(want.Output))
	}
	return f
}

// selectMakers selects those of the makers of an output that can make it from what is available.
func (r *Router) selectMakers(tenant string, v *view, makers []int, want *orchestrator.Contract) searchResult {
	b := v.binder(want.Inputs)
	f := searchResult{candidates: r.pool.get(), rejected: newRejections(len(v.Agents))}
	r.directory.PeekAll(tenant, v.namesOf(makers), func(a *registry.Agent, status registry.Status) {
		m := match{want: want, output: v.produces(a, want.Output)}
		if m.output == nil {
			return // the agent has changed since the index was built
		}
		bound := b.bind(a.Metadata.InputSchemas)
		if missesRequired(a.Metadata.InputSchemas, bound) {
			f.rejected.add(a.Name, CodeNoInput, func() string { return "it also requires " + missingInputs(a.Metadata.InputSchemas, bound) })
			return
		}
		m.usedInputs = countBound(bound)
		f.candidates = append(f.candidates, candidate{agent: a, status: status, match: m, relevance: m.relevance()})
	})
	return f
}

// makers returns the positions of the agents that declare an output that fits what is wanted, in order.
func (v *view) makers(want orchestrator.Typed) []int {
	if want.Name == "" {
		return v.byType[want.SemanticType]
	}
	var places []int
	for _, at := range v.byName[want.Name] {
		if v.produces(v.Agents[at], want) != nil {
			places = append(places, at)
		}
	}
	return places
}

func (v *view) namesOf(places []int) iter.Seq[string] {
	return func(yield func(string) bool) {
		for _, at := range places {
			if !yield(v.Agents[at].Name) {
				return
			}
		}
	}
}

// rejectOthers rejects the agents that are not among the makers.
func (v *view) rejectOthers(makers []int, want orchestrator.Typed, rejected *rejections) {
	lacks := "it does not declare an output " + describe(want)
	for at, a := range v.Agents {
		if len(makers) > 0 && makers[0] == at {
			makers = makers[1:]
			continue
		}
		if rejected.full() {
			rejected.omitted += len(v.Agents) - at - len(makers)
			return
		}
		rejected.add(a.Name, CodeNoOutput, func() string { return lacks })
	}
}

// produces returns the output of an agent that fits what is wanted, preferably a guaranteed one, or nil.
func (v *view) produces(a *registry.Agent, want orchestrator.Typed) *agentcard.OutputSchema {
	var found *agentcard.OutputSchema
	for i := range a.Metadata.OutputSchemas {
		o := &a.Metadata.OutputSchemas[i]
		if v.satisfies(typedOf(o), want) && (found == nil || o.Guaranteed && !found.Guaranteed) {
			found = o
		}
	}
	return found
}

func typedOf(o *agentcard.OutputSchema) orchestrator.Typed {
	return orchestrator.Typed{Name: o.Name, SemanticType: o.SemanticType}
}

// satisfies reports whether have fits what is wanted.
func (v *view) satisfies(have, want orchestrator.Typed) bool {
	return (want.Name == "" || want.Name == have.Name) && (want.SemanticType == "" || v.Related(have.SemanticType, want.SemanticType))
}

func describe(t orchestrator.Typed) string {
	switch {
	case t.Name == "":
		return "of type " + t.SemanticType
	case t.SemanticType == "":
		return strconv.Quote(t.Name)
	default:
		return strconv.Quote(t.Name) + " (" + t.SemanticType + ")"
	}
}
