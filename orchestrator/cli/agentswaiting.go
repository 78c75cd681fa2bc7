package cli

import (
	"context"
	"errors"
	"fmt"

	"github.com/quorate/quorate/platform/fault"
)

// wait applies agents that a strict server refused before the agents that their rules name were there, as long as that helps.
func (p *applier) wait(ctx context.Context) error {
	for before := len(p.waiting) + 1; !p.check && len(p.waiting) > 0 && len(p.waiting) < before; {
		again := p.waiting
		before, p.waiting = len(again), nil
		for _, d := range again {
			d.err = p.apply(ctx, d.at, d.document)
			if err := p.result(ctx, d); err != nil {
				return err
			}
		}
	}
	for _, d := range p.waiting {
		if target := missingTarget(d); p.check && p.from[target] != "" {
			p.err.line("%s: not checked until agent %q is there, which the input describes", d.at, target)
			continue
		}
		p.refuse(d)
	}
	return nil
}

// missingTarget returns the agent whose absence made the server refuse d, or nothing if that is not in the metadata of d.
func missingTarget(d described) string {
	e, ok := errors.AsType[*fault.Error](d.err)
	request, err := applicationIn(d.document)
	if !ok || err != nil || len(e.Violations) == 0 {
		return ""
	}
	at := -1
	_, _ = fmt.Sscanf(e.Violations[0].Field, "metadata.consultation_requirements[%d]", &at) // it stays -1 for another field
	if rules := request.GetMetadata().GetConsultationRequirements(); at >= 0 && at < len(rules) {
		return rules[at].GetTargetAgent()
	}
	return ""
}
