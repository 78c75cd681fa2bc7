package engine

import (
	"context"
	"fmt"
	"slices"

	"github.com/a2aproject/a2a-go/v2/a2apb/v1"
	"go.opentelemetry.io/otel/propagation"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/structpb"

	"github.com/quorate/quorate/consultation"
	"github.com/quorate/quorate/orchestrator"
)

// outgoing is the message as the agent gets it: under the attempt's id, without the caller's ids, and with Quorate's word about the task. What a
// caller put in the place of that word is replaced, so that nobody can be consulted but by Quorate.
func outgoing(ctx context.Context, t *orchestrator.Task) (*a2apb.Message, error) {
	m, ok := proto.Clone(t.Message).(*a2apb.Message)
	if !ok {
		return nil, fmt.Errorf("copy the message of task %s", t.ID)
	}
	m.MessageId, m.TaskId, m.ContextId = t.Open().MessageID, "", ""
	m.Role = a2apb.Role_ROLE_USER
	if m.GetMetadata().GetFields() == nil {
		m.Metadata = &structpb.Struct{Fields: make(map[string]*structpb.Value)}
	}
	metadata := m.GetMetadata().GetFields()
	if !t.Carries() {
		metadata[consultation.ExtensionURI] = taskWord(t)
		carrier := propagation.MapCarrier{}
		propagation.TraceContext{}.Inject(ctx, carrier)
		if tp := carrier["traceparent"]; tp != "" {
			metadata["traceparent"] = structpb.NewStringValue(tp)
		}
	}
	if !slices.Contains(m.GetExtensions(), consultation.ExtensionURI) {
		m.Extensions = append(m.GetExtensions(), consultation.ExtensionURI)
	}
	return m, nil
}

// taskWord names the task and the agent's rules that apply to it.
func taskWord(t *orchestrator.Task) *structpb.Value {
	rules := &structpb.ListValue{}
	for _, r := range t.Requirements {
		if holds, _ := r.Condition.Holds(t.Attributes); holds {
			rules.Values = append(rules.GetValues(), structpb.NewStructValue(&structpb.Struct{Fields: map[string]*structpb.Value{
				"id": structpb.NewStringValue(r.ID), "targetAgent": structpb.NewStringValue(r.TargetAgent), "phase": structpb.NewStringValue(r.Phase),
			}}))
		}
	}
	return structpb.NewStructValue(&structpb.Struct{Fields: map[string]*structpb.Value{
		"taskId": structpb.NewStringValue(t.ID), "requirements": structpb.NewListValue(rules),
	}})
}
