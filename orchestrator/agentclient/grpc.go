package agentclient

import (
	"context"
	"fmt"

	"github.com/a2aproject/a2a-go/v2/a2apb/v1"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/structpb"

	"github.com/quorate/quorate/platform/bounded"
)

// grpcClient speaks the gRPC binding.
type grpcClient struct {
	grpcCaller
	tenant string
}

func (c *grpcClient) Send(ctx context.Context, m *a2apb.Message, stream bool, each Each) error {
	return send(ctx, c, sendRequest(c.tenant, m), stream, each)
}

func (c *grpcClient) sendStreaming(ctx context.Context, req *a2apb.SendMessageRequest, each Each) error {
	return c.follow(ctx, a2apb.A2AService_SendStreamingMessage_FullMethodName, req, each)
}

func (c *grpcClient) sendOnce(ctx context.Context, req *a2apb.SendMessageRequest, each Each) error {
	answer := &a2apb.SendMessageResponse{}
	if err := c.call(ctx, a2apb.A2AService_SendMessage_FullMethodName, req, answer); err != nil {
		return err
	}
	return each(asStream(answer))
}

func (c *grpcClient) Subscribe(ctx context.Context, taskID string, each Each) error {
	return c.follow(ctx, a2apb.A2AService_SubscribeToTask_FullMethodName, &a2apb.SubscribeToTaskRequest{Tenant: c.tenant, Id: taskID}, each)
}

func (c *grpcClient) Task(ctx context.Context, taskID string, history int32) (*a2apb.Task, error) {
	t := &a2apb.Task{}
	return t, c.call(ctx, a2apb.A2AService_GetTask_FullMethodName, &a2apb.GetTaskRequest{Tenant: c.tenant, Id: taskID, HistoryLength: &history}, t)
}

func (c *grpcClient) Cancel(ctx context.Context, taskID string, with *structpb.Struct) (*a2apb.Task, error) {
	t := &a2apb.Task{}
	return t, c.call(ctx, a2apb.A2AService_CancelTask_FullMethodName, &a2apb.CancelTaskRequest{Tenant: c.tenant, Id: taskID, Metadata: with}, t)
}

// call makes a unary call.
func (c *grpcClient) call(ctx context.Context, method string, req, answer proto.Message) error {
	message, err := proto.Marshal(req)
	if err != nil {
		return fmt.Errorf("encode %s for %s: %w", method, c.at.name, err)
	}
	return c.invoke(ctx, method, message, func(encoded []byte) error { return c.decode(encoded, answer) })
}

// follow makes a streaming call and calls each for the answers.
func (c *grpcClient) follow(ctx context.Context, method string, req proto.Message, each Each) error {
	message, err := proto.Marshal(req)
	if err != nil {
		return fmt.Errorf("encode %s for %s: %w", method, c.at.name, err)
	}
	return c.stream(ctx, method, message, nil, func(encoded []byte) error {
		answer := &a2apb.StreamResponse{}
		if err := c.decode(encoded, answer); err != nil {
			return err
		}
		return each(answer)
	})
}

// decode decodes an answer, unless it has too many values.
func (c *grpcClient) decode(encoded []byte, answer proto.Message) error {
	if err := bounded.Unmarshal(encoded, answer); err != nil {
		return invalid(&c.at, "%v", err)
	}
	return nil
}
