package agenttask_test

import (
	"math"
	"strings"
	"testing"

	"github.com/a2aproject/a2a-go/v2/a2apb/v1"
	"google.golang.org/protobuf/types/known/structpb"

	"github.com/quorate/quorate/orchestrator/agentclient"
	"github.com/quorate/quorate/orchestrator/agenttask"
	"github.com/quorate/quorate/platform/fault"
)

func object(v *structpb.Value) *structpb.Struct {
	return &structpb.Struct{Fields: map[string]*structpb.Value{"k": v}}
}

// TestWhatIsNotPlainIsRefused has an agent say, wherever it can, what JSON does not have.
func TestWhatIsNotPlainIsRefused(t *testing.T) {
	t.Parallel()
	none := structpb.NewNumberValue(math.NaN())
	data := []*a2apb.Part{{Content: &a2apb.Part_Data{Data: none}}}
	made := []*a2apb.Artifact{{ArtifactId: "a", Parts: data}}
	status := &a2apb.TaskStatus{Message: &a2apb.Message{Parts: data}}
	for name, says := range map[string]*a2apb.StreamResponse{
		"a task's artifact":          agenttask.Snapshot(&a2apb.Task{Artifacts: made}),
		"a task's status":            agenttask.Snapshot(&a2apb.Task{Status: status}),
		"a task's metadata":          agenttask.Snapshot(&a2apb.Task{Metadata: object(none)}),
		"a message":                  {Payload: &a2apb.StreamResponse_Message{Message: status.GetMessage()}},
		"an artifact update":         {Payload: &a2apb.StreamResponse_ArtifactUpdate{ArtifactUpdate: &a2apb.TaskArtifactUpdateEvent{Artifact: made[0]}}},
		"a status update":            {Payload: &a2apb.StreamResponse_StatusUpdate{StatusUpdate: &a2apb.TaskStatusUpdateEvent{Status: status}}},
		"a status update's metadata": {Payload: &a2apb.StreamResponse_StatusUpdate{StatusUpdate: &a2apb.TaskStatusUpdateEvent{Metadata: object(none)}}},
	} {
		var h agenttask.Task
		if _, err := h.Apply(says); fault.ReasonOf(err) != agentclient.ReasonAnswerInvalid || h.Artifacts != nil || h.Status != nil || h.Metadata != nil {
			t.Errorf("Apply(%s with NaN) = %v with %+v kept, want %s and nothing", name, err, h, agentclient.ReasonAnswerInvalid)
		}
		if task := says.GetTask(); task != nil && fault.ReasonOf(h.Correct(task)) != agentclient.ReasonAnswerInvalid {
			t.Errorf("Correct(%s with NaN) takes it, want %s", name, agentclient.ReasonAnswerInvalid)
		}
	}
}

// TestTheIDsOfAnAgentAreBounded has agents choose ids that are texts, for their task, its context and their question.
func TestTheIDsOfAnAgentAreBounded(t *testing.T) {
	t.Parallel()
	for n, want := range map[int]string{1 << 10: "", 1<<10 + 1: agentclient.ReasonAnswerInvalid} {
		id := strings.Repeat("x", n)
		for name, says := range map[string]*a2apb.Task{
			"a task":    {Id: id},
			"a context": {ContextId: id},
			"a message": {Status: &a2apb.TaskStatus{State: a2apb.TaskState_TASK_STATE_INPUT_REQUIRED, Message: &a2apb.Message{MessageId: id, Parts: text("which?")}}},
		} {
			if _, err := new(agenttask.Task).Apply(agenttask.Snapshot(says)); fault.ReasonOf(err) != want {
				t.Errorf("an id of %s with %d bytes: Apply() = %v, want %q", name, n, err, want)
			}
		}
	}
}

func TestTheMetadataOfATaskIsBounded(t *testing.T) {
	t.Parallel()
	for n, want := range map[int]string{255 << 10: "", 256 << 10: "METADATA_TOO_LARGE"} {
		says := &a2apb.Task{Metadata: object(structpb.NewStringValue(strings.Repeat("x", n)))}
		if _, err := new(agenttask.Task).Apply(agenttask.Snapshot(says)); fault.ReasonOf(err) != want {
			t.Errorf("with metadata of %d bytes Apply() = %v, want %q", n, err, want)
		}
	}
}
