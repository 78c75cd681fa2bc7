package agentclient

import (
	"context"
	"errors"
	"io"

	"github.com/a2aproject/a2a-go/v2/a2apb/v1"
	"google.golang.org/grpc"
	"google.golang.org/protobuf/types/known/structpb"
)

// grpcClient speaks the gRPC binding.
type grpcClient struct {
	at     endpoint
	tenant string
	stub   a2apb.A2AServiceClient
}

func (c *grpcClient) Send(ctx context.Context, m *a2apb.Message, stream bool, each Each) error {
	req := sendRequest(c.tenant, m, stream)
	if !stream {
		resp, err := c.stub.SendMessage(ctx, req)
		if err != nil {
			return fromGRPC(ctx, &c.at, err)
		}
		return each(asStream(resp))
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	s, err := c.stub.SendStreamingMessage(ctx, req)
	if err != nil {
		return fromGRPC(ctx, &c.at, err)
	}
	return c.receive(ctx, s, each)
}

func (c *grpcClient) Subscribe(ctx context.Context, taskID string, each Each) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	s, err := c.stub.SubscribeToTask(ctx, &a2apb.SubscribeToTaskRequest{Tenant: c.tenant, Id: taskID})
	if err != nil {
		return fromGRPC(ctx, &c.at, err)
	}
	return c.receive(ctx, s, each)
}

func (c *grpcClient) receive(ctx context.Context, s grpc.ServerStreamingClient[a2apb.StreamResponse], each Each) error {
	for {
		r, err := s.Recv()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return fromGRPC(ctx, &c.at, err)
		}
		if err := each(r); err != nil {
			return err
		}
	}
}

func (c *grpcClient) Task(ctx context.Context, taskID string, history int32) (*a2apb.Task, error) {
	t, err := c.stub.GetTask(ctx, &a2apb.GetTaskRequest{Tenant: c.tenant, Id: taskID, HistoryLength: &history})
	return t, fromGRPC(ctx, &c.at, err)
}

func (c *grpcClient) Cancel(ctx context.Context, taskID string, with *structpb.Struct) (*a2apb.Task, error) {
	t, err := c.stub.CancelTask(ctx, &a2apb.CancelTaskRequest{Tenant: c.tenant, Id: taskID, Metadata: with})
	return t, fromGRPC(ctx, &c.at, err)
}
