package agentclient

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"strconv"

	"github.com/a2aproject/a2a-go/v2/a2apb/v1"
	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/structpb"
)

// restClient speaks the HTTP+JSON binding (A2A §11).
type restClient struct {
	caller
	url    string
	tenant string
}

func (c *restClient) Send(ctx context.Context, m *a2apb.Message, stream bool, each Each) error {
	return send(ctx, c, sendRequest(c.tenant, m), stream, each)
}

func (c *restClient) sendStreaming(ctx context.Context, req *a2apb.SendMessageRequest, each Each) error {
	resp, err := c.send(ctx, http.MethodPost, "/message:stream", req, eventStream)
	if err != nil {
		return err
	}
	return c.receive(ctx, resp, each)
}

func (c *restClient) sendOnce(ctx context.Context, req *a2apb.SendMessageRequest, each Each) error {
	var resp a2apb.SendMessageResponse
	if err := c.call(ctx, http.MethodPost, "/message:send", req, &resp); err != nil {
		return err
	}
	return each(asStream(&resp))
}

func (c *restClient) Subscribe(ctx context.Context, taskID string, each Each) error {
	// The proto says GET, the text of §11.3.2 POST. Most servers are made from the proto, and some accept only the other.
	return c.subscribe(ctx, http.MethodGet, "/tasks/"+url.PathEscape(taskID)+":subscribe", each)
}

func (c *restClient) subscribe(ctx context.Context, method, path string, each Each) error {
	resp, err := c.send(ctx, method, path, nil, eventStream)
	if err != nil {
		return err
	}
	if method == http.MethodGet && resp.StatusCode == http.StatusMethodNotAllowed {
		_ = resp.Body.Close() // nothing was read that could be lost
		return c.subscribe(ctx, http.MethodPost, path, each)
	}
	return c.receive(ctx, resp, each)
}

func (c *restClient) Task(ctx context.Context, taskID string, history int32) (*a2apb.Task, error) {
	t := &a2apb.Task{}
	return t, c.call(ctx, http.MethodGet, "/tasks/"+url.PathEscape(taskID)+"?historyLength="+strconv.Itoa(int(history)), nil, t)
}

func (c *restClient) Cancel(ctx context.Context, taskID string, with *structpb.Struct) (*a2apb.Task, error) {
	t := &a2apb.Task{}
	req := &a2apb.CancelTaskRequest{Tenant: c.tenant, Id: taskID, Metadata: with}
	return t, c.call(ctx, http.MethodPost, "/tasks/"+url.PathEscape(taskID)+":cancel", req, t)
}

func (c *restClient) call(ctx context.Context, method, path string, in, out proto.Message) error {
	resp, err := c.send(ctx, method, path, in, "application/json, application/a2a+json")
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	return c.answer(ctx, resp, out)
}

// receive calls each for the answer to a streaming call, and closes it.
func (c *restClient) receive(ctx context.Context, resp *http.Response, each Each) error {
	defer resp.Body.Close()
	if succeeded(resp) && IsEventStream(resp) {
		return c.events(ctx, resp.Body, func(data []byte) error {
			r := &a2apb.StreamResponse{}
			err := decode(data, r)
			if r.GetPayload() == nil { // perhaps an error, whose name is none of a response's
				if f := c.failure(resp, data); f != nil {
					return f
				}
			}
			if err != nil {
				return invalid(&c.at, "%v", err)
			}
			return each(r)
		})
	}
	r := &a2apb.StreamResponse{}
	if err := c.answer(ctx, resp, r); err != nil {
		return err
	}
	return each(r)
}

func (c *restClient) send(ctx context.Context, method, path string, in proto.Message, accept string) (*http.Response, error) {
	var body []byte
	if in != nil {
		var err error
		if body, err = protojson.Marshal(in); err != nil {
			return nil, fmt.Errorf("encode request for %s: %w", c.at.name, err)
		}
	}
	base := c.url
	if c.tenant != "" {
		base = joinURL(base, "/"+url.PathEscape(c.tenant))
	}
	return c.do(ctx, method, joinURL(base, path), body, accept)
}

func (c *restClient) answer(ctx context.Context, resp *http.Response, out proto.Message) error {
	body, place, err := c.read(ctx, resp)
	if err != nil {
		return err
	}
	defer place.leave()
	if !succeeded(resp) {
		if f := c.failure(resp, body); f != nil {
			return f
		}
		return fromHTTP(&c.at, resp, string(body))
	}
	if err := decode(body, out); err != nil {
		return invalid(&c.at, "%v", err)
	}
	return nil
}

// failure reads an A2A error from a body (§11.6). It returns nil when there is none.
func (c *restClient) failure(resp *http.Response, body []byte) error {
	var e struct {
		Error *struct {
			Code    int    `json:"code"`
			Message string `json:"message"`
			Details []struct {
				Reason string `json:"reason"`
			} `json:"details"`
		} `json:"error"`
	}
	if err := json.Unmarshal(body, &e); err != nil || e.Error == nil {
		return nil //nolint:nilerr // a body of another form is not an A2A error; the caller describes it
	}
	for _, d := range e.Error.Details {
		if code, ok := detailCodes[d.Reason]; ok {
			return fromCode(&c.at, code, e.Error.Message)
		}
	}
	if succeeded(resp) { // the error is an event of a stream
		late := *resp
		late.StatusCode = cmp.Or(e.Error.Code, http.StatusInternalServerError)
		resp = &late
	}
	return fromHTTP(&c.at, resp, e.Error.Message)
}
