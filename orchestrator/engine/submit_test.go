package engine_test

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/a2aproject/a2a-go/v2/a2apb/v1"
	"google.golang.org/protobuf/types/known/structpb"

	"github.com/quorate/quorate/consultation"
	"github.com/quorate/quorate/orchestrator"
	"github.com/quorate/quorate/orchestrator/engine"
	"github.com/quorate/quorate/platform/fault"
)

func TestATaskIsOnDiskBeforeItIsAccepted(t *testing.T) {
	w := newWorld(t, &actor{name: "echo", play: delivers("hello")})
	w.stop() // no engine runs, as if the process died at once
	w.start()
	task := w.submit(engine.Submission{Route: orchestrator.Route{Agent: "echo"}})
	w.restart()
	if task, _ = w.awaitEnd(task.ID); task.State != a2apb.TaskState_TASK_STATE_COMPLETED {
		t.Errorf("state = %s, want completed", task.State)
	}
}

func TestSubmitIsIdempotent(t *testing.T) {
	echo := &actor{name: "echo", play: delivers("hello")}
	w := newWorld(t, echo)
	s := engine.Submission{Tenant: tenant, Caller: "tester", Route: orchestrator.Route{Agent: "echo"}, RequestID: "r-1", Message: text("a")}
	first := w.submit(s)
	w.awaitEnd(first.ID)
	if again := w.submit(s); again.ID != first.ID || len(echo.sends()) != 1 {
		t.Errorf("the same request made task %s after %s and %d sends, want the same task and one send", again.ID, first.ID, len(echo.sends()))
	}
	other := s
	other.Route.Version = ">=0"
	if _, err := w.engine.Submit(t.Context(), other); fault.ReasonOf(err) != "REQUEST_ID_REUSED" {
		t.Errorf("Submit(other version) = %v, want REQUEST_ID_REUSED", err)
	}
	s.Message = text("b")
	if _, err := w.engine.Submit(t.Context(), s); fault.ReasonOf(err) != "REQUEST_ID_REUSED" {
		t.Errorf("Submit(other content) = %v, want REQUEST_ID_REUSED", err)
	}
	s.Caller = "somebody else"
	if other := w.submit(s); other.ID == first.ID {
		t.Error("another caller with the same request id got the first caller's task")
	}
}

// TestARetryMayHaveAnotherDeadline retries as programs do that give each attempt ten minutes from now, a task of the default deadline, and one of
// their own.
func TestARetryMayHaveAnotherDeadline(t *testing.T) {
	w := newWorld(t, &actor{name: "echo", play: delivers("hello")})
	for i, first := range []time.Time{{}, time.Now().Add(10 * time.Minute), time.Now().Add(time.Minute).Round(time.Second)} {
		s := engine.Submission{
			Tenant: tenant, Caller: "tester", Route: orchestrator.Route{Agent: "echo"}, RequestID: fmt.Sprintf("r-%d", i), Message: text("a"), Deadline: first,
			Inputs: []orchestrator.Input{{Name: "spec", Parts: []*a2apb.Part{{Content: &a2apb.Part_Text{Text: "short"}}}}},
		}
		task := w.submit(s)
		if want := "65f404169f88b6a0aef125fd9fceeb083e53a8d2793c0b47a8b87911bf15c273"; first.IsZero() && task.RequestHash != want { // such hashes are in stores
			t.Errorf("the task is kept with the hash %s, want %s", task.RequestHash, want)
		}
		for _, later := range []time.Time{first, {}, time.Now().Add(20 * time.Minute)} {
			s.Deadline = later
			if again := w.submit(s); again.ID != task.ID || !again.Deadline.Equal(task.Deadline) {
				t.Errorf("Submit() by %v and then %v = task %s by %v, want %s by %v", first, later, again.ID, again.Deadline, task.ID, task.Deadline)
			}
			other := s
			other.Message = text("b")
			if _, err := w.engine.Submit(t.Context(), other); fault.ReasonOf(err) != "REQUEST_ID_REUSED" {
				t.Errorf("Submit(other content) by %v = %v, want REQUEST_ID_REUSED", later, err)
			}
		}
	}
}

func TestARetryAfterTheDeadlineIsAnsweredLikeAnyOther(t *testing.T) {
	w := newWorld(t, &actor{name: "echo", play: delivers("hello")})
	s := engine.Submission{
		Tenant: tenant, Caller: "tester", Route: orchestrator.Route{Agent: "echo"}, RequestID: "r-1", Message: text("a"), Deadline: time.Now().Add(time.Minute),
	}
	first := w.submit(s)
	w.awaitEnd(first.ID)
	w.restartAt(func() time.Time { return time.Now().Add(time.Hour) })
	if again := w.submit(s); again.ID != first.ID {
		t.Errorf("the same request made task %s, want %s again", again.ID, first.ID)
	}
	s.RequestID = "r-2"
	if _, err := w.engine.Submit(t.Context(), s); fault.ReasonOf(err) != "DEADLINE_OUT_OF_RANGE" {
		t.Errorf("Submit(a new one with that deadline) = %v, want DEADLINE_OUT_OF_RANGE", err)
	}
}

func TestSubmitRefusesWhatCannotBeATask(t *testing.T) {
	w := newWorld(t, &actor{name: "gone", skill: "s", status: "unavailable"}, &actor{name: "silent", skill: "q", status: "unknown"})
	tests := map[string]struct {
		change func(*engine.Submission)
		want   string
	}{
		"a message without parts":                {func(s *engine.Submission) { s.Message = &a2apb.Message{} }, "MESSAGE_EMPTY"},
		"a part without content":                 {func(s *engine.Submission) { s.Message = &a2apb.Message{Parts: []*a2apb.Part{{}}} }, "PART_EMPTY"},
		"a message of the agent's":               {func(s *engine.Submission) { s.Message.Role = a2apb.Role_ROLE_AGENT }, "ROLE_INVALID"},
		"a context id that no store takes":       {func(s *engine.Submission) { s.Message.ContextId = strings.Repeat("c", 257) }, "CONTEXT_ID_TOO_LONG"},
		"a reply to another task":                {func(s *engine.Submission) { s.Message.TaskId = "some" }, "TASK_ID_GIVEN"},
		"a deadline in the past":                 {func(s *engine.Submission) { s.Deadline = time.Now().Add(-time.Second) }, "DEADLINE_OUT_OF_RANGE"},
		"a deadline too far away":                {func(s *engine.Submission) { s.Deadline = time.Now().Add(9000 * time.Hour) }, "DEADLINE_OUT_OF_RANGE"},
		"an attribute that is an object":         {func(s *engine.Submission) { s.Attributes = map[string]any{"a": map[string]any{}} }, "ATTRIBUTE_KIND"},
		"an attribute that looks like another":   {func(s *engine.Submission) { s.Attributes = map[string]any{"handling\u200b_data": true} }, "ATTRIBUTE_NAME"},
		"a space in an attribute's name":         {func(s *engine.Submission) { s.Attributes = map[string]any{"a ": true} }, "ATTRIBUTE_NAME"},
		"an attribute that is not a number":      {func(s *engine.Submission) { s.Attributes = map[string]any{"a": math.NaN()} }, "ATTRIBUTE_KIND"},
		"an attribute whose digits are not kept": {func(s *engine.Submission) { s.Attributes = map[string]any{"a": []any{float64(1 << 53)}} }, "ATTRIBUTE_KIND"},
		"a list of lists":                        {func(s *engine.Submission) { s.Attributes = map[string]any{"a": []any{"x", []any{"y"}}} }, "ATTRIBUTE_KIND"},
		"too many attributes": {func(s *engine.Submission) {
			s.Attributes = make(consultation.Attributes)
			for i := range orchestrator.MaxAttributes + 1 {
				s.Attributes[strconv.Itoa(i)] = true
			}
		}, "TOO_MANY_ATTRIBUTES"},
		"too many inputs": {func(s *engine.Submission) {
			for i := range orchestrator.MaxInputs + 1 {
				s.Inputs = append(s.Inputs, orchestrator.Input{Name: strconv.Itoa(i), Parts: text("x").GetParts()})
			}
		}, "TOO_MANY_INPUTS"},
		"two inputs of one name": {func(s *engine.Submission) {
			s.Inputs = slices.Repeat([]orchestrator.Input{{Name: "a", Parts: text("x").GetParts()}}, 2)
		}, "INPUT_NAME"},
		"an input without a name":   {func(s *engine.Submission) { s.Inputs = []orchestrator.Input{{Parts: text("x").GetParts()}} }, "INPUT_NAME"},
		"an input without parts":    {func(s *engine.Submission) { s.Inputs = []orchestrator.Input{{Name: "a"}} }, "INPUT_EMPTY"},
		"an input of an empty part": {func(s *engine.Submission) { s.Inputs = []orchestrator.Input{{Name: "a", Parts: []*a2apb.Part{{}}}} }, "INPUT_EMPTY"},
		"data that JSON does not have": {func(s *engine.Submission) {
			s.Message = &a2apb.Message{Parts: []*a2apb.Part{{Content: &a2apb.Part_Data{Data: structpb.NewNumberValue(math.Inf(1))}}}}
		}, "VALUE_INVALID"},
		"an input that JSON does not have": {func(s *engine.Submission) {
			s.Inputs = []orchestrator.Input{{Name: "a", Parts: []*a2apb.Part{{Content: &a2apb.Part_Data{Data: structpb.NewNumberValue(math.NaN())}}}}}
		}, "VALUE_INVALID"},
		"metadata that JSON does not have": {func(s *engine.Submission) {
			s.Message.Metadata = &structpb.Struct{Fields: map[string]*structpb.Value{"k": {}}}
		}, "VALUE_INVALID"},
		"an unknown agent":                       {func(s *engine.Submission) { s.Route.Agent = "nobody" }, "AGENT_NOT_FOUND"},
		"an unknown skill":                       {func(s *engine.Submission) { s.Route = orchestrator.Route{Skill: "juggle"} }, "SKILL_NOT_FOUND"},
		"an agent that is down":                  {func(s *engine.Submission) { s.Route.Agent = "gone" }, "NO_AGENT_AVAILABLE"},
		"a skill whose agent was never heard of": {func(s *engine.Submission) { s.Route = orchestrator.Route{Skill: "q"} }, "NO_AGENT_AVAILABLE"},
		"a message over the item limit":          {func(s *engine.Submission) { s.Message, s.Route.Agent = text(strings.Repeat("x", 400<<10)), "silent" }, "ITEM_TOO_LARGE"},
		"a message over it with its inputs": {func(s *engine.Submission) {
			s.Message, s.Inputs = text(strings.Repeat("x", 200<<10)), []orchestrator.Input{{Name: "a", Parts: text(strings.Repeat("x", 200<<10)).GetParts()}}
		}, "ITEM_TOO_LARGE"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			s := engine.Submission{Tenant: tenant, Caller: "tester", Message: text("a"), Route: orchestrator.Route{Agent: "silent"}}
			tt.change(&s)
			_, err := w.engine.Submit(t.Context(), s)
			if fault.ReasonOf(err) != tt.want {
				t.Errorf("Submit() = %v, want %s", err, tt.want)
			}
			if fault.KindOf(err) != fault.InvalidArgument || tt.want == "DEADLINE_OUT_OF_RANGE" {
				return // it has no agent, or is about what a route does not have
			}
			if d, told := w.engine.Resolve(t.Context(), s); fault.ReasonOf(told) != tt.want || fault.From(told).Message != fault.From(err).Message {
				t.Errorf("Resolve() = %+v, %v, want the error of Submit: %v", d, told, err)
			}
		})
	}
}

func TestAWrongAttributeIsNamedByItsKey(t *testing.T) {
	w := newWorld(t, &actor{name: "silent", status: "unknown"})
	for _, attributes := range []consultation.Attributes{{"a.b ": true}, {"a.b": []any{[]any{}}}} {
		_, err := w.engine.Submit(t.Context(), engine.Submission{Tenant: tenant, Message: text("a"), Route: orchestrator.Route{Agent: "silent"}, Attributes: attributes})
		for key := range attributes {
			if want := fmt.Sprintf("attributes[%q]", key); fault.KindOf(err) != fault.InvalidArgument || fault.From(err).Violations[0].Field != want {
				t.Errorf("Submit(%v) = %+v, want an error about %s", attributes, fault.From(err), want)
			}
		}
	}
}

func TestALargeMessageIsRefusedWithAdvice(t *testing.T) {
	w := newWorld(t, &actor{name: "silent", status: "unknown"})
	large := text(strings.Repeat("x", orchestrator.MaxMessageBytes))
	_, submit := w.engine.Submit(t.Context(), engine.Submission{Tenant: tenant, Message: large, Route: orchestrator.Route{Agent: "silent"}})
	_, reply := w.engine.Reply(t.Context(), engine.Reply{Key: orchestrator.Key{Tenant: tenant, ID: "any"}, Message: large})
	for call, err := range map[string]error{"Submit": submit, "Reply": reply} {
		f := fault.From(err)
		if f == nil || f.Reason != "ITEM_TOO_LARGE" || len(f.Violations) != 1 || f.Violations[0].Field != "message" || !strings.Contains(f.Message, "send it in several") {
			t.Errorf("%s() = %+v, want ITEM_TOO_LARGE that names the field and says what to do", call, f)
		}
	}
}
