package agentclient

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"strings"

	"go.opentelemetry.io/otel/propagation"
	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/proto"

	"github.com/quorate/quorate/platform/apijson"
	"github.com/quorate/quorate/platform/bounded"
)

// lenient ignores unknown fields, as A2A §3.7 asks, for agents of newer versions.
var lenient = protojson.UnmarshalOptions{DiscardUnknown: true}

// decode decodes JSON of an agent into m, unless it has too many values.
func decode(data []byte, m proto.Message) error {
	if err := bounded.JSON(data); err != nil {
		return err
	}
	if err := lenient.Unmarshal(data, m); err != nil {
		return errors.New(apijson.ProblemIn(data, err))
	}
	return nil
}

// eventStream is the media type of server-sent events.
const eventStream = "text/event-stream"

// doer is an http.Client or something equivalent.
type doer interface {
	Do(req *http.Request) (*http.Response, error)
}

// caller sends HTTP requests to one agent.
type caller struct {
	at     endpoint
	client doer
	intake *intake
	legacy bool // speaks A2A 0.3
}

// do sends a request and returns the answer, whatever its status. The caller closes the body.
func (c *caller) do(ctx context.Context, method, url string, body []byte, accept string) (*http.Response, error) {
	var r io.Reader
	if body != nil {
		r = bytes.NewReader(body)
	}
	req, err := http.NewRequestWithContext(ctx, method, url, r)
	if err != nil {
		return nil, fmt.Errorf("build request to %s: %w", c.at.name, err)
	}
	req.Header = headerOf(accept, body != nil)
	c.addParameters(ctx, req.Header)
	propagation.TraceContext{}.Inject(ctx, propagation.HeaderCarrier(req.Header))
	resp, err := c.client.Do(req)
	if err != nil {
		return nil, unreachable(&c.at, err)
	}
	return resp, nil
}

// read reads a whole answer of up to maxAnswerBytes. The caller leaves the place when it has decoded the answer.
func (c *caller) read(ctx context.Context, resp *http.Response) ([]byte, *place, error) {
	b := bytes.NewBuffer(make([]byte, 0, min(max(resp.ContentLength, 0), smallAnswer)+bytes.MinRead)) // its Content-Length is not trusted beyond that
	var p *place
	_, err := b.ReadFrom(io.LimitReader(resp.Body, smallAnswer+1))
	if err == nil && b.Len() > smallAnswer {
		if p, err = c.intake.enter(ctx, &c.at, func() { _ = resp.Body.Close() }); err != nil {
			return nil, nil, err
		}
		_, err = b.ReadFrom(io.LimitReader(resp.Body, maxAnswerBytes-smallAnswer))
	}
	if err = p.arrived(&c.at, err); err == nil && b.Len() > maxAnswerBytes {
		err = invalid(&c.at, "more than %d MiB", maxAnswerBytes>>20)
	}
	if err != nil {
		p.leave()
		return nil, nil, err
	}
	return b.Bytes(), p, nil
}

// succeeded reports whether a status means success: some agents answer 201 when they have created something.
func succeeded(resp *http.Response) bool {
	return resp.StatusCode >= http.StatusOK && resp.StatusCode < http.StatusMultipleChoices
}

// IsEventStream reports whether an answer is server-sent events.
func IsEventStream(resp *http.Response) bool {
	t, _, err := mime.ParseMediaType(resp.Header.Get("Content-Type"))
	return err == nil && t == eventStream
}

// joinURL appends a path, perhaps with a query, to the path of base, whose own query stays at the end.
func joinURL(base, path string) string {
	base, query, found := strings.Cut(base, "?")
	joined := strings.TrimSuffix(base, "/") + path
	switch {
	case !found:
		return joined
	case strings.Contains(path, "?"):
		return joined + "&" + query
	default:
		return joined + "?" + query
	}
}
