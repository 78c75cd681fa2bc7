package rpc

import (
	"math"

	"google.golang.org/protobuf/types/known/timestamppb"

	"github.com/quorate/quorate/consultation"
	consultationv1 "github.com/quorate/quorate/proto/gen/quorate/consultation/v1"
)

// consultationToProto converts c, without its refused spans, which are in verdicts only.
func consultationToProto(c consultation.Consultation) *consultationv1.Consultation {
	return &consultationv1.Consultation{
		Id: c.ID, TaskId: c.TaskID, RequirementId: c.RequirementID, Phase: c.Phase, SourceAgent: c.SourceAgent, TargetAgent: c.TargetAgent,
		Attempt: attempt(c.Attempt), SubjectDigest: c.SubjectDigest, TraceId: c.TraceID, State: c.State, Outcome: c.Outcome,
		Feedback: c.Feedback, CarrierTaskId: c.CarrierTaskID, Direct: c.Direct, IssueTime: timestamppb.New(c.IssueTime), ExpireTime: timestamppb.New(c.ExpireTime),
	}
}

func evidenceToProto(e consultation.Evidence) *consultationv1.Evidence {
	return &consultationv1.Evidence{
		TraceId: e.TraceID, SpanId: e.SpanID, SourceAgent: e.SourceAgent, TargetAgent: e.TargetAgent, TaskId: e.TaskID,
		RequirementId: e.RequirementID, Outcome: e.Outcome, Feedback: e.Feedback, Timestamp: timestamppb.New(e.Timestamp),
		ConsultationId: e.ConsultationID, Attempt: attempt(e.Attempt), SubjectDigest: e.SubjectDigest, Recorder: e.Recorder, Level: e.Level,
		Backend: e.Backend,
	}
}

// VerdictToProto converts v.
func VerdictToProto(v consultation.RequirementVerdict) *consultationv1.RequirementVerdict {
	p := &consultationv1.RequirementVerdict{
		Id: v.Requirement.ID, Phase: v.Requirement.Phase, TargetAgent: v.Requirement.TargetAgent, Mandatory: new(v.Requirement.Mandatory),
		Applies: new(v.Applies), Verdict: v.Verdict, Code: v.Code, Reason: v.Reason, LookedFor: v.LookedFor, Found: v.Found,
		RequiredLevel: v.Lowest, ReachedLevel: v.Level,
	}
	for _, e := range v.Evidence {
		p.Evidence = append(p.Evidence, evidenceToProto(e))
	}
	return p
}

// attempt converts n to the API's type; a task has at most 100 attempts.
func attempt(n int) int32 { return int32(min(max(n, 0), math.MaxInt32)) }
