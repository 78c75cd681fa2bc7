package agenttask_test

import (
	"math"
	"strings"
	"testing"

	"github.com/a2aproject/a2a-go/v2/a2apb/v1"
	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/structpb"

	"github.com/quorate/quorate/orchestrator/agentclient"
	"github.com/quorate/quorate/orchestrator/agenttask"
	"github.com/quorate/quorate/platform/fault"
)

// nested is a list in a list in a list.
func nested(deep int) *structpb.Value {
	v := structpb.NewNullValue()
	for range deep {
		v = structpb.NewListValue(&structpb.ListValue{Values: []*structpb.Value{v}})
	}
	return v
}

func object(v *structpb.Value) *structpb.Struct {
	return &structpb.Struct{Fields: map[string]*structpb.Value{"k": v}}
}

// smuggling returns m with a field that it does not have, which callers over gRPC would get and no reviewer sees.
func smuggling[M proto.Message](m M) M {
	m.ProtoReflect().SetUnknown(protowire.AppendVarint(protowire.AppendTag(nil, 99, protowire.VarintType), 1))
	return m
}

func TestWhatIsNotPlainIsRefused(t *testing.T) {
	t.Parallel()
	made := func(v *structpb.Value) *a2apb.Task {
		return &a2apb.Task{Artifacts: []*a2apb.Artifact{{Parts: []*a2apb.Part{{Content: &a2apb.Part_Data{Data: v}}}}}}
	}
	says := func(m *a2apb.Message) *a2apb.Task { return &a2apb.Task{Status: &a2apb.TaskStatus{Message: m}} }
	for name, test := range map[string]struct {
		says *a2apb.Task
		ok   bool
	}{
		"a hundred deep":              {made(nested(100)), true},
		"data too deep":               {made(nested(9000)), false},
		"an artifact's metadata":      {&a2apb.Task{Artifacts: []*a2apb.Artifact{{Metadata: object(nested(9000))}}}, false},
		"a part's metadata":           {&a2apb.Task{Artifacts: []*a2apb.Artifact{{Parts: []*a2apb.Part{{Metadata: object(nested(9000))}}}}}, false},
		"the task's metadata":         {&a2apb.Task{Metadata: object(nested(9000))}, false},
		"a message's data":            {says(&a2apb.Message{Parts: made(nested(9000)).GetArtifacts()[0].GetParts()}), false},
		"a message's metadata":        {says(&a2apb.Message{Metadata: object(nested(9000))}), false},
		"not a number":                {made(structpb.NewNumberValue(math.NaN())), false},
		"no value":                    {made(&structpb.Value{}), false},
		"a field that no value has":   {made(smuggling(structpb.NewBoolValue(true))), false},
		"a field that no list has":    {made(structpb.NewListValue(smuggling(&structpb.ListValue{}))), false},
		"a field that no object has":  {&a2apb.Task{Artifacts: []*a2apb.Artifact{{Metadata: smuggling(&structpb.Struct{})}}}, false},
		"a null that is not the null": {made(&structpb.Value{Kind: &structpb.Value_NullValue{NullValue: 7}}), false},
	} {
		var h agenttask.Task
		switch _, err := h.Apply(agenttask.Snapshot(test.says)); {
		case test.ok && err != nil:
			t.Errorf("%s: Apply() = %v", name, err)
		case !test.ok && (fault.ReasonOf(err) != agentclient.ReasonAnswerInvalid || len(h.Artifacts) > 0):
			t.Errorf("%s: Apply() = %v with %d artifacts kept, want %s", name, err, len(h.Artifacts), agentclient.ReasonAnswerInvalid)
		}
		if err := new(agenttask.Task).Correct(test.says); (err == nil) != test.ok {
			t.Errorf("%s: Correct() = %v, want success: %t", name, err, test.ok)
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
