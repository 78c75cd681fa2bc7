package agentclient_test

import (
	"context"
	"net/http"
	"runtime"
	"testing"
	"time"

	"github.com/a2aproject/a2a-go/v2/a2apb/v1"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/types/known/emptypb"

	"github.com/quorate/quorate/orchestrator/agentclient"
	"github.com/quorate/quorate/platform/fault"
	"github.com/quorate/quorate/registry/agentcard"
)

// busy is an agent that works on each message until its stream ends.
type busy struct {
	a2apb.UnimplementedA2AServiceServer
	begun chan struct{}
}

func (b busy) SendStreamingMessage(_ *a2apb.SendMessageRequest, s grpc.ServerStreamingServer[a2apb.StreamResponse]) error {
	b.begun <- struct{}{}
	<-s.Context().Done()
	return s.Context().Err()
}

func (busy) SendMessage(context.Context, *a2apb.SendMessageRequest) (*a2apb.SendMessageResponse, error) {
	return &a2apb.SendMessageResponse{Payload: &a2apb.SendMessageResponse_Message{Message: hello}}, nil
}

func (busy) GetTask(context.Context, *a2apb.GetTaskRequest) (*a2apb.Task, error) {
	return &a2apb.Task{Id: "t"}, nil
}

func (busy) CancelTask(context.Context, *a2apb.CancelTaskRequest) (*a2apb.Task, error) {
	return nil, status.Error(codes.NotFound, "no such task")
}

// TestShortCallsDoNotWaitForStreams has as many streams open as the agent, or a proxy in front of it, takes on a connection.
func TestShortCallsDoNotWaitForStreams(t *testing.T) {
	t.Parallel()
	var d dials
	const most = 2
	agent := busy{begun: make(chan struct{}, most)}
	p := agentclient.NewPool(d.dial, new(http.Client), nil)
	defer p.Close()
	card := agentcard.Card{Interfaces: []agentcard.Interface{{URL: serveGRPC(t, agent, grpc.MaxConcurrentStreams(most)), Binding: agentcard.BindingGRPC, ProtocolVersion: "1.0"}}}
	c, _, err := p.Connect("a", card)
	if err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, most+1)
	for range most {
		go func() {
			ended <- c.Send(t.Context(), message("m", "hello"), true, func(*a2apb.StreamResponse) error { return nil })
		}()
		<-agent.begun
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	if got, err := c.Task(ctx, "t", 0); err != nil || got.GetId() != "t" {
		t.Errorf("Task() = %v, %v, want the task", got, err)
	}
	if _, err := c.Cancel(ctx, "t", nil); fault.ReasonOf(err) != agentclient.ReasonTaskNotFound {
		t.Errorf("Cancel() = %v, want the agent's error", err)
	}
	if _, err := p.PassageOverGRPC("a", &card).Invoke(ctx, a2apb.A2AService_GetTask_FullMethodName, &emptypb.Empty{}); err != nil {
		t.Errorf("Invoke() = %v, want the answer", err)
	}
	if got := len(d.all()); got != 2 {
		t.Errorf("%d connections were made, want one for streams and one for short calls", got)
	}
	go func() {
		ended <- c.Send(t.Context(), message("m", "hello"), true, func(*a2apb.StreamResponse) error { return nil })
	}()
	for p.CallsInLine() != 1 {
		if ctx.Err() != nil {
			t.Fatalf("CallsInLine() = %d, want one: that of work", p.CallsInLine())
		}
		runtime.Gosched()
	}
	p.Close()
	for range most + 1 {
		if err := <-ended; err == nil {
			t.Error("Send() = nil, want that the stream ended when the pool was closed")
		}
	}
}
