package grpcwire

import (
	"context"
	"time"

	"golang.org/x/net/http2/hpack"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
)

// maxAttempts is how often a call is made whose server says that it did not begin it.
const maxAttempts = 5

// Request is a call to make.
type Request struct {
	Method   string   // as in /package.Service/Method
	Metadata []string // keys in lower case and values in turn
	Message  []byte
	MaxBytes int // of an answer

	// Begun is called when the server has begun a stream of answers and the first of them is not here yet; nil: nobody needs to know.
	Begun func()
}

// Invoke makes a call with one answer and returns it. Errors are of package status. A call that the server did not begin, as it says itself, is made again,
// on another connection if need be.
func (c *Client) Invoke(ctx context.Context, r *Request) (answer []byte, err error) {
	err = c.attempt(ctx, func(l *link) error {
		answer, err = l.invoke(ctx, c.fields(ctx, r), r)
		return err
	})
	return answer, err
}

// Stream makes a call with any number of answers. An error of each ends it, and is returned as it is; others are of package status.
func (c *Client) Stream(ctx context.Context, r *Request, each func(answer []byte) error) error {
	return c.attempt(ctx, func(l *link) error { return l.receive(ctx, c.fields(ctx, r), r, each) })
}

func (c *Client) attempt(ctx context.Context, call func(*link) error) error {
	for n := 1; ; n++ {
		l, err := c.connected(ctx)
		if err != nil {
			return err
		}
		err = call(l)
		again, ok := err.(*unbegun) //nolint:errorlint // what a caller's own error wraps is the caller's
		switch {
		case !ok:
			return err
		case n == maxAttempts:
			return statusOfReset(again.error)
		}
	}
}

// unbegun is why a call has to be made again.
type unbegun struct{ error }

// fields are the header of a request.
func (c *Client) fields(ctx context.Context, r *Request) []hpack.HeaderField {
	fields := make([]hpack.HeaderField, 0, 8+len(r.Metadata)/2) //nolint:mnd // those that follow
	fields = append(fields,
		hpack.HeaderField{Name: ":method", Value: "POST"}, hpack.HeaderField{Name: ":scheme", Value: "http"},
		hpack.HeaderField{Name: ":path", Value: r.Method}, hpack.HeaderField{Name: ":authority", Value: c.authority},
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

// ask begins a call and sends its message.
func (l *link) ask(ctx context.Context, s *stream, fields []hpack.HeaderField, message []byte) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if err := l.begin(ctx, s, fields); err != nil {
		return err
	}
	if err := s.send(ctx, message, true); err != nil && !s.ended { // a server may answer before it has read all
		return err
	}
	if len(message) > maxPending { // more than the network may take at once
		l.flushAside()
	} else {
		l.flush()
	}
	return nil
}

func (l *link) invoke(ctx context.Context, fields []hpack.HeaderField, r *Request) ([]byte, error) {
	s := &stream{news: make(chan struct{}, 1), limit: r.MaxBytes, collect: true}
	defer l.done(s)
	if err := l.ask(ctx, s, fields, r.Message); err != nil {
		return nil, failure(ctx, s, err)
	}
	select {
	case <-s.news:
	case <-ctx.Done():
		return nil, status.FromContextError(ctx.Err()).Err()
	}
	in, err := l.outcome(s)
	if err != nil {
		return nil, failure(ctx, s, err)
	}
	message, err := wholeMessage(in, r.MaxBytes)
	if err != nil {
		return nil, err
	}
	return s.plain(message)
}

// outcome returns what came on a stream that has ended.
func (l *link) outcome(s *stream) ([]byte, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if s.err != nil {
		return nil, s.err
	}
	return s.in, s.verdict()
}

func (l *link) receive(ctx context.Context, fields []hpack.HeaderField, r *Request, each func([]byte) error) error {
	s := &stream{news: make(chan struct{}, 1), limit: r.MaxBytes}
	defer l.done(s)
	if err := l.ask(ctx, s, fields, r.Message); err != nil {
		return failure(ctx, s, err)
	}
	told := r.Begun == nil
	for {
		message, more, err := l.nextAnswer(s)
		switch {
		case err != nil:
			return failure(ctx, s, err)
		case message != nil:
			answer, err := s.plain(message)
			if err != nil {
				return err
			}
			told = true
			if err := each(answer); err != nil {
				return err
			}
		case !more:
			return nil
		case !told && s.begun():
			told = true
			r.Begun()
		default:
			select {
			case <-s.news:
			case <-ctx.Done():
				return status.FromContextError(ctx.Err()).Err()
			}
		}
	}
}

func (l *link) nextAnswer(s *stream) (message []byte, more bool, err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	message, more, err = s.next()
	if err == nil && !more {
		err = s.verdict()
	}
	return message, more, err
}

// verdict returns how an answer that has ended says that the call went.
func (s *stream) verdict() error {
	if s.trailer == nil { // that is no gRPC; the header says what it is
		return statusOf(s.header)
	}
	return statusOf(s.trailer)
}

// failure is the error of a call: that it was given up counts before what came of it.
func failure(ctx context.Context, s *stream, err error) error {
	if ctx.Err() != nil {
		return status.FromContextError(ctx.Err()).Err()
	}
	if unprocessed(err) && !s.begun() {
		return &unbegun{err}
	}
	err = statusOfReset(err)
	if at, ok := ctx.Deadline(); ok && status.Code(err) == codes.Canceled && !time.Now().Before(at) { // the server was the first to notice
		return status.FromContextError(context.DeadlineExceeded).Err()
	}
	return err
}

// begun reports whether some of an answer has come: the server did begin the call then, whatever it says. It must not be called with mu held.
func (s *stream) begun() bool {
	if s.wire == nil {
		return false // it was never opened
	}
	s.wire.mu.Lock()
	defer s.wire.mu.Unlock()
	return s.header != nil
}
