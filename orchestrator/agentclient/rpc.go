package agentclient

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"

	"github.com/quorate/quorate/platform/bounded"
	"github.com/quorate/quorate/platform/fault"
)

// rpcCaller calls JSON-RPC 2.0 methods, of either version of A2A.
type rpcCaller struct {
	caller
	url string
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

// ask calls a method and then decode with its result.
func (c *rpcCaller) ask(ctx context.Context, method string, params json.RawMessage, decode func(result json.RawMessage) error) error {
	resp, err := c.post(ctx, method, params, "application/json")
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	return c.answer(ctx, resp, decode)
}

// answer reads a whole answer and calls decode with its result.
func (c *rpcCaller) answer(ctx context.Context, resp *http.Response, decode func(result json.RawMessage) error) error {
	body, place, err := c.read(ctx, resp)
	if err != nil {
		return err
	}
	defer place.leave()
	result, err := c.result(resp, body)
	if err != nil {
		return err
	}
	return decode(result)
}

// follow calls a streaming method and calls each for the results.
func (c *rpcCaller) follow(ctx context.Context, method string, params json.RawMessage, each func(result json.RawMessage) error) error {
	resp, err := c.post(ctx, method, params, eventStream)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	if IsEventStream(resp) {
		return c.events(ctx, resp.Body, func(data []byte) error {
			result, err := c.result(nil, data)
			if err != nil {
				return err
			}
			return each(result)
		})
	}
	// The answer is an error, or the only answer of an agent that does not stream this call.
	return c.answer(ctx, resp, each)
}

func (c *rpcCaller) post(ctx context.Context, method string, params json.RawMessage, accept string) (*http.Response, error) {
	body, err := json.Marshal(rpcRequest{JSONRPC: "2.0", ID: "1", Method: method, Params: params})
	if err != nil {
		return nil, fmt.Errorf("encode %s for %s: %w", method, c.at.name, err)
	}
	return c.do(ctx, http.MethodPost, c.url, body, accept)
}

// result reads a JSON-RPC response: the body of resp or, when resp is nil, an event of a stream. An HTTP status that denies access or asks to come
// again counts more than the error in the body, unless that is one of A2A's own.
func (c *rpcCaller) result(resp *http.Response, body []byte) (json.RawMessage, error) {
	failed := resp != nil && !succeeded(resp)
	body = bytes.TrimPrefix(body, []byte("\x1e")) // begins a text in a sequence of JSON (RFC 7464), of which VoltAgent's servers make their events
	if err := bounded.JSON(body); err != nil {
		return nil, invalid(&c.at, "%v", err)
	}
	var r rpcResponse
	if err := json.Unmarshal(body, &r); err != nil {
		if failed {
			return nil, fromHTTP(&c.at, resp, string(body))
		}
		return nil, invalid(&c.at, "no JSON-RPC response: %v", fault.InWordsOfJSON(err))
	}
	switch {
	case r.Error != nil && failed && httpReasons[resp.StatusCode] != "" && rpcReasons[r.Error.Code] == "":
		return nil, fromHTTP(&c.at, resp, r.Error.Message)
	case r.Error != nil:
		return nil, fromCode(&c.at, r.Error.Code, r.Error.Message)
	case failed:
		return nil, fromHTTP(&c.at, resp, string(body))
	case r.Result == nil:
		return nil, invalid(&c.at, "a JSON-RPC response without result")
	}
	return r.Result, nil
}
