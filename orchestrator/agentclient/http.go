package agentclient

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"strings"

	"go.opentelemetry.io/otel/propagation"
	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/proto"

	"github.com/quorate/quorate/platform/bounded"
)

// lenient ignores unknown fields, as A2A §3.7 asks, for agents of newer versions.
var lenient = protojson.UnmarshalOptions{DiscardUnknown: true}

// decode decodes JSON of an agent into m, unless it has too many values.
func decode(data []byte, m proto.Message) error {
	if err := bounded.JSON(data); err != nil {
		return err
	}
	return lenient.Unmarshal(data, m)
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

// read reads a whole answer of up to maxAnswerBytes.
func (c *caller) read(resp *http.Response) ([]byte, error) {
	const most = 64 << 10 // its Content-Length is not trusted beyond that
	b := bytes.NewBuffer(make([]byte, 0, min(max(resp.ContentLength, 0), most)+bytes.MinRead))
	if _, err := b.ReadFrom(io.LimitReader(resp.Body, maxAnswerBytes+1)); err != nil {
		return nil, unreachable(&c.at, err)
	}
	if b.Len() > maxAnswerBytes {
		return nil, invalid(&c.at, "more than %d MiB", maxAnswerBytes>>20)
	}
	return b.Bytes(), nil
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

// events calls each with the data of each server-sent event until the stream ends.
func (c *caller) events(body io.Reader, each func(data []byte) error) error {
	lines := bufio.NewScanner(body)
	lines.Buffer(make([]byte, 0, 64<<10), maxAnswerBytes)
	var data []byte
	for lines.Scan() {
		line := lines.Bytes()
		if len(line) == 0 {
			if len(data) > 0 {
				if err := each(data); err != nil {
					return err
				}
			}
			data = nil
			continue
		}
		if v, ok := bytes.CutPrefix(line, []byte("data:")); ok {
			if len(data)+len(v) > maxAnswerBytes {
				return invalid(&c.at, "an event of more than %d MiB", maxAnswerBytes>>20)
			}
			if len(data) > 0 {
				data = append(data, '\n')
			}
			data = append(data, bytes.TrimPrefix(v, []byte(" "))...)
		}
	}
	if err := lines.Err(); err != nil {
		if errors.Is(err, bufio.ErrTooLong) {
			return invalid(&c.at, "an event of more than %d MiB", maxAnswerBytes>>20)
		}
		return unreachable(&c.at, err)
	}
	switch {
	case len(data) == 0:
		return nil
	case !json.Valid(data): // the agent died: a stream that ends with its connection shows it in no other way
		return unreachable(&c.at, io.ErrUnexpectedEOF)
	default: // the last event of a server that omits the final blank line
		return each(data)
	}
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
