package grpcwire

import (
	"context"
	"errors"
	"fmt"
	"time"

	"golang.org/x/net/http2/hpack"
	"google.golang.org/grpc/codes"
)

// maxAttempts is how often a call is made if the server keeps saying that it did not begin it.
const maxAttempts = 5

// Request is a call to make.
type Request struct {
	Method   string   // such as /package.Service/Method
	Metadata []string // alternating keys, in lower case, and values
	Message  []byte
	MaxBytes int // of a response message

	// NoWait has the call end with ErrFull if the server takes no more calls at a time, instead of waiting for its turn.
	NoWait bool

	// Begun, unless nil, is called when the server has begun a stream of responses and the first one has not arrived yet.
	Begun func()

	// Large, unless nil, is called before a response is received that is compressed or larger than 64 KiB. It may wait; meanwhile the server cannot send more. Its error
	// ends the call and is returned unchanged.
	Large func() error
}

// Invoke makes a call with one response and returns that. Errors are those of package status, as Client says. If the server says that it did not begin the call, the
// call is made again, on another connection if necessary.
func (c *Client) Invoke(ctx context.Context, r *Request) (answer []byte, err error) {
	err = c.attempt(ctx, func(l *clientConn) error {
		answers := 0
		err := l.receive(ctx, r.stream(true), c.fields(ctx, r), r, func(a []byte) error {
			answers++
			answer = a
			return nil
		})
		if err == nil && answers != 1 {
			err = malformed("there are %d messages instead of one", answers)
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	return answer, nil
}

// Stream makes a call with any number of responses. An error of each ends it and is returned unchanged; others are those of package status, as Client says.
func (c *Client) Stream(ctx context.Context, r *Request, each func(answer []byte) error) error {
	return c.attempt(ctx, func(l *clientConn) error { return l.receive(ctx, r.stream(false), c.fields(ctx, r), r, each) })
}

// stream returns the stream for a request; single is whether it has one response.
func (r *Request) stream(single bool) *stream {
	return &stream{news: make(chan struct{}, 1), limit: r.MaxBytes, single: single, noWait: r.NoWait}
}

func (c *Client) attempt(ctx context.Context, call func(*clientConn) error) error {
	defer c.begin()()
	for n := 1; ; {
		l, err := c.conn(ctx)
		if err != nil {
			return err
		}
		err = call(l)
		again, ok := err.(*notProcessedError) //nolint:errorlint // an error that a caller's each wraps must not count
		switch {
		case !ok:
			return err
		case errors.Is(again.error, errOvertaken): // it only waited for its turn
		case n < maxAttempts:
			n++
		default:
			return found(ErrNotBegun, codes.Unavailable, fmt.Sprintf("the server refused the call %d times", n))
		}
	}
}

// notProcessedError is an error after which the call can be made again, because the server did not begin it.
type notProcessedError struct{ error }

func (c *Client) fields(ctx context.Context, r *Request) []hpack.HeaderField {
	fields := make([]hpack.HeaderField, 0, 8+len(r.Metadata)/2) //nolint:mnd // the fields below
	fields = append(fields,
		hpack.HeaderField{Name: ":method", Value: "POST"}, hpack.HeaderField{Name: ":scheme", Value: c.url.Scheme},
		hpack.HeaderField{Name: ":path", Value: r.Method}, hpack.HeaderField{Name: ":authority", Value: c.url.Host},
		hpack.HeaderField{Name: "content-type", Value: contentType}, hpack.HeaderField{Name: "user-agent", Value: "quorate"},
		hpack.HeaderField{Name: "te", Value: "trailers"})
	if at, ok := ctx.Deadline(); ok {
		fields = append(fields, hpack.HeaderField{Name: fieldTimeout, Value: formatTimeout(time.Until(at))})
	}
	for i := 0; i+1 < len(r.Metadata); i += 2 {
		fields = appendPair(fields, r.Metadata[i], r.Metadata[i+1])
	}
	return fields
}
