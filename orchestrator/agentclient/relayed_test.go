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

	"github.com/quorate/quorate/orchestrator/agentclient"
	"github.com/quorate/quorate/platform/fault"
	"github.com/quorate/quorate/platform/fault/rpcfault"
	"github.com/quorate/quorate/registry/agentcard"
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
	way := pool(t).PassageOverGRPC("agent", &agentcard.Card{Interfaces: []agentcard.Interface{{URL: "http://" + serveGRPC(t, failing{}), Binding: agentcard.BindingGRPC}}})
	_, unary := way.Invoke(t.Context(), a2apb.A2AService_GetTask_FullMethodName, &emptypb.Empty{})
	stream := way.Stream(t.Context(), a2apb.A2AService_SubscribeToTask_FullMethodName, &emptypb.Empty{}, func() {}, func(*emptypb.Empty) error { return nil })
	for method, err := range map[string]error{"Invoke": unary, "Stream": stream} {
		st := rpcfault.Status(err)
		if _, relayed := errors.AsType[*rpcfault.RelayedError](err); !relayed || st.Code() != codes.Internal || st.Message() != "its disk is full" {
			t.Errorf("%s() = %v with the status %v, want the agent's own, as relayed", method, err, st)
		}
	}
}

// denying is an agent that answers with one status.
type denying struct {
	a2apb.UnimplementedA2AServiceServer

	code codes.Code
}

func (d denying) GetTask(context.Context, *a2apb.GetTaskRequest) (*a2apb.Task, error) {
	return nil, status.Error(d.code, "no")
}

// TestAnErrorOfTheWayIsNotRelayed has a call pass to agents that deny Quorate, or are away: the caller can do nothing about that, and must not take it for
// an answer about itself.
func TestAnErrorOfTheWayIsNotRelayed(t *testing.T) {
	t.Parallel()
	for code, want := range map[codes.Code]string{
		codes.PermissionDenied: agentclient.ReasonDenied, codes.Unauthenticated: agentclient.ReasonDenied, codes.Unavailable: agentclient.ReasonUnreachable,
	} {
		way := pool(t).PassageOverGRPC("agent", &agentcard.Card{Interfaces: []agentcard.Interface{{URL: "http://" + serveGRPC(t, denying{code: code}), Binding: agentcard.BindingGRPC}}})
		if _, err := way.Invoke(t.Context(), a2apb.A2AService_GetTask_FullMethodName, &emptypb.Empty{}); fault.ReasonOf(err) != want {
			t.Errorf("Invoke() of an agent that answers %s = %v, want the reason %s", code, err, want)
		}
	}
}

// TestAPassageThatIsClosedIsNoAnswerOfTheAgent makes a call when the connections are closed: its agent may still be asked over another one.
func TestAPassageThatIsClosedIsNoAnswerOfTheAgent(t *testing.T) {
	t.Parallel()
	p := pool(t)
	way := p.PassageOverGRPC("agent", &agentcard.Card{Interfaces: []agentcard.Interface{{URL: "http://" + serveGRPC(t, failing{}), Binding: agentcard.BindingGRPC}}})
	p.Close()
	if _, err := way.Invoke(t.Context(), a2apb.A2AService_GetTask_FullMethodName, &emptypb.Empty{}); fault.ReasonOf(err) != agentclient.ReasonUnreachable || !agentclient.NotTaken(err) {
		t.Errorf("Invoke() = %v, want that the agent has not taken the call", err)
	}
}
