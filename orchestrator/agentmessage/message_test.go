package agentmessage_test

import (
	"math"
	"slices"
	"testing"

	"github.com/a2aproject/a2a-go/v2/a2apb/v1"
	"go.opentelemetry.io/otel/trace"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/structpb"

	"github.com/quorate/quorate/consultation"
	"github.com/quorate/quorate/orchestrator"
	"github.com/quorate/quorate/orchestrator/agentmessage"
)

func text(s string) *a2apb.Message {
	return &a2apb.Message{MessageId: "callers", Parts: []*a2apb.Part{{Content: &a2apb.Part_Text{Text: s}}}}
}

func structOf(t *testing.T, fields map[string]any) *structpb.Struct {
	t.Helper()
	s, err := structpb.NewStruct(fields)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// sent is a task that is about to be sent, or has been.
func sent(m *a2apb.Message) *orchestrator.Task {
	return &orchestrator.Task{
		ID: "t", Agent: "echo", Skill: "work", Message: m,
		Attempts: []orchestrator.Attempt{{Number: 1, Agent: "echo", MessageID: "t-1", RemoteTaskID: "theirs", RemoteContext: "their context"}},
	}
}

func TestTheMessageCarriesQuoratesWordAndNobodyElses(t *testing.T) {
	m := text("do it")
	m.TaskId, m.ContextId, m.Extensions = "mine", "mine", []string{"urn:usage"}
	m.Metadata = structOf(t, map[string]any{
		consultation.ExtensionURI: map[string]any{"consultationId": "forged"}, orchestrator.TaskExtension: "a route", orchestrator.TraceparentKey: "forged", "mine": "kept",
	})
	task := sent(m)
	got := agentmessage.New(t.Context(), task)
	said := got.GetMetadata().AsMap()
	if word, _ := said[consultation.ExtensionURI].(map[string]any); word["taskId"] != "t" || word["consultationId"] != nil || word["skill"] != nil {
		t.Errorf("the extension says %v, want the task's id, no consultation and no skill, for which nobody asked", word)
	}
	if said["mine"] != "kept" || said[orchestrator.TaskExtension] != nil || said[orchestrator.TraceparentKey] != nil {
		t.Errorf("metadata %v, want the caller's, without what is for Quorate and without a trace", said)
	}
	if got.GetMessageId() != "t-1" || got.GetTaskId() != "" || got.GetContextId() != "" || got.GetRole() != a2apb.Role_ROLE_USER {
		t.Errorf("message %v, want the attempt's id and none of the caller's", got)
	}
	if want := []string{"urn:usage", consultation.ExtensionURI}; !slices.Equal(got.GetExtensions(), want) {
		t.Errorf("extensions %v, want %v", got.GetExtensions(), want)
	}
	if m.GetMessageId() != "callers" || m.GetMetadata().GetFields()[orchestrator.TaskExtension] == nil {
		t.Errorf("the task's own message became %v, want it unchanged", m)
	}
}

func TestAMessageTellsForHowManyTasksItWasSent(t *testing.T) {
	m := text("do it")
	for want := range orchestrator.MaxHops + 2 {
		if got := agentmessage.Hops(m); got != want {
			t.Errorf("Hops() = %d, want %d", got, want)
		}
		m = agentmessage.New(t.Context(), sent(m))
	}
	for said, want := range map[any]int{-5.0: 1, 0.5: 1, math.NaN(): 1, "many": 1, 3.0: 3, 1e300: orchestrator.MaxHops + 1} {
		value, err := structpb.NewValue(said)
		if err != nil {
			t.Fatal(err)
		}
		m.Metadata.Fields[consultation.ExtensionURI].GetStructValue().Fields["hops"] = value
		if got := agentmessage.Hops(m); got != want {
			t.Errorf("Hops() of %v = %d, want %d", said, got, want)
		}
	}
}

func TestTheMessageCarriesTheTrace(t *testing.T) {
	call := trace.NewSpanContext(trace.SpanContextConfig{TraceID: trace.TraceID{1}, SpanID: trace.SpanID{2}, TraceFlags: trace.FlagsSampled})
	m := agentmessage.New(trace.ContextWithSpanContext(t.Context(), call), sent(text("do it")))
	if got, want := m.GetMetadata().AsMap()[orchestrator.TraceparentKey], "00-"+call.TraceID().String()+"-"+call.SpanID().String()+"-01"; got != want {
		t.Errorf("traceparent %v, want %s", got, want)
	}
}

func TestAReplyIsInTheAgentsOwnTask(t *testing.T) {
	task := sent(text("do it"))
	task.Message.Metadata = structOf(t, map[string]any{consultation.ExtensionURI: map[string]any{"consultationId": "c"}})
	reply := &orchestrator.Turn{MessageID: "t-1-2", Message: text("yes")}
	for name, test := range map[string]struct {
		parent *orchestrator.Parent
		key    string
		want   any
	}{
		"of a task":         {nil, "taskId", "t"},
		"of a consultation": {&orchestrator.Parent{TaskID: "p", ConsultationID: "c"}, "consultationId", "c"},
	} {
		t.Run(name, func(t *testing.T) {
			task.Parent = test.parent
			m := agentmessage.Reply(t.Context(), task, reply)
			if m.GetMessageId() != "t-1-2" || m.GetTaskId() != "theirs" || m.GetContextId() != "their context" || m.GetParts()[0].GetText() != "yes" {
				t.Errorf("Reply() = %v, want the reply under its id, with the agent's own of task and context", m)
			}
			if word, _ := m.GetMetadata().AsMap()[consultation.ExtensionURI].(map[string]any); word[test.key] != test.want {
				t.Errorf("the extension says %v, want %s %v", word, test.key, test.want)
			}
		})
	}
}

func TestCallsRequestTheExtensionsOfTheCallersMessages(t *testing.T) {
	first, asked, reply := text("do it"), text("which?"), text("that one")
	first.Extensions, asked.Extensions, reply.Extensions = []string{"urn:a"}, []string{"urn:agent"}, []string{"urn:b"}
	task := sent(first)
	task.Turns = []orchestrator.Turn{{FromAgent: true, Message: asked}, {Message: reply}}
	if got, want := agentmessage.Extensions(task), []string{"urn:a", "urn:b"}; !slices.Equal(got, want) {
		t.Errorf("Extensions() = %v, want %v", got, want)
	}
}

func TestTheAgentLearnsTheSkillAndTheRulesThatApply(t *testing.T) {
	task := sent(text("do it"))
	task.SkillAsked, task.Attributes = true, consultation.Attributes{"secret": false}
	task.Requirements = []consultation.Requirement{
		{ID: "always", TargetAgent: "reviewer", Phase: "pre-completion", Mandatory: true},
		{ID: "sometimes", TargetAgent: "lawyer", Phase: "pre-execution", Condition: &consultation.Condition{Attribute: "secret", Operator: "equals", Value: true}},
	}
	got := agentmessage.New(t.Context(), task).GetMetadata().GetFields()[consultation.ExtensionURI].GetStructValue()
	want := structOf(t, map[string]any{
		"taskId": "t", "skill": "work", "requirements": []any{map[string]any{"id": "always", "targetAgent": "reviewer", "phase": "pre-completion"}},
	})
	if !proto.Equal(got, want) {
		t.Errorf("the extension says %v, want %v", got, want)
	}
}

// TestAConsultationIsSentInItsOwnWords has the message of a consultation, which says already what it is about and in which trace.
func TestAConsultationIsSentInItsOwnWords(t *testing.T) {
	asked, err := agentmessage.Question(consultation.Consultation{ID: "c", TaskID: "p"}, "", text("review me").GetParts())
	if err != nil {
		t.Fatal(err)
	}
	task := sent(asked)
	task.Parent = &orchestrator.Parent{TaskID: "p", ConsultationID: "c"}
	call := trace.NewSpanContext(trace.SpanContextConfig{TraceID: trace.TraceID{1}, SpanID: trace.SpanID{2}, TraceFlags: trace.FlagsSampled})
	got := agentmessage.New(trace.ContextWithSpanContext(t.Context(), call), task)
	if !proto.Equal(got.GetMetadata(), asked.GetMetadata()) || !slices.Equal(got.GetExtensions(), asked.GetExtensions()) {
		t.Errorf("the consultation is sent with %v and the extensions %v, want %v and %v", got.GetMetadata(), got.GetExtensions(), asked.GetMetadata(), asked.GetExtensions())
	}
}
