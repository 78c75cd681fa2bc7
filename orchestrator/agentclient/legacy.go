package agentclient

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/url"

	"github.com/a2aproject/a2a-go/v2/a2a"
	"github.com/a2aproject/a2a-go/v2/a2aclient"
	"github.com/a2aproject/a2a-go/v2/a2acompat/a2av0"
	"github.com/a2aproject/a2a-go/v2/a2apb/v1"
	"github.com/a2aproject/a2a-go/v2/a2apb/v1/pbconv"

	"github.com/quorate/quorate/platform/fault"
)

// legacyClient speaks A2A 0.3 over JSON-RPC through a2a-go's compatibility transport.
type legacyClient struct {
	at        door
	transport a2aclient.Transport
}

func newLegacy(at door, address string, client http.Client) *legacyClient {
	client.Transport = &denials{at: &at, next: client.Transport}
	return &legacyClient{at: at, transport: a2av0.NewJSONRPCTransport(a2av0.JSONRPCTransportConfig{URL: address, Client: &client})}
}

// denials is a transport that returns answers 401 and 403 as faults, because a2a-go reduces them to a text. It bounds what a2a-go reads of the
// others.
type denials struct {
	at   *door
	next http.RoundTripper
}

// RoundTrip sends a request.
func (d *denials) RoundTrip(req *http.Request) (*http.Response, error) {
	resp, err := d.next.RoundTrip(req)
	if err != nil {
		return nil, err
	}
	if httpReasons[resp.StatusCode] != ReasonDenied {
		resp.Body = newBounds(d.at, resp)
		return resp, nil
	}
	defer func() { _ = resp.Body.Close() }() // what was read was read
	said, _ := io.ReadAll(io.LimitReader(resp.Body, maxErrorText))
	return nil, fromHTTP(d.at, resp, string(said))
}

func (c *legacyClient) Send(ctx context.Context, m *a2apb.Message, stream bool, each Each) error {
	req, err := pbconv.FromProtoSendMessageRequest(sendRequest("", m, stream))
	if err != nil {
		return invalid(&c.at, "the message has no 0.3 form: %v", err)
	}
	if stream {
		return c.follow(c.transport.SendStreamingMessage(ctx, nil, req), each)
	}
	result, err := c.transport.SendMessage(ctx, nil, req)
	if err != nil {
		return c.fault(err)
	}
	resp, err := pbconv.ToProtoSendMessageResponse(result)
	if err != nil {
		return invalid(&c.at, "%v", err)
	}
	return each(asStream(resp))
}

func (c *legacyClient) Subscribe(ctx context.Context, taskID string, each Each) error {
	return c.follow(c.transport.SubscribeToTask(ctx, nil, &a2a.SubscribeToTaskRequest{ID: a2a.TaskID(taskID)}), each)
}

func (c *legacyClient) follow(events func(func(a2a.Event, error) bool), each Each) error {
	for e, err := range events {
		if err != nil {
			return c.fault(err)
		}
		r, err := pbconv.ToProtoStreamResponse(e)
		if err != nil {
			return invalid(&c.at, "%v", err)
		}
		if err := each(r); err != nil {
			return err
		}
	}
	return nil
}

func (c *legacyClient) Task(ctx context.Context, taskID string, history int32) (*a2apb.Task, error) {
	latest := int(history)
	t, err := c.transport.GetTask(ctx, nil, &a2a.GetTaskRequest{ID: a2a.TaskID(taskID), HistoryLength: &latest})
	return c.task(t, err)
}

func (c *legacyClient) Cancel(ctx context.Context, taskID string) (*a2apb.Task, error) {
	t, err := c.transport.CancelTask(ctx, nil, &a2a.CancelTaskRequest{ID: a2a.TaskID(taskID)})
	return c.task(t, err)
}

func (c *legacyClient) task(t *a2a.Task, err error) (*a2apb.Task, error) {
	if err != nil {
		return nil, c.fault(err)
	}
	p, err := pbconv.ToProtoTask(t)
	if err != nil {
		return nil, invalid(&c.at, "%v", err)
	}
	return p, nil
}

func (c *legacyClient) fault(err error) error {
	if errors.Is(err, a2a.ErrTaskNotFound) {
		return fromCode(&c.at, -32001, "")
	}
	for _, known := range []error{a2a.ErrUnsupportedOperation, a2a.ErrInvalidParams, a2a.ErrInvalidRequest, a2a.ErrTaskNotCancelable, a2a.ErrInternalError} {
		if errors.Is(err, known) {
			return answered(&c.at, ReasonRefused, "with an error", err.Error())
		}
	}
	lost := unreachable(&c.at, err)
	if _, network := errors.AsType[*url.Error](err); network || fault.ReasonOf(lost) != ReasonUnreachable {
		return lost
	}
	return inWords(fault.Unavailable, ReasonUnreachable, c.at.name+" could not be reached", err.Error()) // a2a-go has what was answered in its errors
}
