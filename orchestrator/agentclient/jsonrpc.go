package agentclient

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"

	"github.com/a2aproject/a2a-go/v2/a2apb/v1"
	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/proto"
)

// jsonrpcClient speaks the JSON-RPC 2.0 binding.
type jsonrpcClient struct {
	caller
	url    string
	tenant string
}

type rpcRequest struct {
	JSONRPC string          `json:"jsonrpc"`
	ID      string          `json:"id"`
	Method  string          `json:"method"`
	Params  json.RawMessage `json:"params"`
}

type rpcResponse struct {
	Result json.RawMessage `json:"result"`
	Error  *struct {
		Code    int    `json:"code"`
		Message string `json:"message"`
	} `json:"error"`
}

func (c *jsonrpcClient) Send(ctx context.Context, m *a2apb.Message, stream bool, each Each) error {
	req := sendRequest(c.tenant, m, stream)
	if stream {
		return c.stream(ctx, "SendStreamingMessage", req, each)
	}
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

func (c *jsonrpcClient) Cancel(ctx context.Context, taskID string) (*a2apb.Task, error) {
	t := &a2apb.Task{}
	return t, c.call(ctx, "CancelTask", &a2apb.CancelTaskRequest{Tenant: c.tenant, Id: taskID}, t)
}

func (c *jsonrpcClient) call(ctx context.Context, method string, params, result proto.Message) error {
	resp, err := c.post(ctx, method, params, "application/json")
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	body, err := c.read(resp)
	if err != nil {
		return err
	}
	return c.decode(resp, body, result)
}

func (c *jsonrpcClient) stream(ctx context.Context, method string, params proto.Message, each Each) error {
	resp, err := c.post(ctx, method, params, eventStream)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	one := func(data []byte) error {
		r := &a2apb.StreamResponse{}
		if err := c.decode(nil, data, r); err != nil {
			return err
		}
		return each(r)
	}
	if isEventStream(resp) {
		return c.events(resp.Body, one)
	}
	// The answer is an error, or the only answer of an agent that does not stream this call.
	body, err := c.read(resp)
	if err != nil {
		return err
	}
	r := &a2apb.StreamResponse{}
	if err := c.decode(resp, body, r); err != nil {
		return err
	}
	return each(r)
}

func (c *jsonrpcClient) post(ctx context.Context, method string, params proto.Message, accept string) (*http.Response, error) {
	p, err := protojson.Marshal(params)
	if err != nil {
		return nil, fmt.Errorf("encode %s for %s: %w", method, c.at.name, err)
	}
	body, err := json.Marshal(rpcRequest{JSONRPC: "2.0", ID: "1", Method: method, Params: p})
	if err != nil {
		return nil, fmt.Errorf("encode %s for %s: %w", method, c.at.name, err)
	}
	return c.do(ctx, http.MethodPost, c.url, body, accept)
}

// decode reads a JSON-RPC response: the body of resp or, when resp is nil, an event of a stream.
func (c *jsonrpcClient) decode(resp *http.Response, body []byte, result proto.Message) error {
	failed := resp != nil && !succeeded(resp)
	var r rpcResponse
	if err := json.Unmarshal(body, &r); err != nil {
		if failed {
			return fromHTTP(&c.at, resp, string(body))
		}
		return invalid(&c.at, "no JSON-RPC response: %v", err)
	}
	switch {
	case r.Error != nil:
		return fromCode(&c.at, r.Error.Code, r.Error.Message)
	case failed:
		return fromHTTP(&c.at, resp, string(body))
	case r.Result == nil:
		return invalid(&c.at, "a JSON-RPC response without result")
	}
	if err := lenient.Unmarshal(r.Result, result); err != nil {
		return invalid(&c.at, "%v", err)
	}
	return nil
}
