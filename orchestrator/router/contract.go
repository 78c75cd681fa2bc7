package router

import (
	"fmt"
	"slices"
	"strings"

	"github.com/quorate/quorate/orchestrator"
	"github.com/quorate/quorate/platform/fault"
	"github.com/quorate/quorate/registry"
)

const (
	looseType   = 0.9 // relevance when the output's type only may stand for the wanted one
	notAlways   = 0.8 // when the output is not guaranteed
	unusedInput = 0.7 // when no input that is there is used
)

// byContract takes the agents that make the wanted output of what is there.
func (r *Router) byContract(tenant string, want orchestrator.Contract) found {
	v := r.library.view(tenant)
	have := things(want.Inputs)
	var f found
	makers := v.makers(want.Output)
	for _, name := range makers {
		a, ok := r.directory.Agent(tenant, name)
		if !ok {
			continue // gone since the index was made
		}
		out, ok := v.produces(a.Metadata, want.Output)
		if !ok {
			continue
		}
		used, missing := v.bind(a.Metadata.InputSchemas, have)
		if len(missing) > 0 {
			f.rejected = append(f.rejected, orchestrator.Rejection{Agent: a.Name, Code: CodeNoInput, Reason: "it also requires " + inputNames(missing)})
			continue
		}
		f.candidates = append(f.candidates, byOutput(a, out, want, len(used)))
	}
	others, omitted := v.others(makers, want.Output)
	f.rejected, f.omitted = append(f.rejected, others...), omitted
	if !slices.ContainsFunc(f.candidates, func(c candidate) bool { return Takes(c.agent.Status) }) {
		f.chain, f.refusal = r.plan(tenant, v, want)
	}
	if len(f.candidates) == 0 && f.refusal == nil {
		f.refusal = fault.New(fault.NotFound, ReasonNoneFits, "no agent makes an output %s of the inputs that are there", show(want.Output))
	}
	return f
}

// makers lists the agents that declare an output that fits what is wanted, in order of name.
func (v *view) makers(want orchestrator.Typed) []string {
	var lists [][]*registry.Agent
	if want.Name != "" {
		lists = append(lists, v.byName[want.Name])
	} else {
		for has, list := range v.byType {
			if v.Related(has, want.SemanticType) {
				lists = append(lists, list)
			}
		}
	}
	var names []string
	for _, list := range lists {
		for _, a := range list {
			if _, ok := v.produces(a.Metadata, want); ok {
				names = append(names, a.Name)
			}
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// others lists the agents that are not among the makers, which are in order, as far as a decision has room for them, and counts the rest.
func (v *view) others(makers []string, want orchestrator.Typed) (list []orchestrator.Rejection, omitted int) {
	lacks := "it does not declare an output " + show(want)
	list = make([]orchestrator.Rejection, 0, min(len(v.Agents), maxListed))
	for _, a := range v.Agents {
		if len(list) == maxListed {
			break
		}
		if _, ok := slices.BinarySearch(makers, a.Name); !ok {
			list = append(list, orchestrator.Rejection{Agent: a.Name, Code: CodeNoOutput, Reason: lacks})
		}
	}
	return list, len(v.Agents) - len(makers) - len(list)
}

// byOutput rates an agent that fulfils a contract.
func byOutput(a registry.Agent, out registry.OutputSchema, want orchestrator.Contract, used int) candidate {
	c := candidate{agent: a, relevance: 1}
	c.say("makes %s", show(orchestrator.Typed{Name: out.Name, SemanticType: out.SemanticType}))
	if want.Output.SemanticType != "" && out.SemanticType != want.Output.SemanticType {
		c.relevance *= looseType
		c.say("which may stand for a %s", want.Output.SemanticType)
	}
	if !out.Guaranteed {
		c.relevance *= notAlways
		c.say("not always")
	}
	if n := len(want.Inputs); n > 0 {
		c.relevance *= unusedInput + (1-unusedInput)*float64(used)/float64(n)
		c.say("of %d of %d inputs", used, n)
	}
	return c
}

// produces finds the output of an agent that fits what is wanted, a guaranteed one first.
func (v *view) produces(m registry.Metadata, want orchestrator.Typed) (registry.OutputSchema, bool) {
	var found registry.OutputSchema
	ok := false
	for _, o := range m.OutputSchemas {
		serves := v.serves(orchestrator.Typed{Name: o.Name, SemanticType: o.SemanticType}, want)
		if serves && (!ok || (o.Guaranteed && !found.Guaranteed)) {
			found, ok = o, true
		}
	}
	return found, ok
}

// serves reports whether something is what is wanted.
func (v *view) serves(have, want orchestrator.Typed) bool {
	return (want.Name == "" || want.Name == have.Name) && (want.SemanticType == "" || v.Related(have.SemanticType, want.SemanticType))
}

// thing is something that is there, with the JSON Schema that it keeps if one is known.
type thing struct {
	orchestrator.Typed
	schema map[string]any
}

func things(list []orchestrator.Typed) []thing {
	out := make([]thing, len(list))
	for i, t := range list {
		out[i].Typed = t
	}
	return out
}

// fits reports whether something may be given as an input: by its name when its type is not known, otherwise by type, and only if its schema
// is within the input's where both have one.
func (v *view) fits(have *thing, in *registry.InputSchema) bool {
	if have.SemanticType == "" {
		return have.Name == in.Name
	}
	if !v.Related(have.SemanticType, in.SemanticType) {
		return false
	}
	return have.schema == nil || in.JSONSchema == nil || v.schemas.within(have, in)
}

// bind gives each input of an agent one of the things that are there: of the same name if there is one, or else of the same type, or else of
// one that may stand for it. It returns which thing each input gets, and the required inputs that get none.
func (v *view) bind(schemas []registry.InputSchema, have []thing) (bound map[string]int, missing []registry.InputSchema) {
	bound = make(map[string]int, len(schemas))
	taken := make([]bool, len(have))
	ranks := []func(h *thing, in *registry.InputSchema) bool{
		func(h *thing, in *registry.InputSchema) bool { return h.Name == in.Name },
		func(h *thing, in *registry.InputSchema) bool { return h.SemanticType == in.SemanticType },
		func(*thing, *registry.InputSchema) bool { return true },
	}
	for _, required := range []bool{true, false} {
		for _, alike := range ranks {
			for i := range schemas {
				in := &schemas[i]
				if _, done := bound[in.Name]; done || in.Required != required {
					continue
				}
				for j := range have {
					if h := &have[j]; !taken[j] && alike(h, in) && v.fits(h, in) {
						bound[in.Name], taken[j] = j, true
						break
					}
				}
			}
		}
	}
	for _, in := range schemas {
		if _, ok := bound[in.Name]; !ok && in.Required {
			missing = append(missing, in)
		}
	}
	return bound, missing
}

func inputNames(list []registry.InputSchema) string {
	var names []string
	for _, in := range list {
		names = append(names, show(orchestrator.Typed{Name: in.Name, SemanticType: in.SemanticType}))
	}
	return strings.Join(names, ", ")
}

func show(t orchestrator.Typed) string {
	switch {
	case t.Name == "":
		return "of type " + t.SemanticType
	case t.SemanticType == "":
		return fmt.Sprintf("%q", t.Name)
	default:
		return fmt.Sprintf("%q (%s)", t.Name, t.SemanticType)
	}
}
