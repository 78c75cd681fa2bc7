package engine

import (
	"fmt"
	"slices"

	"github.com/a2aproject/a2a-go/v2/a2apb/v1"

	"github.com/quorate/quorate/orchestrator"
	"github.com/quorate/quorate/orchestrator/router"
	"github.com/quorate/quorate/platform/fault"
	"github.com/quorate/quorate/registry"
)

// typeInputs gives the inputs of unknown type the type that the contract has for their name: by that type the agent is chosen.
func (s *Submission) typeInputs() {
	if s.Route.Contract == nil {
		return
	}
	s.Inputs = slices.Clone(s.Inputs)
	for i := range s.Inputs {
		in := &s.Inputs[i]
		if in.SemanticType != "" {
			continue
		}
		named := func(t orchestrator.Typed) bool { return t.Name == in.Name }
		if at := slices.IndexFunc(s.Route.Contract.Inputs, named); at >= 0 {
			in.SemanticType = s.Route.Contract.Inputs[at].SemanticType
		}
	}
}

// givenAs returns which inputs of the agent the submitted inputs are used for.
func givenAs(inputs, named []orchestrator.Input) []orchestrator.Given {
	var list []orchestrator.Given
	for i, in := range inputs {
		list = append(list, orchestrator.Given{Typed: orchestrator.Typed{Name: in.Name, SemanticType: in.SemanticType}, As: named[i].Name})
	}
	return list
}

// rebindInputs checks a task's inputs against those that another agent declares, and returns the message for that agent.
func (e *Engine) rebindInputs(a registry.Agent, t *orchestrator.Task) (*a2apb.Message, []orchestrator.Given, error) {
	m, inputs := submittedInputs(t)
	named, err := e.router.CheckInputs(t.Tenant, a, inputs, m)
	if err != nil {
		return nil, nil, err
	}
	return router.AttachInputs(m, named), givenAs(inputs, named), nil
}

// submittedInputs returns a task's message and its inputs separately, as they were submitted.
func submittedInputs(t *orchestrator.Task) (*a2apb.Message, []orchestrator.Input) {
	if len(t.Inputs) == 0 {
		return t.Message, nil
	}
	inputs := make([]orchestrator.Input, len(t.Inputs))
	for i, g := range t.Inputs {
		inputs[i] = orchestrator.Input{Name: g.Name, SemanticType: g.SemanticType}
	}
	m := orchestrator.CopyMessage(t.Message)
	m.Parts = nil
	for _, p := range t.Message.GetParts() {
		as := p.GetMetadata().GetFields()[router.InputKey].GetStringValue()
		if i := slices.IndexFunc(t.Inputs, func(g orchestrator.Given) bool { return g.As == as }); i >= 0 {
			inputs[i].Parts = append(inputs[i].Parts, p)
		} else {
			m.Parts = append(m.Parts, p)
		}
	}
	return m, inputs
}

// checkInputs refuses inputs that no agent could take.
func checkInputs(inputs []orchestrator.Input) error {
	if len(inputs) > orchestrator.MaxInputs {
		return fault.Invalid("inputs", "TOO_MANY_INPUTS", "there are %d inputs; the limit is %d", len(inputs), orchestrator.MaxInputs)
	}
	seen := make(map[string]bool, len(inputs))
	for i, in := range inputs {
		field := fmt.Sprintf("inputs[%d]", i)
		switch {
		case in.Name == "" || seen[in.Name]:
			return fault.Invalid(field+".name", "INPUT_NAME", "input %q has no name or the name of another one", in.Name)
		case len(in.Parts) == 0 || slices.ContainsFunc(in.Parts, func(p *a2apb.Part) bool { return p.GetContent() == nil }):
			return fault.Invalid(field+".value", "INPUT_EMPTY", "input %q has no content: set value, or parts with text, raw, url or data", in.Name)
		case !orchestrator.PlainParts(in.Parts):
			return invalidValue(field+".value", fmt.Sprintf("input %q", in.Name))
		}
		seen[in.Name] = true
	}
	return nil
}
