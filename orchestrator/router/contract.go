package router

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/quorate/quorate/orchestrator"
	"github.com/quorate/quorate/platform/fault"
	"github.com/quorate/quorate/registry"
)

// Semantic types that may stand for a document besides itself (the table of the data model); any other type stands for itself only.
var documents = []string{"artifact", "reference", "comment"}

// standsFor reports whether something of one semantic type may be given where another is asked for.
func standsFor(has, wanted string) bool {
	return has == wanted || (wanted == "document" && slices.Contains(documents, has))
}

const (
	looseType   = 0.9 // relevance when the output's type only may stand for the wanted one
	notAlways   = 0.8 // when the output is not guaranteed
	unusedInput = 0.7 // when no input that is there is used
)

// byContract takes the agents that make the wanted output of what is there.
func (r *Router) byContract(ctx context.Context, tenant string, want orchestrator.Contract) (found, error) {
	agents, err := all(func(after string) ([]registry.Agent, error) { return r.directory.Agents(ctx, tenant, after, pageSize) })
	if err != nil {
		return found{}, err
	}
	var f found
	var others []orchestrator.Rejection
	lacks := "it does not declare an output " + show(want.Output)
	for _, a := range agents {
		out, ok := produces(a.Metadata, want.Output)
		if !ok {
			if len(others) < maxListed {
				others = append(others, orchestrator.Rejection{Agent: a.Name, Code: CodeNoOutput, Reason: lacks})
			} else {
				f.omitted++
			}
			continue
		}
		used, missing := bind(a.Metadata.InputSchemas, want.Inputs)
		if len(missing) > 0 {
			f.rejected = append(f.rejected, orchestrator.Rejection{Agent: a.Name, Code: CodeNoInput, Reason: "it also requires " + inputNames(missing)})
			continue
		}
		f.candidates = append(f.candidates, byOutput(a, out, want, len(used)))
	}
	f.rejected = append(f.rejected, others...)
	if !slices.ContainsFunc(f.candidates, func(c candidate) bool { return free(c.agent) }) {
		f.chain = chain(agents, want)
	}
	if len(f.candidates) == 0 {
		f.refusal = noContract(want, f.chain)
	}
	return f, nil
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

func noContract(want orchestrator.Contract, chain []orchestrator.Link) error {
	hint := ""
	if len(chain) > 0 {
		var names []string
		for _, l := range chain {
			names = append(names, l.Agent)
		}
		hint = "; one after the other these would: " + strings.Join(names, ", then ")
	}
	return fault.New(fault.NotFound, ReasonNoneFits, "no agent makes an output %s of the inputs that are there%s", show(want.Output), hint)
}

// produces finds the output of an agent that fits what is wanted, a guaranteed one first.
func produces(m registry.Metadata, want orchestrator.Typed) (registry.OutputSchema, bool) {
	var found registry.OutputSchema
	ok := false
	for _, o := range m.OutputSchemas {
		fits := (want.Name == "" || want.Name == o.Name) && (want.SemanticType == "" || standsFor(o.SemanticType, want.SemanticType))
		if fits && (!ok || (o.Guaranteed && !found.Guaranteed)) {
			found, ok = o, true
		}
	}
	return found, ok
}

// fits reports whether something may be given as an input.
func fits(have orchestrator.Typed, in registry.InputSchema) bool {
	if have.SemanticType == "" {
		return have.Name == in.Name
	}
	return standsFor(have.SemanticType, in.SemanticType)
}

// bind gives each input of an agent one of the things that are there: of the same name if there is one, or else of the same type, or else of
// one that may stand for it. It returns which thing each input gets, and the required inputs that get none.
func bind(schemas []registry.InputSchema, have []orchestrator.Typed) (bound map[string]int, missing []registry.InputSchema) {
	bound = make(map[string]int, len(schemas))
	taken := make([]bool, len(have))
	ranks := []func(h orchestrator.Typed, in registry.InputSchema) bool{
		func(h orchestrator.Typed, in registry.InputSchema) bool { return h.Name == in.Name },
		func(h orchestrator.Typed, in registry.InputSchema) bool { return h.SemanticType == in.SemanticType },
		func(orchestrator.Typed, registry.InputSchema) bool { return true },
	}
	for _, required := range []bool{true, false} {
		for _, alike := range ranks {
			for _, in := range schemas {
				if _, done := bound[in.Name]; done || in.Required != required {
					continue
				}
				for i, h := range have {
					if !taken[i] && fits(h, in) && alike(h, in) {
						bound[in.Name], taken[i] = i, true
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
