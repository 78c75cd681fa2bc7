package registry

import (
	"context"
	"fmt"
	"slices"

	"github.com/quorate/quorate/platform/fault"
	"github.com/quorate/quorate/registry/agentcard"
)

// UpdateMetadata replaces the fields of an agent's metadata that mask names: input_schemas, output_schemas, consultation_requirements and
// at_most_once_skills. An empty mask, or *, means all of them. A stale etag is a Conflict fault with the reason ETAG_MISMATCH; an empty etag matches
// any state.
func (w Writer) UpdateMetadata(ctx context.Context, tenant, name, etag string, mask []string, m agentcard.Metadata) (Agent, []agentcard.Warning, error) {
	r := w.registry
	merge, err := mergeFunc(mask, m)
	if err != nil {
		return Agent{}, nil, err
	}
	key := Key{tenant, name}
	// This reads the store, which is not allowed inside Update.
	proposed := Agent{Tenant: tenant, Name: name}
	merge(&proposed.Metadata)
	proposed.Metadata.AgentName, proposed.Metadata.Version = m.AgentName, m.Version
	if m.Version != "" || len(proposed.Metadata.AtMostOnceSkills) > 0 { // these are compared with the card
		current, err := r.Agent(ctx, tenant, name)
		if err != nil {
			return Agent{}, nil, err
		}
		proposed.Card = current.Card
	}
	warnings, err := r.checkMetadata(ctx, &proposed)
	if err != nil {
		return Agent{}, nil, err
	}
	return w.updateAgent(ctx, key, []any{"update", name, etag, mask, m}, func(old *Record) (Change, []agentcard.Warning, error) {
		if err := old.checkEtag(etag); err != nil {
			return Change{}, nil, err
		}
		next := *old
		if waiting := old.Pending.schemas(); waiting != nil && r.waits(w.author) { // what the mask leaves out goes on waiting
			next.Metadata.InputSchemas, next.Metadata.OutputSchemas = waiting.InputSchemas, waiting.OutputSchemas
		}
		merge(&next.Metadata)
		held, err := r.holdSchemas(old, &next, w.author)
		if err != nil {
			return Change{}, nil, err
		}
		answer := append(slices.Clip(warnings), held...)
		if len(held) > 0 && next.Pending == old.Pending && sameJSON(old.Metadata, next.Metadata) {
			return Change{Record: &next}, answer, nil
		}
		change, err := r.write(old, &next)
		return change, answer, err
	})
}

// mergeFunc returns a function that copies the fields in mask from m.
func mergeFunc(mask []string, m agentcard.Metadata) (func(*agentcard.Metadata), error) {
	all := len(mask) == 0
	fields := make(map[string]bool)
	for i, path := range mask {
		switch path {
		case "*":
			all = true
		case "input_schemas", "output_schemas", "consultation_requirements", "at_most_once_skills":
			fields[path] = true
		case "agent_name", "version", "created_at", "updated_at": // only checked or ignored; REST makes the mask of whatever fields the body has
		case "": // what REST makes of the body {}
			return nil, fault.Invalid("update_mask", "MASK_INVALID", "nothing is named that should change; update_mask=* replaces all")
		default:
			return nil, fault.Invalid(fmt.Sprintf("update_mask.paths[%d]", i), "MASK_INVALID",
				"%q cannot be updated; input_schemas, output_schemas, consultation_requirements and at_most_once_skills can", fault.Clip(path))
		}
	}
	return func(to *agentcard.Metadata) {
		if all || fields["input_schemas"] {
			to.InputSchemas = m.InputSchemas
		}
		if all || fields["output_schemas"] {
			to.OutputSchemas = m.OutputSchemas
		}
		if all || fields["consultation_requirements"] {
			to.ConsultationRequirements = m.ConsultationRequirements
		}
		if all || fields["at_most_once_skills"] {
			to.AtMostOnceSkills = m.AtMostOnceSkills
		}
	}, nil
}

// checkMetadata validates an agent's metadata. It warns of rules whose target is not registered or whose format is unknown, and of a version and skills
// that are not the card's.
func (r *Registry) checkMetadata(ctx context.Context, a *Agent) ([]agentcard.Warning, error) {
	if err := a.Metadata.Validate(a.Name); err != nil {
		return nil, err
	}
	warnings := agentcard.UnknownFormats(a.Metadata.InputSchemas)
	if version := a.Metadata.Version; version != "" && version != a.Card.Version {
		warnings = append(warnings, agentcard.Warning{
			Code: "VERSION_MISMATCH", Field: "metadata.version",
			Message: fmt.Sprintf("the metadata says version %q, and the card says %s; the card's counts", fault.Clip(version), a.Card.Version),
		})
	}
	for i, id := range a.Metadata.AtMostOnceSkills {
		if id != "*" && !slices.ContainsFunc(a.Card.Skills, func(s agentcard.Skill) bool { return s.ID == id }) {
			warnings = append(warnings, agentcard.Warning{
				Code: "SKILL_NOT_FOUND", Field: fmt.Sprintf("metadata.at_most_once_skills[%d]", i),
				Message: fmt.Sprintf("the card has no skill %q, so that it keeps no work from being done twice", fault.Clip(id)),
			})
		}
	}
	for i, q := range a.Metadata.ConsultationRequirements {
		exists, err := r.AgentExists(ctx, a.Tenant, q.TargetAgent)
		if err != nil {
			return nil, err
		}
		if !exists && r.strict {
			return nil, fault.Invalid(fmt.Sprintf("metadata.consultation_requirements[%d].target_agent", i), "TARGET_AGENT_UNKNOWN",
				"no agent is named %q; this server is strict and takes no rule that cannot be met", q.TargetAgent)
		}
		if !exists {
			warnings = append(warnings, agentcard.Warning{
				Code:    "TARGET_AGENT_UNKNOWN",
				Message: fmt.Sprintf("no agent is named %q yet; until it is registered, the rule %q cannot be met", q.TargetAgent, q.ID),
				Field:   fmt.Sprintf("metadata.consultation_requirements[%d].target_agent", i),
			})
		}
	}
	return warnings, nil
}
