package agentclient

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/a2aproject/a2a-go/v2/a2apb/v1"
	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/structpb"

	"github.com/quorate/quorate/platform/apijson"
)

// jsonrpcClient speaks the JSON-RPC 2.0 binding.
type jsonrpcClient struct {
	rpcCaller
	tenant string
}

func (c *jsonrpcClient) Send(ctx context.Context, m *a2apb.Message, stream bool, each Each) error {
	return send(ctx, c, sendRequest(c.tenant, m), stream, each)
}

func (c *jsonrpcClient) sendStreaming(ctx context.Context, req *a2apb.SendMessageRequest, each Each) error {
	return c.stream(ctx, "SendStreamingMessage", req, each)
}

func (c *jsonrpcClient) sendOnce(ctx context.Context, req *a2apb.SendMessageRequest, each Each) error {
	var resp a2apb.SendMessageResponse
	if err := c.call(ctx, "SendMessage", req, &resp); err != nil {
		return err
	}
	return each(asStream(&resp))
}

func (c *jsonrpcClient) Subscribe(ctx context.Context, taskID string, each Each) error {
	return c.stream(ctx, "SubscribeToTask", &a2apb.SubscribeToTaskRequest{Tenant: c.tenant, Id: taskID}, each)
}

func (c *jsonrpcClient) Task(ctx context.Context, taskID string, history int32) (*a2apb.Task, error) {
	t := &a2apb.Task{}
	return t, c.call(ctx, "GetTask", &a2apb.GetTaskRequest{Tenant: c.tenant, Id: taskID, HistoryLength: &history}, t)
}

func (c *jsonrpcClient) Cancel(ctx context.Context, taskID string, with *structpb.Struct) (*a2apb.Task, error) {
	t := &a2apb.Task{}
	return t, c.call(ctx, "CancelTask", &a2apb.CancelTaskRequest{Tenant: c.tenant, Id: taskID, Metadata: with}, t)
}

func (c *jsonrpcClient) call(ctx context.Context, method string, params, result proto.Message) error {
	p, err := c.encode(method, params)
	if err != nil {
		return err
	}
	return c.ask(ctx, method, p, func(raw json.RawMessage) error { return c.decode(raw, result) })
}

func (c *jsonrpcClient) stream(ctx context.Context, method string, params proto.Message, each Each) error {
	p, err := c.encode(method, params)
	if err != nil {
		return err
	}
	return c.follow(ctx, method, p, func(raw json.RawMessage) error {
		r := &a2apb.StreamResponse{}
		if err := c.decode(raw, r); err != nil {
			return err
		}
		return each(r)
	})
}

func (c *jsonrpcClient) encode(method string, params proto.Message) (json.RawMessage, error) {
	p, err := protojson.Marshal(params)
	if err != nil {
		return nil, fmt.Errorf("encode %s for %s: %w", method, c.at.name, err)
	}
	return p, nil
}

func (c *jsonrpcClient) decode(raw json.RawMessage, result proto.Message) error {
	if err := lenient.Unmarshal(raw, result); err != nil {
		return invalid(&c.at, "%s", apijson.ProblemIn(raw, err))
	}
	return nil
}
