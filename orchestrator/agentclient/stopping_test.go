package agentclient_test

import (
	"context"
	"errors"
	"testing"

	"github.com/a2aproject/a2a-go/v2/a2apb/v1"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/quorate/quorate/orchestrator/agentclient"
	"github.com/quorate/quorate/platform/fault"
	"github.com/quorate/quorate/registry/agentcard"
)

// stopping is an agent whose process ends: its handlers' contexts do, and they return that.
type stopping struct {
	a2apb.UnimplementedA2AServiceServer
}

func (stopping) SendMessage(context.Context, *a2apb.SendMessageRequest) (*a2apb.SendMessageResponse, error) {
	return nil, status.FromContextError(context.Canceled).Err()
}

func (stopping) SendStreamingMessage(*a2apb.SendMessageRequest, grpc.ServerStreamingServer[a2apb.StreamResponse]) error {
	return status.Error(codes.Canceled, "stopping")
}

func TestAnAgentThatBreaksOffIsTriedAgainAndACallerWhoDoesIsNot(t *testing.T) {
	t.Parallel()
	addr := serveGRPC(t, stopping{})
	c, _, err := pool(t).Connect("stopping", agentcard.Card{Interfaces: []agentcard.Interface{{URL: addr, Binding: agentcard.BindingGRPC}}})
	if err != nil {
		t.Fatal(err)
	}
	for name, stream := range map[string]bool{"streaming": true, "asked once": false} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			none := func(*a2apb.StreamResponse) error { return nil }
			if err := c.Send(t.Context(), message("m", "hello"), stream, none); fault.ReasonOf(err) != agentclient.ReasonUnreachable {
				t.Errorf("Send() = %v, want %s", err, agentclient.ReasonUnreachable)
			}
			ctx, cancel := context.WithCancel(t.Context())
			cancel()
			if err := c.Send(ctx, message("m", "hello"), stream, none); !errors.Is(err, context.Canceled) {
				t.Errorf("Send() of a caller that left = %v, want %v", err, context.Canceled)
			}
		})
	}
}
