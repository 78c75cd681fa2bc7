package grpcwire

import (
	"context"
	"errors"
	"time"

	"golang.org/x/net/http2/hpack"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
)

// maxAttempts is how often a call is made if the server keeps saying that it did not begin it.
const maxAttempts = 5

// Request is a call to make.
type Request struct {
	Method   string   // such as /package.Service/Method
	Metadata []string // alternating keys, in lower case, and values
	Message  []byte
	MaxBytes int // of a response message

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
	return &stream{news: make(chan struct{}, 1), limit: r.MaxBytes, single: single}
}

func (c *Client) attempt(ctx context.Context, call func(*clientConn) error) error {
	for n := 1; ; n++ {
		l, err := c.conn(ctx)
		if err != nil {
			return err
		}
		err = call(l)
		again, ok := err.(*notProcessedError) //nolint:errorlint // an error that a caller's each wraps must not count
		switch {
		case !ok:
			return err
		case n == maxAttempts:
			return statusOfReset(again.error)
		}
	}
}

// notProcessedError is an error after which the call can be made again, because the server did not begin it.
type notProcessedError struct{ error }

// fields returns the header of a request.
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

// sendRequest opens a stream and sends the request message.
func (l *clientConn) sendRequest(ctx context.Context, s *stream, fields []hpack.HeaderField, message []byte) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if err := l.openStream(ctx, s, fields); err != nil {
		return err
	}
	if err := s.send(ctx, message, true); err != nil && !s.ended { // a server may respond before it has read everything
		return err
	}
	if len(message) > maxPending { // the network may not take all of it at once
		l.flushAsync()
	} else {
		l.flush()
	}
	return nil
}

// receive makes a call and calls each for the responses.
func (l *clientConn) receive(ctx context.Context, s *stream, fields []hpack.HeaderField, r *Request, each func([]byte) error) error {
	defer l.closeStream(s)
	frames := l.frames.Load()
	if err := l.sendRequest(ctx, s, fields, r.Message); err != nil {
		return failure(ctx, s, err)
	}
	told, large := r.Begun == nil, r.Large == nil
	for {
		message, more, err := l.nextAnswer(s, large)
		switch {
		case errors.Is(err, errLarge):
			if err = r.Large(); err == nil {
				large = true
				s.reserve()
			}
		case err != nil:
			err = failure(ctx, s, err)
		case message != nil:
			err = r.take(s, message, large, each)
			told, large = true, r.Large == nil
		case !more:
			return nil
		case !told && s.begun():
			told = true
			r.Begun()
		default:
			err = l.waitForNews(ctx, s, frames)
		}
		if err != nil {
			return err
		}
	}
}

// take calls each with what is in a message; asked is whether it may be large.
func (r *Request) take(s *stream, message []byte, asked bool, each func([]byte) error) error {
	if compressed(message) && !asked {
		if err := r.Large(); err != nil {
			return err
		}
	}
	answer, err := s.decompressed(message)
	if err != nil {
		return err
	}
	return each(answer)
}

// waitForNews waits until something has happened to a stream. There were as many frames of the server when the call began.
func (l *clientConn) waitForNews(ctx context.Context, s *stream, frames uint64) error {
	select {
	case <-s.news:
		return nil
	case <-l.unused: // a connection that took no more calls would let this one go on
		return failure(ctx, s, errClosed)
	case <-ctx.Done():
		if errors.Is(ctx.Err(), context.DeadlineExceeded) {
			l.suspect(frames)
		}
		return status.FromContextError(ctx.Err()).Err()
	}
}

func (l *clientConn) nextAnswer(s *stream, large bool) (message []byte, more bool, err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	message, more, err = s.next(large)
	if err == nil && !more {
		err = s.status()
	}
	return message, more, err
}

// status returns the status of a response that has ended.
func (s *stream) status() error {
	if s.trailer == nil {
		return errNoStatus
	}
	return statusOf(s.trailer)
}

// failure returns the error of a call. If ctx has ended, that takes precedence over what the server has sent.
func failure(ctx context.Context, s *stream, err error) error {
	if ctx.Err() != nil {
		return status.FromContextError(ctx.Err()).Err()
	}
	if unprocessed(err) && !s.begun() {
		return &notProcessedError{err}
	}
	err = statusOfReset(err)
	if at, ok := ctx.Deadline(); ok && status.Code(err) == codes.Canceled && !time.Now().Before(at) { // the server noticed the deadline first
		return status.FromContextError(context.DeadlineExceeded).Err()
	}
	return err
}

// begun reports whether a part of the response has arrived: then the server has begun the call, whatever it says. mu must not be held.
func (s *stream) begun() bool {
	if s.transport == nil {
		return false // it was never opened
	}
	s.transport.mu.Lock()
	defer s.transport.mu.Unlock()
	return s.header != nil
}
