package agentclient

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/a2aproject/a2a-go/v2/a2apb/v1"
	"google.golang.org/protobuf/types/known/structpb"

	"github.com/quorate/quorate/orchestrator/legacy"
)

// legacyClient speaks A2A 0.3 over JSON-RPC.
type legacyClient struct{ rpcCaller }

func (c *legacyClient) Send(ctx context.Context, m *a2apb.Message, stream bool, each Each) error {
	return send(ctx, c, sendRequest("", m), stream, each)
}

func (c *legacyClient) sendStreaming(ctx context.Context, req *a2apb.SendMessageRequest, each Each) error {
	params, err := c.encode(req)
	if err != nil {
		return err
	}
	return c.follow(ctx, "message/stream", params, c.event(each))
}

func (c *legacyClient) sendOnce(ctx context.Context, req *a2apb.SendMessageRequest, each Each) error {
	params, err := c.encode(req)
	if err != nil {
		return err
	}
	return c.ask(ctx, "message/send", params, c.event(each))
}

func (c *legacyClient) encode(req *a2apb.SendMessageRequest) (json.RawMessage, error) {
	params, err := legacy.SendParams(req)
	if err != nil {
		return nil, fmt.Errorf("write the message for %s in A2A %s: %w", c.at.name, legacy.Version, err)
	}
	return params, nil
}

func (c *legacyClient) Subscribe(ctx context.Context, taskID string, each Each) error {
	params, err := legacy.TaskParams(taskID, nil, nil)
	if err != nil {
		return err
	}
	return c.follow(ctx, "tasks/resubscribe", params, c.event(each))
}

func (c *legacyClient) Task(ctx context.Context, taskID string, history int32) (*a2apb.Task, error) {
	return c.task(ctx, "tasks/get", taskID, &history, nil)
}

func (c *legacyClient) Cancel(ctx context.Context, taskID string, with *structpb.Struct) (*a2apb.Task, error) {
	return c.task(ctx, "tasks/cancel", taskID, nil, with)
}

func (c *legacyClient) task(ctx context.Context, method, taskID string, history *int32, with *structpb.Struct) (*a2apb.Task, error) {
	params, err := legacy.TaskParams(taskID, history, with)
	if err != nil {
		return nil, err
	}
	var t *a2apb.Task
	err = c.ask(ctx, method, params, func(result json.RawMessage) (err error) {
		if t, err = legacy.ReadTask(result); err != nil {
			return invalid(&c.at, "%v", err)
		}
		return nil
	})
	return t, err
}

// event returns a function that decodes a result and calls each with it.
func (c *legacyClient) event(each Each) func(json.RawMessage) error {
	return func(result json.RawMessage) error {
		r, err := legacy.ReadEvent(result)
		if err != nil {
			return invalid(&c.at, "%v", err)
		}
		return each(r)
	}
}
