package embedded

import (
	"time"

	"github.com/a2aproject/a2a-go/v2/a2apb/v1"
	"google.golang.org/protobuf/encoding/protowire"

	"github.com/quorate/quorate/consultation"
	"github.com/quorate/quorate/orchestrator"
)

// taskLayout is a task without its content, and without what its key and header contain.
var taskLayout = layout[orchestrator.Task]{
	1:  contextField(),
	2:  text(func(t *orchestrator.Task) *string { return &t.Owner }),
	3:  text(func(t *orchestrator.Task) *string { return &t.RequestHash }),
	4:  number(func(t *orchestrator.Task) *a2apb.TaskState { return &t.State }),
	5:  text(func(t *orchestrator.Task) *orchestrator.Phase { return &t.Phase }),
	6:  text(func(t *orchestrator.Task) *string { return &t.Agent }),
	7:  text(func(t *orchestrator.Task) *string { return &t.Skill }),
	8:  jsonField(func(t *orchestrator.Task) *consultation.Attributes { return &t.Attributes }),
	9:  jsonField(func(t *orchestrator.Task) *[]consultation.Requirement { return &t.Requirements }),
	10: list(func(t *orchestrator.Task) *[]orchestrator.Attempt { return &t.Attempts }, attemptLayout),
	11: jsonField(func(t *orchestrator.Task) *[]orchestrator.Gate { return &t.Gates }),
	12: jsonField(func(t *orchestrator.Task) *[]orchestrator.Turn { return &t.Turns }),
	13: jsonField(func(t *orchestrator.Task) *[]orchestrator.Webhook { return &t.Webhooks }),
	14: nested(func(t *orchestrator.Task) *orchestrator.Decision { return &t.Decision }, decisionLayout),
	15: jsonField(func(t *orchestrator.Task) **orchestrator.Plan { return &t.Plan }),
	16: jsonField(func(t *orchestrator.Task) **orchestrator.Error { return &t.Error }),
	17: jsonField(func(t *orchestrator.Task) **orchestrator.Parent { return &t.Parent }),
	18: text(func(t *orchestrator.Task) *string { return &t.TraceID }),
	19: text(func(t *orchestrator.Task) *string { return &t.SpanID }),
	20: flag(func(t *orchestrator.Task) *bool { return &t.CancelAsked }),
	21: flag(func(t *orchestrator.Task) *bool { return &t.AtMostOnce }),
	22: flag(func(t *orchestrator.Task) *bool { return &t.Released }),
	23: number(func(t *orchestrator.Task) *int { return &t.Shard }),
	24: number(func(t *orchestrator.Task) *uint64 { return &t.OwnerEpoch }),
	25: number(func(t *orchestrator.Task) *uint64 { return &t.LastEvent }),
	26: instant(func(t *orchestrator.Task) *time.Time { return &t.CreateTime }),
	27: instant(func(t *orchestrator.Task) *time.Time { return &t.UpdateTime }),
	28: instant(func(t *orchestrator.Task) *time.Time { return &t.Deadline }),
	29: instant(func(t *orchestrator.Task) *time.Time { return &t.NextDue }),
	30: flag(func(t *orchestrator.Task) *bool { return &t.Untold }),
	31: text(func(t *orchestrator.Task) *string { return &t.VersionRange }),
	32: jsonField(func(t *orchestrator.Task) *[]orchestrator.Given { return &t.Inputs }),
	33: text(func(t *orchestrator.Task) *orchestrator.CancelMetadata { return &t.CancelWith }),
	34: flag(func(t *orchestrator.Task) *bool { return &t.Traced }),
	35: flag(func(t *orchestrator.Task) *bool { return &t.SkillAsked }),
}

// contextField omits a context that began with the task, whose id is that of the task.
func contextField() field[orchestrator.Task] {
	own := text(func(t *orchestrator.Task) *string { return &t.ContextID })
	return field[orchestrator.Task]{
		kind: own.kind,
		pack: func(b []byte, n protowire.Number, t *orchestrator.Task) ([]byte, error) {
			if t.ContextID == t.ID {
				return b, nil
			}
			return own.pack(b, n, t)
		},
		unpack: own.unpack,
	}
}

var attemptLayout = layout[orchestrator.Attempt]{
	1:  number(func(a *orchestrator.Attempt) *int { return &a.Number }),
	2:  text(func(a *orchestrator.Attempt) *string { return &a.Agent }),
	3:  text(func(a *orchestrator.Attempt) *string { return &a.MessageID }),
	4:  text(func(a *orchestrator.Attempt) *string { return &a.RemoteTaskID }),
	5:  text(func(a *orchestrator.Attempt) *string { return &a.RemoteContext }),
	6:  text(func(a *orchestrator.Attempt) *string { return &a.Question }),
	7:  text(func(a *orchestrator.Attempt) *string { return &a.Binding }),
	8:  number(func(a *orchestrator.Attempt) *int { return &a.Sends }),
	9:  flag(func(a *orchestrator.Attempt) *bool { return &a.NotTaken }),
	10: instant(func(a *orchestrator.Attempt) *time.Time { return &a.StartTime }),
	11: instant(func(a *orchestrator.Attempt) *time.Time { return &a.EndTime }),
	12: jsonField(func(a *orchestrator.Attempt) **orchestrator.Error { return &a.Error }),
}

var decisionLayout = layout[orchestrator.Decision]{
	1: text(func(d *orchestrator.Decision) *string { return &d.Chosen }),
	2: text(func(d *orchestrator.Decision) *string { return &d.Skill }),
	3: list(func(d *orchestrator.Decision) *[]orchestrator.Candidate { return &d.Candidates }, candidateLayout),
	4: list(func(d *orchestrator.Decision) *[]orchestrator.Rejection { return &d.Rejected }, rejectionLayout),
	5: number(func(d *orchestrator.Decision) *int { return &d.Omitted }),
	6: text(func(d *orchestrator.Decision) *string { return &d.Refused }),
	7: jsonField(func(d *orchestrator.Decision) *[]orchestrator.Link { return &d.Chain }),
	8: texts(func(d *orchestrator.Decision) *[]string { return &d.FanOut }),
}

var candidateLayout = layout[orchestrator.Candidate]{
	1: text(func(c *orchestrator.Candidate) *string { return &c.Agent }),
	2: text(func(c *orchestrator.Candidate) *string { return &c.Skill }),
	3: fraction(func(c *orchestrator.Candidate) *float64 { return &c.Score }),
	4: texts(func(c *orchestrator.Candidate) *[]string { return &c.Reasons }),
}

var rejectionLayout = layout[orchestrator.Rejection]{
	1: text(func(r *orchestrator.Rejection) *string { return &r.Agent }),
	2: text(func(r *orchestrator.Rejection) *string { return &r.Code }),
	3: text(func(r *orchestrator.Rejection) *string { return &r.Reason }),
}

// eventLayout is an event without its number, which follows from its place.
var eventLayout = layout[orchestrator.Event]{
	1: instant(func(e *orchestrator.Event) *time.Time { return &e.Time }),
	2: text(func(e *orchestrator.Event) *orchestrator.EventType { return &e.Type }),
	3: number(func(e *orchestrator.Event) *a2apb.TaskState { return &e.State }),
	4: text(func(e *orchestrator.Event) *orchestrator.Phase { return &e.Phase }),
	5: text(func(e *orchestrator.Event) *string { return &e.Detail }),
	6: text(func(e *orchestrator.Event) *orchestrator.Saying { return &e.Said }),
}
