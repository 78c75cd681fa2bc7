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

// fill checks the submission's inputs against what its agent declares and puts them into the message. What a consultation carries is for
// the consulted agent to judge, not input for its work.
func (s *Submission) fill(r *router.Router, a registry.Agent) error {
	if s.parent != nil && s.parent.ConsultationID != "" {
		return nil
	}
	named, err := r.CheckInputs(s.Tenant, a, s.Inputs, s.Message)
	if err != nil {
		return err
	}
	s.Message = router.Carry(s.Message, named)
	return nil
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
		}
		seen[in.Name] = true
	}
	return nil
}

// hashInputs lists what tells a submission's inputs from others.
func (s *Submission) hashInputs() ([][]byte, error) {
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
