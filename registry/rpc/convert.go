package rpc

import (
	"encoding/json"
	"fmt"
	"time"

	"google.golang.org/protobuf/types/known/structpb"
	"google.golang.org/protobuf/types/known/timestamppb"

	registryv1 "github.com/quorate/quorate/proto/gen/quorate/registry/v1"
	"github.com/quorate/quorate/registry"
	"github.com/quorate/quorate/registry/agentcard"
)

func agentToProto(a *registry.Agent) (*registryv1.Agent, error) {
	card, err := cardToProto(a.Name, a.RawCard)
	if err != nil {
		return nil, err
	}
	metadata, err := metadataToProto(&a.Metadata)
	if err != nil {
		return nil, err
	}
	pending, err := pendingToProto(a.Pending)
	if err != nil {
		return nil, err
	}
	return &registryv1.Agent{
		Name: a.Name, Card: card, CardUri: a.CardURI, Metadata: metadata, Status: statusToProto(a.Name, &a.Status),
		Version: a.Card.Version, Etag: a.Etag, CreateTime: timeToProto(a.CreateTime), UpdateTime: timeToProto(a.UpdateTime),
		LiveVersion: a.LiveVersion, LatestVersion: a.LatestVersion,
		Verification: verificationToProto(&a.Verification), Source: sourceToProto(&a.Source), PendingChange: pending,
	}, nil
}

func cardToProto(name string, raw []byte) (*structpb.Struct, error) {
	// protojson is not used, since it refuses escapes that encoding/json accepts, and with it the check at registration.
	var tree map[string]any
	if err := json.Unmarshal(raw, &tree); err != nil {
		return nil, fmt.Errorf("decoding the card of %q: %w", name, err)
	}
	card, err := structpb.NewStruct(tree)
	if err != nil {
		return nil, fmt.Errorf("decoding the card of %q: %w", name, err)
	}
	return card, nil
}

func statusToProto(name string, s *registry.Status) *registryv1.AgentStatus {
	return &registryv1.AgentStatus{
		AgentName: name, Status: s.Status, CurrentTaskId: s.CurrentTaskID, ErrorMessage: s.Message(),
		LastHeartbeat: timeToProto(s.LastHeartbeat), Epoch: s.Epoch, LeaseExpireTime: timeToProto(s.LeaseExpireTime),
		Capacity: int32(s.Capacity), InFlight: int32(s.InFlight), Draining: s.Draining, //nolint:gosec // at most a million
	}
}

// timeToProto returns nil for the zero time, which means "never" and not the year 1.
func timeToProto(t time.Time) *timestamppb.Timestamp {
	if t.IsZero() {
		return nil
	}
	return timestamppb.New(t)
}

func skillToProto(s *registry.AgentSkill) *registryv1.Skill {
	return &registryv1.Skill{
		Id: s.ID, Name: s.Name, Description: s.Description, Tags: s.Tags, AgentName: s.Agent, AgentStatus: s.Status.Status,
	}
}

func warningsToProto(warnings []agentcard.Warning) []*registryv1.Warning {
	out := make([]*registryv1.Warning, len(warnings))
	for i, w := range warnings {
		out[i] = &registryv1.Warning{Code: w.Code, Message: w.Message, Field: w.Field}
	}
	return out
}

func metadataToProto(m *agentcard.Metadata) (*registryv1.AgentMetadata, error) {
	out := &registryv1.AgentMetadata{}
	for _, s := range m.InputSchemas {
		schema, err := jsonSchemaToProto(s.JSONSchema)
		if err != nil {
			return nil, err
		}
		input := &registryv1.InputSchema{
			Name: s.Name, SemanticType: s.SemanticType, Description: s.Description, Required: new(s.Required), JsonSchema: schema,
		}
		for _, rule := range s.ValidationRules {
			value, err := valueToProto(rule.Value)
			if err != nil {
				return nil, err
			}
			input.ValidationRules = append(input.ValidationRules, &registryv1.ValidationRule{Type: rule.Type, Value: value, Message: rule.Message})
		}
		out.InputSchemas = append(out.InputSchemas, input)
	}
	for _, s := range m.OutputSchemas {
		schema, err := jsonSchemaToProto(s.JSONSchema)
		if err != nil {
			return nil, err
		}
		out.OutputSchemas = append(out.OutputSchemas, &registryv1.OutputSchema{
			Name: s.Name, SemanticType: s.SemanticType, Description: s.Description, Guaranteed: new(s.Guaranteed), JsonSchema: schema,
		})
	}
	for _, q := range m.ConsultationRequirements {
		condition, err := conditionToProto(q.Condition)
		if err != nil {
			return nil, err
		}
		out.ConsultationRequirements = append(out.ConsultationRequirements, &registryv1.ConsultationRequirement{
			Id: q.ID, TargetAgent: q.TargetAgent, Phase: q.Phase, Mandatory: new(q.Mandatory), MinLevel: q.MinLevel, Condition: condition,
		})
	}
	out.AtMostOnceSkills = m.AtMostOnceSkills
	return out, nil
}

func conditionToProto(c *agentcard.Condition) (*registryv1.ConsultationCondition, error) {
	if c == nil {
		return nil, nil
	}
	out := &registryv1.ConsultationCondition{Attribute: c.Attribute, Operator: c.Operator}
	if c.Value == nil { // as for the operator exists
		return out, nil
	}
	var err error
	out.Value, err = valueToProto(c.Value)
	return out, err
}

// jsonSchemaToProto returns nil when there is no schema, which differs from an empty one.
func jsonSchemaToProto(schema map[string]any) (*structpb.Struct, error) {
	if schema == nil {
		return nil, nil
	}
	out, err := structpb.NewStruct(schema)
	if err != nil {
		return nil, fmt.Errorf("encoding a JSON Schema: %w", err)
	}
	return out, nil
}

func jsonSchemaFromProto(schema *structpb.Struct) map[string]any {
	if schema == nil {
		return nil
	}
	return schema.AsMap()
}

func valueToProto(v any) (*structpb.Value, error) {
	value, err := structpb.NewValue(v)
	if err != nil {
		return nil, fmt.Errorf("encoding metadata: %w", err)
	}
	return value, nil
}

func metadataFromProto(m *registryv1.AgentMetadata) agentcard.Metadata {
	var out agentcard.Metadata
	for _, s := range m.GetInputSchemas() {
		input := agentcard.InputSchema{
			Name: s.GetName(), SemanticType: s.GetSemanticType(), Description: s.GetDescription(), Required: s.GetRequired(),
			JSONSchema: jsonSchemaFromProto(s.GetJsonSchema()),
		}
		for _, rule := range s.GetValidationRules() {
			input.ValidationRules = append(input.ValidationRules, agentcard.ValidationRule{
				Type: rule.GetType(), Value: rule.GetValue().AsInterface(), Message: rule.GetMessage(),
			})
		}
		out.InputSchemas = append(out.InputSchemas, input)
	}
	for _, s := range m.GetOutputSchemas() {
		out.OutputSchemas = append(out.OutputSchemas, agentcard.OutputSchema{
			Name: s.GetName(), SemanticType: s.GetSemanticType(), Description: s.GetDescription(), Guaranteed: s.GetGuaranteed(),
			JSONSchema: jsonSchemaFromProto(s.GetJsonSchema()),
		})
	}
	for _, q := range m.GetConsultationRequirements() {
		requirement := agentcard.ConsultationRequirement{
			ID: q.GetId(), TargetAgent: q.GetTargetAgent(), Phase: q.GetPhase(), Mandatory: q.GetMandatory(), MinLevel: q.GetMinLevel(),
		}
		if c := q.GetCondition(); c != nil {
			requirement.Condition = &agentcard.Condition{Attribute: c.GetAttribute(), Operator: c.GetOperator(), Value: c.GetValue().AsInterface()}
		}
		out.ConsultationRequirements = append(out.ConsultationRequirements, requirement)
	}
	out.AtMostOnceSkills = m.GetAtMostOnceSkills()
	out.AgentName, out.Version = m.GetAgentName(), m.GetVersion()
	return out
}
