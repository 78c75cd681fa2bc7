package agentclient_test

import (
	"context"
	"errors"
	"testing"

	"github.com/a2aproject/a2a-go/v2/a2apb/v1"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/types/known/emptypb"

	"github.com/quorate/quorate/platform/fault/rpcfault"
	"github.com/quorate/quorate/registry"
)

// failing is an agent that fails in each call.
type failing struct {
	a2apb.UnimplementedA2AServiceServer
}

func (failing) GetTask(context.Context, *a2apb.GetTaskRequest) (*a2apb.Task, error) {
	return nil, status.Error(codes.Internal, "its disk is full")
}

func (failing) SubscribeToTask(*a2apb.SubscribeToTaskRequest, grpc.ServerStreamingServer[a2apb.StreamResponse]) error {
	return status.Error(codes.Internal, "its disk is full")
}

// TestWhatAnAgentAnswersIsToldFromFailuresOfOurs has a call pass to an agent that fails: its status is passed on, and is known to be the agent's.
func TestWhatAnAgentAnswersIsToldFromFailuresOfOurs(t *testing.T) {
	t.Parallel()
	way := pool(t).PassageOverGRPC("agent", &registry.Card{Interfaces: []registry.Interface{{URL: "http://" + serveGRPC(t, failing{}), Binding: registry.BindingGRPC}}})
	_, unary := way.Invoke(t.Context(), a2apb.A2AService_GetTask_FullMethodName, &emptypb.Empty{})
	stream := way.Stream(t.Context(), a2apb.A2AService_SubscribeToTask_FullMethodName, &emptypb.Empty{}, func() {}, func(*emptypb.Empty) error { return nil })
	for method, err := range map[string]error{"Invoke": unary, "Stream": stream} {
		st := rpcfault.Status(err)
		if _, relayed := errors.AsType[*rpcfault.RelayedError](err); !relayed || st.Code() != codes.Internal || st.Message() != "its disk is full" {
			t.Errorf("%s() = %v with the status %v, want the agent's own, as relayed", method, err, st)
		}
	}
}
