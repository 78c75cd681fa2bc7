package rpc

import (
	"context"
	"reflect"
	"slices"

	"google.golang.org/protobuf/types/known/fieldmaskpb"

	"github.com/quorate/quorate/platform/auth"
	"github.com/quorate/quorate/platform/fault"
	"github.com/quorate/quorate/platform/filter"
	"github.com/quorate/quorate/registry/agentcard"
)

// maskPaths returns the paths of a mask with the fields' names in the proto. In a REST query they may be JSON names, such as inputSchemas for
// input_schemas, which the gateway does not convert.
func maskPaths(mask *fieldmaskpb.FieldMask) []string {
	var paths []string
	for _, path := range mask.GetPaths() {
		paths = append(paths, filter.FieldName(path))
	}
	return paths
}

var (
	// ownFields are the fields of its own metadata that an agent may update.
	ownFields = []string{"input_schemas", "output_schemas"}
	// adminFields are those that only an admin can change.
	adminFields = []string{"consultation_requirements", "at_most_once_skills"}
)

// ownMask returns the part of a mask that the agent p may use for its own metadata: without the fields of admins, if those that were sent are what is
// stored. They are not written then, so that what an admin changes meanwhile stays.
func (s *Server) ownMask(ctx context.Context, p auth.Principal, mask []string, sent *agentcard.Metadata) ([]string, error) {
	if len(mask) == 0 || slices.Contains(mask, "*") {
		mask = slices.Concat(ownFields, adminFields)
	}
	isAdmins := func(path string) bool { return slices.Contains(adminFields, path) }
	own := slices.DeleteFunc(slices.Clone(mask), isAdmins)
	if len(own) == len(mask) {
		return mask, nil
	}
	agent, err := s.registry.Agent(ctx, p.Tenant, p.Name)
	if err != nil {
		return nil, err
	}
	for _, path := range mask {
		if isAdmins(path) && (len(own) == 0 || !equalField(path, sent, &agent.Metadata)) { // an empty mask would mean all fields
			return nil, fault.New(fault.PermissionDenied, "RULES_ARE_THE_ADMINS",
				"an agent cannot change consultation_requirements or at_most_once_skills; name input_schemas or output_schemas in update_mask, or ask an admin")
		}
	}
	return own, nil
}

// equalField reports whether two agents' metadata are the same in a field of admins.
func equalField(path string, a, b *agentcard.Metadata) bool {
	if path == "at_most_once_skills" {
		return slices.Equal(a.AtMostOnceSkills, b.AtMostOnceSkills)
	}
	return slices.EqualFunc(a.ConsultationRequirements, b.ConsultationRequirements,
		func(x, y agentcard.ConsultationRequirement) bool { return reflect.DeepEqual(x, y) })
}
