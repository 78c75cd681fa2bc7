package engine_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/a2aproject/a2a-go/v2/a2apb/v1"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/structpb"

	"github.com/quorate/quorate/consultation"
	"github.com/quorate/quorate/orchestrator"
	"github.com/quorate/quorate/orchestrator/agentclient"
	"github.com/quorate/quorate/orchestrator/engine"
)

// TestTheLogHasEveryPieceThatAnAgentSays has an agent say its answer in pieces, of which two are alike and one is long, others say all that they have
// said so far each time, and another change its state without a word.
func TestTheLogHasEveryPieceThatAnAgentSays(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("é", 4000)
	for name, test := range map[string]struct{ says, want []string }{
		"pieces that are alike":  {[]string{"1 ha", "2 ha", "3 !"}, []string{"ha", "ha", "!"}},
		"a message that returns": {[]string{"1 ha", "1 ha", "2 !"}, []string{"ha", "!"}},
		"long ones":              {[]string{"1 " + long, "2 " + long + "x"}, []string{long, long + "… (cut)"}},
		"a message that grows":   {[]string{"1 ha", "1 haha", "1 hahaha", "2 hahaha!"}, []string{"ha", "ha", "ha", "hahaha!"}},
		"one that grows long":    {[]string{"1 " + long, "1 " + long + "x", "1 " + long + "x" + long}, []string{long, "x", long}},
		"one that changes":       {[]string{"1 ha", "1 oh", "1 oho"}, []string{"ha", "oh", "o"}},
		"a state without words":  {[]string{"1 ha", ""}, []string{"ha"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, &actor{name: "agent", play: func(_ context.Context, _ *a2apb.Message, say agentclient.Each) error {
				for _, said := range test.says {
					id, words, _ := strings.Cut(said, " ")
					status := &a2apb.TaskStatus{State: a2apb.TaskState_TASK_STATE_SUBMITTED}
					if words != "" {
						status = &a2apb.TaskStatus{State: a2apb.TaskState_TASK_STATE_WORKING, Message: text(words)}
						status.Message.MessageId = id
					}
					if err := say(&a2apb.StreamResponse{Payload: &a2apb.StreamResponse_StatusUpdate{StatusUpdate: &a2apb.TaskStatusUpdateEvent{TaskId: "r", Status: status}}}); err != nil {
						return err
					}
				}
				return say(snapshot("r", a2apb.TaskState_TASK_STATE_COMPLETED, "", "made"))
			}})
			_, log := w.awaitEnd(w.submit(engine.Submission{Route: orchestrator.Route{Agent: "agent"}}).ID)
			var got []string
			for _, e := range log {
				if e.Type == orchestrator.EventProgress {
					got = append(got, e.Detail)
				}
			}
			if !slices.Equal(got, test.want) {
				t.Errorf("the log says %.200q, want %.200q", got, test.want)
			}
		})
	}
}

// TestAQuestionThatWasSaidBeforeIsLoggedOnce has an agent say a message while it works, and then wait with it.
func TestAQuestionThatWasSaidBeforeIsLoggedOnce(t *testing.T) {
	t.Parallel()
	w := newWorld(t, &actor{name: "agent", play: func(_ context.Context, _ *a2apb.Message, say agentclient.Each) error {
		for _, state := range []a2apb.TaskState{a2apb.TaskState_TASK_STATE_WORKING, a2apb.TaskState_TASK_STATE_INPUT_REQUIRED} {
			asks := snapshot("r", state, "which one?")
			asks.GetTask().Status.Message.MessageId = "q"
			if err := say(asks); err != nil {
				return err
			}
		}
		return nil
	}})
	task, log := w.await(w.submit(engine.Submission{Route: orchestrator.Route{Agent: "agent"}}).ID)
	if n := count(log, orchestrator.EventProgress); n != 1 || task.State != a2apb.TaskState_TASK_STATE_INPUT_REQUIRED {
		t.Errorf("in state %s the log says %d times what the agent asks, want once: %v", task.State, n, log)
	}
}

// TestTheLogHasWhatAnAgentSaysBesidesText has an agent report progress as data, in a task that a review guards and in one that none does.
func TestTheLogHasWhatAnAgentSaysBesidesText(t *testing.T) {
	t.Parallel()
	report := &a2apb.Message{MessageId: "1", Role: a2apb.Role_ROLE_AGENT, Parts: []*a2apb.Part{{Content: &a2apb.Part_Data{Data: structpb.NewStringValue("xyzzy")}}}}
	for name, test := range map[string]struct {
		attributes consultation.Attributes
		kind       orchestrator.EventType
		detail     string
		said       *a2apb.Message
	}{
		"unguarded": {nil, orchestrator.EventProgress, "a message without text", report},
		"guarded":   {sensitive, orchestrator.EventRemark, "the agent reports progress; its words are held back until the gate opens", nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, &actor{name: "agent", requirements: requirement("pre-completion"), play: func(_ context.Context, _ *a2apb.Message, say agentclient.Each) error {
				working := &a2apb.TaskStatus{State: a2apb.TaskState_TASK_STATE_WORKING, Message: proto.CloneOf(report)}
				return errors.Join(say(&a2apb.StreamResponse{Payload: &a2apb.StreamResponse_StatusUpdate{StatusUpdate: &a2apb.TaskStatusUpdateEvent{TaskId: "r", Status: working}}}),
					say(snapshot("r", a2apb.TaskState_TASK_STATE_COMPLETED, "", "made")))
			}})
			_, log := w.await(w.submit(engine.Submission{Route: orchestrator.Route{Agent: "agent"}, Attributes: test.attributes}).ID)
			i := slices.IndexFunc(log, func(e orchestrator.Event) bool { return e.Type == test.kind })
			if i < 0 || log[i].Detail != test.detail || !proto.Equal(log[i].Said.Message(), test.said) {
				t.Errorf("the log is %v, want a %s %q that says %v", log, test.kind, test.detail, test.said)
			}
		})
	}
}
