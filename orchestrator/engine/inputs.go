package engine

import (
	"fmt"
	"slices"

	"github.com/a2aproject/a2a-go/v2/a2apb/v1"
	"google.golang.org/protobuf/proto"

	"github.com/quorate/quorate/orchestrator"
	"github.com/quorate/quorate/orchestrator/router"
	"github.com/quorate/quorate/platform/fault"
	"github.com/quorate/quorate/registry"
)

// bindInputs checks the submission's inputs against those that its agent declares and puts them into the message. It leaves a consultation's content
// alone: that is to be judged, not an input of the agent's work.
func (s *Submission) bindInputs(r *router.Router, a registry.Agent) error {
	if s.parent != nil && s.parent.ConsultationID != "" {
		return nil
	}
	named, err := r.CheckInputs(s.Tenant, a, s.Inputs, s.Message)
	if err != nil {
		return err
	}
	s.Message, s.given = router.AttachInputs(s.Message, named), givenAs(s.Inputs, named)
	return nil
}

// maxOthers bounds how many candidates are looked at when the chosen one does not take the inputs.
const maxOthers = 10

// bindToChosen is bindInputs for the chosen agent. If that does not take the inputs, it chooses the best other candidate that does: chance and load decide
// among these, and must not decide whether the task is refused. Those that do not take them are rejected.
func (e *Engine) bindToChosen(s *Submission, to *router.Result) error {
	refusal := s.bindInputs(e.router, to.Agent)
	if refusal == nil {
		return nil
	}
	chosen, candidates := to.Agent.Name, to.Decision.Candidates
	to.Decision = withoutCandidate(to.Decision, chosen, fault.From(refusal))
	for _, c := range candidates[:min(len(candidates), maxOthers)] {
		other, ok := e.Directory.Agent(s.Tenant, c.Agent)
		if !ok || c.Agent == chosen {
			continue
		}
		err := s.bindInputs(e.router, other)
		if err == nil {
			to.Decision, to.Agent = withChoice(to.Decision, chosen, c.Agent, fault.From(refusal)), other
			return nil
		}
		to.Decision = withoutCandidate(to.Decision, c.Agent, fault.From(err))
	}
	return refusal
}

// fanOutToTakers has the best other candidates of a fan-out do what those were chosen for that do not take the inputs, and goes on without those for whom there
// is nobody, if the others are as many as have to complete the task: load and speed decide who are the best, and must not decide whether the task is refused.
func (e *Engine) fanOutToTakers(s *Submission, to *router.Result) {
	takers, d, more := make([]router.Pick, 0, len(to.Several)), to.Decision, true
	d.FanOut = slices.Clone(d.FanOut)
	for i, p := range to.Several {
		_, err := e.router.CheckInputs(s.Tenant, p.Agent, s.Inputs, s.Message)
		var other router.Pick
		switch {
		case err == nil:
			takers = append(takers, p)
			continue
		case more:
			other, more = e.otherTaker(s, &d)
		}
		d = withNewChoice(d, p.Agent.Name, other.Agent.Name, fault.From(err))
		d.Chosen, d.Skill = "", ""
		if more {
			takers, d.FanOut[i] = append(takers, other), other.Agent.Name
		}
	}
	if len(takers) < stepsNeeded(s.Route.FanOut, len(to.Several)) {
		to.Decision.Candidates, to.Decision.Rejected = d.Candidates, d.Rejected
		return // why is found out when the inputs are checked
	}
	to.Several, to.Decision, to.Decision.FanOut = takers, d, nil
	for _, p := range takers {
		to.Decision.FanOut = append(to.Decision.FanOut, p.Agent.Name)
	}
}

// stepsNeeded returns how many of the steps of a fan-out have to be completed.
func stepsNeeded(f *orchestrator.FanOut, steps int) int {
	switch f.Mode {
	case orchestrator.PlanAny:
		return 1
	case orchestrator.PlanK:
		return f.K
	default:
		return steps
	}
}

// otherTaker returns the best candidate that takes the inputs and is not in the fan-out.
func (e *Engine) otherTaker(s *Submission, d *orchestrator.Decision) (_ router.Pick, ok bool) {
	for _, c := range d.Candidates {
		if slices.Contains(d.FanOut, c.Agent) {
			continue
		}
		if other, ok := e.Directory.Agent(s.Tenant, c.Agent); ok {
			if _, err := e.router.CheckInputs(s.Tenant, other, s.Inputs, s.Message); err == nil {
				return router.Pick{Agent: other, Skill: c.Skill}, true
			}
		}
	}
	return router.Pick{}, false
}

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

// encodeInputs returns the content of a submission's inputs, for hashing.
func (s *Submission) encodeInputs() ([][]byte, error) {
	var list [][]byte
	for _, in := range s.Inputs {
		list = append(list, fmt.Appendf(nil, "%q %q %d", in.Name, in.SemanticType, len(in.Parts)))
		for _, p := range in.Parts {
			b, err := proto.MarshalOptions{Deterministic: true}.Marshal(p)
			if err != nil {
				return nil, fmt.Errorf("encode input %q: %w", in.Name, err)
			}
			list = append(list, b)
		}
	}
	return list, nil
}
