package agentmessage

import (
	"context"
	"maps"
	"slices"

	"github.com/a2aproject/a2a-go/v2/a2apb/v1"
	"go.opentelemetry.io/otel/propagation"
	"google.golang.org/protobuf/types/known/structpb"

	"github.com/quorate/quorate/consultation"
	"github.com/quorate/quorate/orchestrator"
)

// New returns the message of a task, which has an open attempt, as the agent gets it: under the attempt's id, without the caller's ids and what the caller
// says to Quorate, and with Quorate's metadata about the task, which includes the trace in ctx. Metadata of the caller under the same keys is replaced, so
// that only Quorate can send a consultation.
func New(ctx context.Context, t *orchestrator.Task) *a2apb.Message {
	m := orchestrator.CopyMessage(t.Message)
	m.MessageId, m.TaskId, m.ContextId = t.OpenAttempt().MessageID, "", ""
	m.Role = a2apb.Role_ROLE_USER
	metadata := make(map[string]*structpb.Value, len(m.GetMetadata().GetFields())+2) //nolint:mnd // the two below
	maps.Copy(metadata, m.GetMetadata().GetFields())
	delete(metadata, orchestrator.TaskExtension) // has inputs of other agents, too, and another Quorate would take the route for its own
	m.Metadata = &structpb.Struct{Fields: metadata}
	if !t.CarriesConsultation() {
		metadata[consultation.ExtensionURI] = taskMetadata(t)
		var parent traceparent
		propagation.TraceContext{}.Inject(ctx, &parent)
		if delete(metadata, orchestrator.TraceparentKey); parent != "" {
			metadata[orchestrator.TraceparentKey] = structpb.NewStringValue(string(parent))
		}
	}
	if !slices.Contains(m.GetExtensions(), consultation.ExtensionURI) {
		m.Extensions = append(slices.Clip(m.GetExtensions()), consultation.ExtensionURI)
	}
	return m
}

// hopsKey is the key under which New writes Hops, unless that is 1.
const hopsKey = "hops"

// Hops returns for how many tasks a message has been sent, one after the other, by this Quorate or others: 0 for one that does not come from Quorate. More than are
// allowed count as one more than those.
func Hops(m *a2apb.Message) int {
	word := m.GetMetadata().GetFields()[consultation.ExtensionURI].GetStructValue()
	if word == nil {
		return 0
	}
	hops := word.GetFields()[hopsKey].GetNumberValue()
	if !(hops > 1) { // or NaN
		return 1 // the first is left out
	}
	return int(min(hops, orchestrator.MaxHops+1))
}

// Reply returns a reply as the agent gets it: in the agent's own task and context and, in a consultation, with the terms of the consultation, for agents that
// look at one message at a time.
func Reply(ctx context.Context, t *orchestrator.Task, reply *orchestrator.Turn) *a2apb.Message {
	now := *t
	now.Message = reply.Message
	m := New(ctx, &now)
	a := t.OpenAttempt()
	m.MessageId, m.TaskId, m.ContextId = reply.MessageID, a.RemoteTaskID, a.RemoteContext
	if t.CarriesConsultation() {
		maps.Copy(m.GetMetadata().GetFields(), t.Message.GetMetadata().GetFields())
	}
	return m
}

// Extensions returns the extensions that the caller's messages name. Every call about the task requests them, because an agent that requires one answers no
// other calls.
func Extensions(t *orchestrator.Task) []string {
	list := slices.Clone(t.Message.GetExtensions())
	for _, turn := range t.Turns {
		if !turn.FromAgent {
			list = append(list, turn.Message.GetExtensions()...)
		}
	}
	return list
}

// traceparent receives the trace context for a message, without the trace state.
type traceparent string

// Set stores the trace context.
func (p *traceparent) Set(key, value string) {
	if key == orchestrator.TraceparentKey {
		*p = traceparent(value)
	}
}

// Get returns "": propagators read nothing while injecting.
func (*traceparent) Get(string) string { return "" }

// Keys returns nil, for the same reason.
func (*traceparent) Keys() []string { return nil }

// taskMetadata returns Quorate's metadata about the task: its id, the skill if the caller asked for one, and the agent's rules that apply to it.
func taskMetadata(t *orchestrator.Task) *structpb.Value {
	rules := &structpb.ListValue{}
	for _, r := range t.Requirements {
		if holds, _ := r.Condition.Holds(t.Attributes); holds {
			rules.Values = append(rules.GetValues(), structpb.NewStructValue(&structpb.Struct{Fields: map[string]*structpb.Value{
				"id": structpb.NewStringValue(r.ID), "targetAgent": structpb.NewStringValue(r.TargetAgent), "phase": structpb.NewStringValue(r.Phase),
			}}))
		}
	}
	fields := map[string]*structpb.Value{"taskId": structpb.NewStringValue(t.ID), "requirements": structpb.NewListValue(rules)}
	if t.SkillAsked {
		fields["skill"] = structpb.NewStringValue(t.Skill)
	}
	if hops := Hops(t.Message); hops > 0 {
		fields[hopsKey] = structpb.NewNumberValue(float64(hops + 1))
	}
	return structpb.NewStructValue(&structpb.Struct{Fields: fields})
}
