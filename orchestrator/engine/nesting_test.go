package engine_test

import (
	"context"
	"math"
	"testing"

	"github.com/a2aproject/a2a-go/v2/a2apb/v1"
	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/structpb"

	"github.com/quorate/quorate/orchestrator"
	"github.com/quorate/quorate/orchestrator/agentclient"
	"github.com/quorate/quorate/orchestrator/engine"
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

func TestWhatAnAgentNestsTooDeepIsNotKept(t *testing.T) {
	t.Parallel()
	data := func(v *structpb.Value) []*a2apb.Part { return []*a2apb.Part{{Content: &a2apb.Part_Data{Data: v}}} }
	done := a2apb.TaskState_TASK_STATE_COMPLETED
	for name, test := range map[string]struct {
		artifact *a2apb.Artifact
		said     *a2apb.Message
		want     a2apb.TaskState
	}{
		"a hundred":            {&a2apb.Artifact{Parts: data(nested(100))}, nil, done},
		"data":                 {&a2apb.Artifact{Parts: data(nested(9000))}, nil, a2apb.TaskState_TASK_STATE_FAILED},
		"an artifact's word":   {&a2apb.Artifact{Metadata: object(nested(9000))}, nil, a2apb.TaskState_TASK_STATE_FAILED},
		"a part's word":        {&a2apb.Artifact{Parts: []*a2apb.Part{{Metadata: object(nested(9000))}}}, nil, a2apb.TaskState_TASK_STATE_FAILED},
		"the status's message": {nil, &a2apb.Message{Parts: data(nested(9000))}, a2apb.TaskState_TASK_STATE_FAILED},
		"not a number":         {&a2apb.Artifact{Parts: data(structpb.NewNumberValue(math.NaN()))}, nil, a2apb.TaskState_TASK_STATE_FAILED},
		"no value":             {&a2apb.Artifact{Parts: data(&structpb.Value{})}, nil, a2apb.TaskState_TASK_STATE_FAILED},
		"a field of no value":  {&a2apb.Artifact{Parts: data(smuggling(structpb.NewBoolValue(true)))}, nil, a2apb.TaskState_TASK_STATE_FAILED},
		"a field of no list":   {&a2apb.Artifact{Parts: data(structpb.NewListValue(smuggling(&structpb.ListValue{})))}, nil, a2apb.TaskState_TASK_STATE_FAILED},
		"a field of no object": {&a2apb.Artifact{Metadata: smuggling(&structpb.Struct{})}, nil, a2apb.TaskState_TASK_STATE_FAILED},
		"another null":         {&a2apb.Artifact{Parts: data(&structpb.Value{Kind: &structpb.Value_NullValue{NullValue: 7}})}, nil, a2apb.TaskState_TASK_STATE_FAILED},
		"the message's own":    {nil, &a2apb.Message{Metadata: object(nested(9000))}, a2apb.TaskState_TASK_STATE_FAILED},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, &actor{name: "echo", play: func(_ context.Context, _ *a2apb.Message, say agentclient.Each) error {
				remote := remoteTask("r1", done, "")
				remote.Status.Message = test.said
				if test.artifact != nil {
					remote.Artifacts = []*a2apb.Artifact{test.artifact}
				}
				return say(&a2apb.StreamResponse{Payload: &a2apb.StreamResponse_Task{Task: remote}})
			}})
			task, _ := w.awaitEnd(w.submit(engine.Submission{Route: orchestrator.Route{Agent: "echo"}}).ID)
			if task.State != test.want {
				t.Errorf("state %s, error %+v, want %s", task.State, task.Error, test.want)
			}
			for _, a := range task.Artifacts {
				b, err := proto.Marshal(a)
				if err == nil {
					err = proto.Unmarshal(b, &a2apb.Artifact{})
				}
				if err != nil {
					t.Errorf("what was kept cannot be read: %v", err)
				}
			}
		})
	}
}
