package rpc

import (
	"time"

	"google.golang.org/protobuf/types/known/structpb"
	"google.golang.org/protobuf/types/known/timestamppb"

	"github.com/quorate/quorate/consultation"
	consultationrpc "github.com/quorate/quorate/consultation/rpc"
	"github.com/quorate/quorate/orchestrator"
	orchestratorv1 "github.com/quorate/quorate/proto/gen/quorate/orchestrator/v1"
)

// taskToProto converts a task, with the content that Show allows.
func taskToProto(t *orchestrator.Task) *orchestratorv1.Task {
	p := &orchestratorv1.Task{
		Id: t.ID, ContextId: t.ContextID, State: t.State, Phase: string(t.Phase), Agent: t.Agent, Skill: t.Skill,
		Attributes: make(map[string]*structpb.Value, len(t.Attributes)), Explanation: decisionToProto(t.Decision), Plan: planToProto(t.Plan), Error: errorToProto(t.Error),
		Etag: t.Etag(), CreateTime: timestamppb.New(t.CreateTime), UpdateTime: timestamppb.New(t.UpdateTime),
		Deadline: timestamppb.New(t.Deadline), TraceId: t.TraceID,
	}
	for key, value := range t.Attributes {
		if v, err := structpb.NewValue(value); err == nil { // attributes hold only what a Value can hold
			p.Attributes[key] = v
		}
	}
	withheld := idWithheld(t)
	for _, a := range t.Attempts {
		if withheld {
			a.RemoteTaskID = ""
		}
		p.Attempts = append(p.Attempts, attemptToProto(a))
	}
	for _, g := range t.Gates {
		p.Gates = append(p.Gates, gateToProto(g))
	}
	shown := Show(t)
	p.Message, p.StatusMessage, p.Artifacts, p.Metadata = shown.Message, shown.StatusMessage, shown.Artifacts, shown.Metadata
	p.WithheldArtifacts = int32(min(shown.Withheld, 1<<30)) //nolint:gosec // bounded
	for _, turn := range shown.Turns {
		p.Turns = append(p.Turns, turnToProto(turn))
	}
	if t.Parent != nil {
		p.ParentTaskId = t.Parent.TaskID
	}
	return p
}

func planToProto(p *orchestrator.Plan) *orchestratorv1.Plan {
	if p == nil {
		return nil
	}
	out := &orchestratorv1.Plan{Mode: p.Mode, Needed: int32(p.Need)} //nolint:gosec // a handful of steps
	if p.Asking != nil {
		out.WaitingStep = int32(p.Asking.Step) //nolint:gosec // a handful of steps
	}
	for i := range p.Steps {
		s := &p.Steps[i]
		step := &orchestratorv1.PlanStep{Agent: s.Agent, Skill: s.Skill, Inputs: allToProto(s.Inputs), TaskId: s.TaskID, State: s.State, Error: errorToProto(s.Error)}
		if p.Mode == orchestrator.PlanChain {
			step.Output = typedToProto(s.Output)
		}
		out.Steps = append(out.Steps, step)
	}
	return out
}

func turnToProto(turn orchestrator.Turn) *orchestratorv1.Turn {
	return &orchestratorv1.Turn{
		Number: int32(turn.Number), FromAgent: turn.FromAgent, Message: turn.Message, Time: timeToProto(turn.Time), //nolint:gosec // MaxTurns at most
		Pending: !turn.FromAgent && !turn.Done,
	}
}

func attemptToProto(a orchestrator.Attempt) *orchestratorv1.Attempt {
	return &orchestratorv1.Attempt{
		Number: int32(a.Number), Agent: a.Agent, MessageId: a.MessageID, RemoteTaskId: a.RemoteTaskID, Binding: a.Binding, //nolint:gosec // a handful of attempts
		StartTime: timeToProto(a.StartTime), EndTime: timeToProto(a.EndTime), Error: errorToProto(a.Error),
	}
}

func gateToProto(g orchestrator.Gate) *orchestratorv1.Gate {
	p := &orchestratorv1.Gate{Phase: string(g.Phase), Allowed: new(g.Allowed), SubjectDigest: g.Digest, CheckTime: timeToProto(g.CheckTime)}
	for _, r := range g.Requirements {
		p.Requirements = append(p.Requirements, consultationrpc.VerdictToProto(r))
	}
	return p
}

func errorToProto(e *orchestrator.Error) *orchestratorv1.TaskError {
	if e == nil {
		return nil
	}
	return &orchestratorv1.TaskError{Reason: e.Reason, Message: e.Message}
}

func eventToProto(e orchestrator.Event) *orchestratorv1.TaskEvent {
	return &orchestratorv1.TaskEvent{
		Sequence: e.Sequence, Time: timeToProto(e.Time), Type: string(e.Type), State: e.State, Phase: string(e.Phase), Detail: e.Detail,
	}
}

// timeToProto returns nil for the zero time.
func timeToProto(t time.Time) *timestamppb.Timestamp {
	if t.IsZero() {
		return nil
	}
	return timestamppb.New(t)
}

func attributes(in map[string]*structpb.Value) consultation.Attributes {
	out := make(consultation.Attributes, len(in))
	for key, value := range in {
		out[key] = value.AsInterface()
	}
	return out
}
