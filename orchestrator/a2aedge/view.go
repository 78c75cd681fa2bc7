package a2aedge

import (
	"cmp"
	"fmt"
	"maps"

	"github.com/a2aproject/a2a-go/v2/a2apb/v1"
	"google.golang.org/protobuf/types/known/structpb"
	"google.golang.org/protobuf/types/known/timestamppb"

	"github.com/quorate/quorate/orchestrator"
	taskrpc "github.com/quorate/quorate/orchestrator/rpc"
)

// view says how much of a task is shown.
type view struct {
	history   *int32 // maximum number of messages; nil for all
	artifacts bool
	words     words // what its history has beside the messages that are kept with the task
}

// part returns what has to be read of a task in order to show it.
func (v view) part() orchestrator.Part {
	return orchestrator.Part{Messages: v.history == nil || *v.history > 0, Artifacts: v.artifacts}
}

// taskToA2A returns a task as an A2A task, with the content that taskrpc.Show allows.
func taskToA2A(t *orchestrator.Task, v view) *a2apb.Task {
	shown := taskrpc.Show(t)
	p := &a2apb.Task{
		Id: t.ID, ContextId: t.ContextID, Metadata: withAgents(taskMetadata(t, shown.Withheld, v.words.omitted), shown.Metadata),
		Status: &a2apb.TaskStatus{State: t.State, Message: statusMessage(t), Timestamp: timestamppb.New(t.UpdateTime)},
	}
	p.History = history(t, shown, v)
	if v.artifacts {
		p.Artifacts = shown.Artifacts
	}
	return p
}

// statusMessage returns the agent's last message or, if Quorate has to explain the state, why the task failed or is held.
func statusMessage(t *orchestrator.Task) *a2apb.Message {
	if m := taskrpc.Show(t).StatusMessage; m != nil {
		return adopt(t, m, len(t.Turns)+1)
	}
	if t.Error == nil {
		return nil
	}
	return agentMessage(t.ID, t.ContextID, t.LastEvent, t.Error.Reason+": "+t.Error.Message)
}

// progressMessage returns what the agent said while working, or what Quorate remarked.
func progressMessage(taskID, contextID string, e orchestrator.Event) *a2apb.Message {
	if e.Type != orchestrator.EventProgress && e.Type != orchestrator.EventRemark {
		return nil
	}
	own, said := agentMessage(taskID, contextID, e.Sequence, e.Detail), e.Said.Message()
	if said == nil {
		return own
	}
	said.TaskId, said.ContextId, said.Role = own.GetTaskId(), own.GetContextId(), own.GetRole()
	said.MessageId = cmp.Or(said.GetMessageId(), own.GetMessageId())
	return said
}

func agentMessage(taskID, contextID string, sequence uint64, text string) *a2apb.Message {
	return &a2apb.Message{
		MessageId: fmt.Sprintf("%s-%d", taskID, sequence), TaskId: taskID, ContextId: contextID,
		Role: a2apb.Role_ROLE_AGENT, Parts: []*a2apb.Part{{Content: &a2apb.Part_Text{Text: text}}},
	}
}

// adopt returns message n of a task with our ids of the task and context; those at the agent differ. It gets an id and a role if the agent gave it
// none: a2a-go's client reads no task with such a message.
func adopt(t *orchestrator.Task, m *a2apb.Message, n int) *a2apb.Message {
	own := orchestrator.CopyMessage(orchestrator.WithoutRequest(m))
	own.TaskId, own.ContextId = t.ID, t.ContextID
	if own.GetMessageId() == "" {
		own.MessageId = t.TurnID(n)
	}
	if own.GetRole() == a2apb.Role_ROLE_UNSPECIFIED {
		own.Role = a2apb.Role_ROLE_AGENT // that of a caller has one
	}
	return own
}

// taskMetadata returns Quorate's own fields of a task.
func taskMetadata(t *orchestrator.Task, withheld, omitted int) *structpb.Struct {
	fields := map[string]any{
		"agent": t.Agent, "phase": string(t.Phase), "sequence": float64(t.LastEvent),
	}
	if t.Skill != "" {
		fields["skill"] = t.Skill
	}
	if withheld > 0 {
		fields["withheldArtifacts"] = float64(withheld)
	}
	if omitted > 0 {
		fields["historyOmitted"] = float64(omitted)
	}
	if whom := waitsFor(t); whom != "" {
		fields[fieldWaitsFor] = whom
	}
	if s := t.Plan.Waiting(); s != nil {
		fields["step"] = map[string]any{"number": float64(t.Plan.Asking.Step), "agent": s.Agent, "task": s.TaskID}
	}
	if t.Error != nil {
		fields["error"] = map[string]any{"reason": t.Error.Reason, "message": t.Error.Message}
	}
	if len(t.Gates) > 0 {
		fields["gates"] = gates(t.Gates)
	}
	return extension(fields)
}

// fieldWaitsFor is the field of Quorate's metadata that says for whom a task waits. An update has it if its stream may end there.
const fieldWaitsFor = "waitsFor"

// waitsFor says for whom a task waits; "" if it does not.
func waitsFor(t *orchestrator.Task) string {
	switch {
	case t.Blocked():
		return "consultation"
	case t.AwaitsCaller():
		return "caller"
	default:
		return ""
	}
}

// withAgents returns Quorate's metadata together with that of the agent's task.
func withAgents(ours, agents *structpb.Struct) *structpb.Struct {
	if agents == nil {
		return ours
	}
	all := maps.Clone(agents.GetFields())
	maps.Copy(all, ours.GetFields())
	return &structpb.Struct{Fields: all}
}

// gates returns what each gate requires, so that the caller can provide it.
func gates(list []orchestrator.Gate) []any {
	out := make([]any, len(list))
	for i, g := range list {
		requirements := make([]any, len(g.Requirements))
		for j, r := range g.Requirements {
			requirements[j] = map[string]any{
				"id": r.Requirement.ID, "targetAgent": r.Requirement.TargetAgent, "mandatory": r.Requirement.Mandatory, "applies": r.Applies,
				"verdict": r.Verdict, "code": r.Code, "reason": r.Reason,
			}
		}
		out[i] = map[string]any{"phase": string(g.Phase), "allowed": g.Allowed, "requirements": requirements}
	}
	return out
}

// eventMetadata returns Quorate's own fields of an update. waits says for whom the task waits from this event on; "" if it does not.
func eventMetadata(e orchestrator.Event, waits string) *structpb.Struct {
	fields := map[string]any{
		"sequence": float64(e.Sequence), "type": string(e.Type), "phase": string(e.Phase), "detail": e.Detail,
	}
	if waits != "" {
		fields[fieldWaitsFor] = waits
	}
	return extension(fields)
}

func extension(fields map[string]any) *structpb.Struct {
	s, err := structpb.NewStruct(map[string]any{TaskExtension: fields})
	if err != nil { // the text is not UTF-8; the task itself has the rest
		return nil
	}
	return s
}

// sequenceOf returns the number of the event in a response, or 0 when it has none.
func sequenceOf(r *a2apb.StreamResponse) uint64 {
	metadata := cmp.Or(r.GetTask().GetMetadata(), r.GetStatusUpdate().GetMetadata())
	fields := metadata.GetFields()[TaskExtension].GetStructValue()
	return uint64(fields.GetFields()["sequence"].GetNumberValue())
}
